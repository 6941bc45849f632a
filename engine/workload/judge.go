package workload

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// Count returns the truth of tuples, which have a field for every attribute and then, perhaps, others.
// What is taken is drawn from the space, at most its share, and returned.
func (w *Workload) Count(ctx context.Context, tuples *partition.Table, space partition.Space) (*Truth, error) {
	if err := space.Draw("answers of a workload", w.Bytes()); err != nil {
		return nil, err
	}
	defer giveBack(space, w.Bytes())
	c := w.Counter()
	err := each(ctx, tuples, space, false, func(counts []uint32, codes [][]uint32) error {
		c.Add(counts, codes)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("answer queries: %w", err)
	}
	return &c.Truth, nil
}

// Judge returns the error of a recoding of tuples, in the codes of the attributes. After a field for each of
// these they have one for the class, where labels depend on that. The truth is that of the same tuples. What is
// taken is drawn from the space, at most its share, and returned.
func (w *Workload) Judge(ctx context.Context, tuples *partition.Table, recoding engine.Recoding, truth *Truth, space partition.Space) (Error, error) {
	if space.Budget == nil {
		space.Budget, space.Share = spill.NewBudget(math.MaxInt64), math.MaxInt64
	}
	e := w.Estimate(recoding)
	if err := space.Draw("labels of a workload", e.Bytes()); err != nil {
		return Error{}, err
	}
	defer giveBack(space, e.Bytes())
	space.Share -= e.Bytes()
	classes, err := w.classes(ctx, tuples, recoding, space)
	if err != nil {
		return Error{}, fmt.Errorf("count equivalence classes: %w", err)
	}
	labels := make([]uint32, len(w.attributes))
	err = classes.Scan(ctx, space, func(block *partition.Table) error {
		for i, n := range block.Counts {
			for a, f := range block.Layout.Fields {
				labels[a] = f.Code(block.Keys[i*block.Layout.Words:])
			}
			e.Add(labels, uint64(n))
		}
		return nil
	})
	if err = errors.Join(err, classes.Discard(space)); err != nil {
		return Error{}, fmt.Errorf("estimate answers: %w", err)
	}
	return e.Error(truth), nil
}

// classes counts the tuples of labels of what is released, and returns them in order.
func (w *Workload) classes(ctx context.Context, tuples *partition.Table, recoding engine.Recoding, space partition.Space) (*partition.Table, error) {
	var domains []int
	for a := range w.attributes {
		domains = append(domains, len(recoding.Labels(a)))
	}
	if space.Store != nil {
		space.Share /= 2 // the counter's; the table's is as much
	}
	counter := partition.NewCounter(domains, space)
	labels, taken := make([][]uint32, len(domains)), make([]uint64, recoding.Cells())
	err := each(ctx, tuples, space, len(taken) > 0, func(counts []uint32, codes [][]uint32) error {
		for a := range labels {
			labels[a] = slices.Grow(labels[a][:0], len(counts))[:len(counts)]
		}
		rows := engine.Rows{N: len(counts), Codes: codes[:len(labels)], Taken: taken}
		if len(codes) > len(labels) {
			rows.Classes = codes[len(labels)]
		}
		recoding.Recode(rows, labels)
		for i, first := range labels[0] {
			if first == engine.DroppedLabel {
				counts[i], labels[0][i] = 0, 0
			}
		}
		return counter.AddCounted(counts, labels, domains)
	})
	if err != nil {
		return nil, err
	}
	table, err := partition.Tabulate(ctx, []*partition.Counter{counter}, space, 1)
	if err != nil {
		return nil, err
	}
	return table, table.Order(ctx, space)
}

// blockRecords is how many tuples are handed out at a time, at most.
const blockRecords = 1 << 12

// each hands out tuples and their counts, which visit may change; singly, then each is one record.
func each(ctx context.Context, tuples *partition.Table, space partition.Space, singly bool, visit func(counts []uint32, codes [][]uint32) error) error {
	codes := make([][]uint32, len(tuples.Layout.Fields))
	var counts []uint32
	flush := func() error {
		if err := visit(counts, codes); err != nil {
			return err
		}
		for i := range codes {
			codes[i] = codes[i][:0]
		}
		counts = counts[:0]
		return nil
	}
	err := tuples.Scan(ctx, space, func(block *partition.Table) error {
		for i, n := range block.Counts {
			step := n
			if singly {
				step = 1
			}
			for ; n > 0; n -= step {
				for f, field := range block.Layout.Fields {
					codes[f] = append(codes[f], field.Code(block.Keys[i*block.Layout.Words:]))
				}
				if counts = append(counts, step); len(counts) == blockRecords {
					if err := flush(); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
	if err != nil || len(counts) == 0 {
		return err
	}
	return flush()
}

// giveBack returns bytes to the budget, if there is one.
func giveBack(space partition.Space, bytes int64) {
	if space.Budget != nil {
		space.Budget.Return(bytes)
	}
}
