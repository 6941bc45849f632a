package parallel

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/pipeline/fault"
)

// Worker is one worker's state in a reading of the whole input.
type Worker interface {
	// BeginSplit is called before the first batch of a split.
	BeginSplit(formats.Split)
	// Batch takes a batch of a split's rows, which is valid until it returns.
	Batch(*formats.Batch) error
	// EndSplit is called after the last batch of a split.
	EndSplit() error
}

// Read deals all splits out to the workers, each of which has a goroutine of its own.
// advanced is told how many rows have been read, from several goroutines.
func Read[R Worker](ctx context.Context, d *dataset.Dataset, requests []formats.Request, workers []R, advanced func(rows int64)) error {
	splits := d.Splits()
	var next, rows atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for _, w := range workers {
		group.Go(func() error {
			return fault.Fence(func() error {
				for i := next.Add(1) - 1; int(i) < len(splits); i = next.Add(1) - 1 {
					err := readSplit(ctx, d, splits[i], requests, w, func(n int) { advanced(rows.Add(int64(n))) })
					if err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
	return group.Wait()
}

func readSplit(ctx context.Context, d *dataset.Dataset, s formats.Split, requests []formats.Request, w Worker, read func(rows int)) (err error) {
	reader, err := d.Read(ctx, s, requests)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	w.BeginSplit(s)
	for {
		batch, err := reader.Next(ctx)
		if err == io.EOF {
			return w.EndSplit()
		}
		if err != nil {
			return err
		}
		if err := w.Batch(batch); err != nil {
			return fmt.Errorf("count %s: %w", s.File, err)
		}
		read(batch.Rows)
	}
}

// Workers returns how many workers a reading of the input can use.
func Workers(d *dataset.Dataset, threads int) int { return max(1, min(threads, len(d.Splits()))) }
