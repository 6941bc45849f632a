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
	"github.com/kcut/kcut/pipeline/hands"
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

// Divisible is a Worker that takes any rows of any split.
type Divisible interface {
	Worker
	// Divides reports whether workers with nothing else to do should take parts of a batch.
	Divides(*formats.Batch) bool
	// Part takes rows from to to−1 of a batch, which is valid until it returns.
	Part(b *formats.Batch, from, to int) error
}

// partRows are a part of a batch.
const partRows = 8192

// Read deals all splits out to the workers, each of which has a goroutine of its own. When there
// are none left, it helps to read columns of others' batches, and takes parts of these if
// workers are divisible. advanced is told how many rows have been read, from several goroutines.
func Read[R Worker](ctx context.Context, d *dataset.Dataset, requests []formats.Request, workers []R, advanced func(rows int64)) error {
	var next, rows atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for i, hand := range hands.New(len(workers)) {
		r := &reading[R]{dataset: d, requests: requests, workers: workers, own: workers[i], hand: hand}
		r.advanced = func(n int) { advanced(rows.Add(int64(n))) }
		group.Go(func() error {
			if err := fault.Fence(func() error { return r.splits(ctx, &next) }); err != nil {
				hand.Leave()
				return err
			}
			hand.Lend()
			return nil
		})
	}
	return group.Wait()
}

// reading is what one worker reads.
type reading[R Worker] struct {
	dataset  *dataset.Dataset
	requests []formats.Request
	workers  []R // by number of the hand
	own      R
	hand     hands.Hand
	advanced func(rows int)
}

// splits reads splits until there are none.
func (r *reading[R]) splits(ctx context.Context, next *atomic.Int64) error {
	splits := r.dataset.Splits()
	for i := next.Add(1) - 1; int(i) < len(splits); i = next.Add(1) - 1 {
		if err := r.split(ctx, splits[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *reading[R]) split(ctx context.Context, s formats.Split) (err error) {
	reader, err := r.dataset.Read(ctx, s, r.requests)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	formats.ShareColumns(reader, r.hand.Share)
	r.own.BeginSplit(s)
	for {
		batch, err := reader.Next(ctx)
		if err == io.EOF {
			return r.own.EndSplit()
		}
		if err != nil {
			return err
		}
		if err := r.batch(batch); err != nil {
			return fmt.Errorf("count %s: %w", s.File, err)
		}
		r.advanced(batch.Rows)
	}
}

// batch hands a batch to the workers.
func (r *reading[R]) batch(b *formats.Batch) error {
	if d, ok := any(r.own).(Divisible); !ok || !d.Divides(b) {
		return r.own.Batch(b)
	}
	return r.hand.Share((b.Rows+partRows-1)/partRows, func(hand, i int) error {
		worker := any(r.workers[hand]).(Divisible)
		return worker.Part(b, i*partRows, min((i+1)*partRows, b.Rows))
	})
}

// Workers returns how many workers a reading of the input can use that are not divisible.
func Workers(d *dataset.Dataset, threads int) int { return max(1, min(threads, len(d.Splits()))) }

// DivisibleWorkers returns how many divisible workers a reading of the input can use.
func DivisibleWorkers(d *dataset.Dataset, threads int) int {
	return max(1, min(threads, max(len(d.Splits()), int(d.Rows()/partRows))))
}
