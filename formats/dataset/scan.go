package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/workers"
)

// Scanner is one worker's state during a reading of the whole input. The combined result of all
// scanners must not depend on which splits each got. A scanner may also have the methods
// BeginSplit(formats.Split), which is called before the first batch of a split, and EndSplit()
// error, which is called after the last one.
type Scanner interface {
	// Batch processes a batch of a split's rows, which is valid until it returns. It may have
	// counts.
	Batch(*formats.Batch) error
}

// BlockScanner is a Scanner that accepts any rows of any split.
type BlockScanner interface {
	// Block processes rows from to to−1 of a batch, which is valid until it returns.
	Block(b *formats.Batch, from, to int) error
}

// blockRows is the number of rows of a block of a batch.
const blockRows = 8192

// Scan gives all splits to the scanners, each of which belongs to one worker. A worker without a
// split helps to read columns of others' batches. Several goroutines call advanced with the number
// of records read.
func Scan[S Scanner](ctx context.Context, d *Dataset, requests []formats.Request, scanners []S,
	advanced func(records int64)) error {
	return scan(ctx, d, requests, scanners, advanced,
		func(w workers.Worker, b *formats.Batch) error { return scanners[w.Number].Batch(b) })
}

// ScanBlocks is Scan with scanners of blocks: a worker without a split also processes blocks of
// others' batches, if the lists of values are short. Every worker that takes a part of a batch must
// learn the whole lists.
func ScanBlocks[S BlockScanner](ctx context.Context, d *Dataset, requests []formats.Request,
	scanners []S, advanced func(records int64)) error {
	return scan(ctx, d, requests, scanners, advanced,
		func(w workers.Worker, b *formats.Batch) error {
			if !isDivided(b) {
				return scanners[w.Number].Block(b, 0, b.Rows)
			}
			return w.Each((b.Rows+blockRows-1)/blockRows, func(w workers.Worker, i int) error {
				from := i * blockRows
				return scanners[w.Number].Block(b, from, min(from+blockRows, b.Rows))
			})
		})
}

// isDivided reports whether workers take parts of a batch.
func isDivided(b *formats.Batch) bool {
	return !slices.ContainsFunc(b.Columns, func(c *formats.Column) bool {
		return c.Leaves != nil || c.Values.Len() > b.Rows
	})
}

// scan calls process with the batches of all splits.
func scan[S any](ctx context.Context, d *Dataset, requests []formats.Request, scanners []S,
	advanced func(records int64), process func(workers.Worker, *formats.Batch) error) error {
	var rows atomic.Int64
	splits := d.Splits()
	return workers.Each(len(splits), len(scanners), func(w workers.Worker, i int) (err error) {
		if err := ctx.Err(); err != nil {
			return err
		}
		reader, err := d.ReadCounted(ctx, splits[i], requests)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, reader.Close()) }()
		reader.Share(w.Share)
		own := any(scanners[w.Number])
		if s, begins := own.(interface{ BeginSplit(formats.Split) }); begins {
			s.BeginSplit(splits[i])
		}
		for {
			batch, err := reader.Next(ctx)
			if err == io.EOF {
				if s, ends := own.(interface{ EndSplit() error }); ends {
					return s.EndSplit()
				}
				return nil
			}
			if err != nil {
				return err
			}
			if err := process(w, batch); err != nil {
				return fmt.Errorf("count %s: %w", splits[i].File, err)
			}
			advanced(rows.Add(batch.Records(0, batch.Rows)))
		}
	})
}

// Coded requests columns as codes, except for nested ones, which have none.
func (d *Dataset) Coded(columns ...int) (requests []formats.Request) {
	for _, column := range columns {
		coded := d.Schema().Fields[column].Type.Kind != formats.Nested
		requests = append(requests, formats.Request{Column: column, Coded: coded})
	}
	return requests
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
	return Scan(ctx, d.Part(rows), d.Coded(columns...), []*sample{{f: f}}, func(int64) {})
}

// sample calls a function with single records.
type sample struct {
	singles formats.Singles
	f       func(*formats.Batch) error
}

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
