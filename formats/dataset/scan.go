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

// Scanner is one worker's state during a reading of the whole input. The combined result of all
// scanners must not depend on which splits each got.
type Scanner interface {
	// BeginSplit is called before the first batch of a split.
	BeginSplit(formats.Split)
	// Batch processes a batch of a split's rows, which is valid until it returns. It may have
	// counts.
	Batch(*formats.Batch) error
	// EndSplit is called after the last batch of a split.
	EndSplit() error
}

// BlockScanner is a Scanner that accepts any rows of any split.
type BlockScanner interface {
	Scanner
	// Divides reports whether idle workers should process blocks of a batch.
	Divides(*formats.Batch) bool
	// Block processes rows from to to−1 of a batch, which is valid until it returns.
	Block(b *formats.Batch, from, to int) error
}

// blockRows is the number of rows of a block of a batch.
const blockRows = 8192

// Scan gives all splits to the scanners, each of which belongs to one worker. A worker without a
// split helps to read columns of others' batches, and processes blocks of these if the scanners
// allow it. Several goroutines call advanced with the number of records read.
func Scan[S Scanner](ctx context.Context, d *Dataset, requests []formats.Request, scanners []S,
	advanced func(records int64)) error {
	var rows atomic.Int64
	splits := d.Splits()
	return workers.Each(len(splits), len(scanners), func(w workers.Worker, i int) error {
		return scanSplit(ctx, d, splits[i], requests, scanners, w, func(n int64) {
			advanced(rows.Add(n))
		})
	})
}

// scanSplit reads one split with the scanner of a worker.
func scanSplit[S Scanner](ctx context.Context, d *Dataset, s formats.Split,
	requests []formats.Request, scanners []S, w workers.Worker,
	advanced func(records int64)) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	reader, err := d.ReadCounted(ctx, s, requests)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	reader.Share(w.Share)
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
		advanced(batch.Records(0, batch.Rows))
	}
}

// scanBatch gives a batch to the worker's scanner, or its blocks to several.
func scanBatch[S Scanner](b *formats.Batch, scanners []S, w workers.Worker) error {
	if s, ok := any(scanners[w.Number]).(BlockScanner); !ok || !s.Divides(b) {
		return scanners[w.Number].Batch(b)
	}
	return w.Each((b.Rows+blockRows-1)/blockRows, func(w workers.Worker, i int) error {
		return any(scanners[w.Number]).(BlockScanner).Block(b, i*blockRows,
			min((i+1)*blockRows, b.Rows))
	})
}

// Scanners returns the number of scanners that a reading of the input can use if they process whole
// splits.
func (d *Dataset) Scanners(threads int) int { return max(1, min(threads, len(d.Splits()))) }

// BlockScanners returns the number of scanners of blocks that a reading of the input can use.
func (d *Dataset) BlockScanners(threads int) int {
	return max(1, min(threads, max(len(d.Splits()), int(d.Rows()/blockRows))))
}

// samplePlaces is the number of places of a large input from which a sample is taken: the first
// rows of as many splits.
const samplePlaces = 16

// Part returns about rows rows of d as a table: the first rows of splits that are spread over it,
// or all rows if there are no more. The choice depends only on the files. It reads the files
// through d, which must be closed in its place.
func (d *Dataset) Part(rows int64) *Dataset {
	part := *d
	if rows >= d.rows {
		return &part
	}
	part.splits, part.rows, part.part = nil, 0, true
	places := spread(len(d.splits), samplePlaces)
	for i, place := range places {
		s := d.splits[place]
		s.Rows = min(s.Rows, (rows-part.rows)/int64(len(places)-i))
		if s.Rows == 0 {
			continue
		}
		s.Ordinal, s.Row = len(part.splits), part.rows
		part.splits, part.rows = append(part.splits, s), part.rows+s.Rows
	}
	return &part
}

// Sample reads the rows of Part, and calls f with them, in order. Columns are coded.
func (d *Dataset) Sample(ctx context.Context, rows int64, columns []int,
	f func(*formats.Batch) error) error {
	requests := make([]formats.Request, len(columns))
	for i, column := range columns {
		requests[i] = formats.Request{Column: column, Coded: true}
	}
	return Scan(ctx, d.Part(rows), requests, []*sample{{f: f}}, func(int64) {})
}

// sample calls a function with single records.
type sample struct {
	singles formats.Singles
	f       func(*formats.Batch) error
}

func (s *sample) BeginSplit(formats.Split) {}
func (s *sample) EndSplit() error          { return nil }

func (s *sample) Batch(b *formats.Batch) error {
	s.singles.Of(b)
	for b = s.singles.Next(); b != nil; b = s.singles.Next() {
		if err := s.f(b); err != nil {
			return err
		}
	}
	return nil
}

// spread returns at most most of the numbers below n, in equal steps, with the first and the last.
func spread(n, most int) []int {
	most = min(n, most)
	chosen := make([]int, most)
	for i := range chosen {
		chosen[i] = i * (n - 1) / max(1, most-1)
	}
	return chosen
}
