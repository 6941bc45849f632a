package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/workers"
)

// Scanner is one worker's state in a reading of the whole input. What it holds in the end must
// not depend on which splits it was given.
type Scanner interface {
	// BeginSplit is called before the first batch of a split.
	BeginSplit(formats.Split)
	// Batch takes a batch of a split's rows, which is valid until it returns.
	Batch(*formats.Batch) error
	// EndSplit is called after the last batch of a split.
	EndSplit() error
}

// BlockScanner is a Scanner that takes any rows of any split.
type BlockScanner interface {
	Scanner
	// Divides reports whether workers with nothing else to do should take blocks of a batch.
	Divides(*formats.Batch) bool
	// Block takes rows from to to−1 of a batch, which is valid until it returns.
	Block(b *formats.Batch, from, to int) error
}

// blockRows are the rows of a block of a batch.
const blockRows = 8192

// Scan deals all splits out to the scanners, each of which belongs to one worker. A worker
// without a split helps to read columns of others' batches, and takes blocks of these if the
// scanners do. advanced is told how many rows have been read, from several goroutines.
func Scan[S Scanner](ctx context.Context, d *Dataset, requests []formats.Request, scanners []S, advanced func(rows int64)) error {
	var rows atomic.Int64
	splits := d.Splits()
	return workers.Each(len(splits), len(scanners), func(w workers.Worker, i int) error {
		return ScanSplit(ctx, d, splits[i], requests, scanners, w, func(n int) { advanced(rows.Add(int64(n))) })
	})
}

// ScanSplit reads one split with the scanner of a worker.
func ScanSplit[S Scanner](ctx context.Context, d *Dataset, s formats.Split, requests []formats.Request, scanners []S, w workers.Worker, advanced func(rows int)) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	reader, err := d.Read(ctx, s, requests)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	formats.ShareColumns(reader, w.Share)
	own := scanners[w.Number]
	own.BeginSplit(s)
	for {
		batch, err := reader.Next(ctx)
		if err == io.EOF {
			return own.EndSplit()
		}
		if err != nil {
			return err
		}
		if err := scanBatch(batch, scanners, w); err != nil {
			return fmt.Errorf("count %s: %w", s.File, err)
		}
		advanced(batch.Rows)
	}
}

// scanBatch hands a batch to the worker's scanner, or blocks of it to several.
func scanBatch[S Scanner](b *formats.Batch, scanners []S, w workers.Worker) error {
	if s, ok := any(scanners[w.Number]).(BlockScanner); !ok || !s.Divides(b) {
		return scanners[w.Number].Batch(b)
	}
	return w.Each((b.Rows+blockRows-1)/blockRows, func(w workers.Worker, i int) error {
		return any(scanners[w.Number]).(BlockScanner).Block(b, i*blockRows, min((i+1)*blockRows, b.Rows))
	})
}

// Scanners returns how many scanners a reading of the input can use that take whole splits.
func (d *Dataset) Scanners(threads int) int { return max(1, min(threads, len(d.Splits()))) }

// BlockScanners returns how many scanners of blocks a reading of the input can use.
func (d *Dataset) BlockScanners(threads int) int {
	return max(1, min(threads, max(len(d.Splits()), int(d.Rows()/blockRows))))
}
