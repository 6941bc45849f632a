package count

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// Tuples are the tuples of every grouping in some splits, in the codes of a book.
type Tuples struct {
	*reading
	joined []*partition.Table
}

// Count counts the tuples of some splits: in memory, or in the store if that is open already, or
// memory is not enough.
func Count(ctx context.Context, r *Request, res *Resources, book *Book, splits []formats.Split) (*Tuples, error) {
	rows := r.Dataset.Rows()
	// With a store those without a split of their own would take part of its share from the others.
	scanners := func(store *spill.Store) int {
		if store != nil {
			return r.Dataset.Scanners(res.Threads)
		}
		return r.Dataset.BlockScanners(res.Threads)
	}
	return newTuples(ctx, r, res, book, scanners, func(t *Tuples) error {
		return t.read(ctx, splits, func(n int64) { res.Advanced(rows+n, 2*rows) })
	})
}

// newTuples returns the tuples that are filled in, by a number of workers.
func newTuples(ctx context.Context, r *Request, res *Resources, book *Book, scanners func(*spill.Store) int, fill func(*Tuples) error) (*Tuples, error) {
	columns, err := book.columns(r, res.Budget)
	if err != nil {
		return nil, err
	}
	class, last := r.Class, len(columns)-r.own()-1
	byKind := slices.ContainsFunc(r.Groupings, func(g Grouping) bool { return g.Weighted || slices.Contains(g.Columns, r.Kind()) })
	if !byKind && class == last {
		class, columns = -1, columns[:r.bound()] // no grouping has it
	}
	budget := res.Budget.Part(res.Budget.Grant(&spill.CountedTuples))
	for store := res.Store(); ; {
		if store != nil {
			budget = res.Budget.Part(res.Budget.Limit())
		}
		share := res.Budget.Grant(&spill.SpilledTuples) / max(1, int64(len(r.Groupings)))
		t := &Tuples{reading: &reading{
			Request: r, space: partition.Space{Budget: budget, Store: store, Share: share}, threads: res.Threads,
			columns: columns, class: class, groupings: r.Groupings,
		}}
		if r.Kinds != nil && byKind {
			if t.kinds, err = r.finalKinds(book.kinds, budget); err != nil {
				return nil, err
			}
		}
		t.start(scanners(store), nil)
		if err = fill(t); err == nil {
			t.joined, err = t.tables(ctx)
		}
		if err == nil {
			return t, nil
		}
		if store != nil || !errors.Is(err, spill.ErrBudget) {
			return nil, err
		}
		budget.Return(budget.Used())
		if store, err = res.Open("the distinct tuples"); err != nil {
			return nil, err
		}
	}
}

// Bind gives counts their groupings, of the tuples of an input.
func (t *Tuples) Bind(c *Counts) error {
	for g, table := range t.joined {
		all := c.Table.Rows
		if t.groupings[g].Weighted {
			all = c.weight
		}
		if n := table.Size(); t.Take == nil && n != all {
			err := fmt.Errorf("count the tuples of %d rows of set %d of an input of %d: %w", n, g+1, c.Table.Rows, formats.ErrChanged)
			for _, table := range t.joined {
				err = errors.Join(err, table.Discard(t.space))
			}
			return err
		}
	}
	c.Table.Groupings = t.joined
	return nil
}
