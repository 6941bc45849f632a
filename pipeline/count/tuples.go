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

// countTuples counts the tuples of an input in the codes of a dictionary and adds them to the
// counts, as groupings. It counts in memory. If the store is open, or if the memory is too small,
// it counts in the store.
func countTuples(
	ctx context.Context, r *Request, res *Resources, known *dictionary, c *Counts,
) error {
	columns, err := known.columns(r, res.Budget)
	if err != nil {
		return err
	}
	class, last := r.Class, len(columns)-r.profileColumns()-1
	byProfile := slices.ContainsFunc(r.Groupings, func(g Grouping) bool {
		return g.Weighted || slices.Contains(g.Columns, r.ProfilePosition())
	})
	if !byProfile && class == last {
		class, columns = -1, columns[:r.bound()] // no grouping has the class
	}
	budget := res.Budget.Part(res.Budget.Grant(&spill.CountedTuples))
	workers := r.Dataset.BlockScanners(res.Threads)
	for store := res.Store(); ; {
		if store != nil {
			// Every worker takes a part of the share. So there are no workers without a split.
			budget, workers = res.Budget.Part(res.Budget.Limit()), r.Dataset.Scanners(res.Threads)
		}
		share := res.Budget.Grant(&spill.SpilledTuples) / max(1, int64(len(r.Groupings)))
		if r.Population != nil {
			share /= 2 // the readings of both hold their counts until they are joined
		}
		t := &reading{
			Request: r, space: partition.Space{Budget: budget, Store: store, Share: share},
			threads: res.Threads, columns: columns, class: class, groupings: r.Groupings,
		}
		if r.Profile != nil && byProfile {
			if t.profiles, err = r.finalProfiles(known.profiles, budget); err != nil {
				return err
			}
		}
		t.start(workers, nil)
		var joined []*partition.Table
		rows := r.Dataset.Rows()
		if err = t.read(ctx, func(n int64) { res.Advanced(rows+n, 2*rows) }); err == nil {
			var population *reading
			if population, err = t.population(ctx); err == nil {
				joined, err = t.tables(ctx, population)
			}
		}
		if err == nil {
			return t.bindTuples(joined, c)
		}
		if store != nil || !errors.Is(err, spill.ErrBudget) {
			return err
		}
		budget.Return(budget.Used())
		if store, err = res.Open("the distinct tuples"); err != nil {
			return err
		}
	}
}

// bindTuples adds the joined groupings to the counts. Their tuples must count all rows.
func (r *reading) bindTuples(joined []*partition.Table, c *Counts) error {
	for g, table := range joined {
		all := c.Table.Rows
		if r.groupings[g].Weighted {
			all = c.weight
		}
		if n := table.Size(); !r.takes() && n != all && !r.groupings[g].People {
			err := fmt.Errorf("count the tuples of %d rows of set %d of an input of %d: %w",
				n, g+1, c.Table.Rows, formats.ErrChanged)
			for _, table := range joined {
				err = errors.Join(err, table.Discard(r.space))
			}
			return err
		}
	}
	c.Table.Groupings = joined
	return nil
}
