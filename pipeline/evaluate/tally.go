package evaluate

import (
	"context"

	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// tally counts tuples of a trial: in memory or, if there is one, in the store, too.
type tally struct {
	counter *partition.Counter
	domains []int
	space   partition.Space
	spills  bool
}

// tally returns one of so many that count at the same time. When there is a store, they share
// what the trial's budget grants.
func (t *trial) tally(domains []int, together int) *tally {
	y := &tally{domains: domains, space: t.space(), spills: t.Store != nil}
	if y.spills {
		y.space.Share = spill.TrialTuples.Part(t.budget.Limit()) / int64(together)
		y.counter = partition.NewSpillCounter(domains, y.space)
	} else {
		y.counter = partition.NewCounter(len(domains), t.budget)
	}
	return y
}

// space is what the trial has left.
func (t *trial) space() partition.Space {
	return partition.Space{Budget: t.budget, Store: t.Store, Share: t.budget.Left(), Threads: 1}
}

// add counts tuples, given as one slice of codes a column, as often as counts says.
func (y *tally) add(counts []uint32, codes [][]uint32) error {
	return y.counter.AddCounted(counts, codes, y.domains)
}

// table returns the distinct tuples. The tally is consumed.
func (y *tally) table(ctx context.Context) (*partition.Table, error) {
	counters := []*partition.Counter{y.counter}
	if y.spills {
		return partition.TabulateSpilled(ctx, counters, y.space, 1)
	}
	return partition.Tabulate(ctx, counters, y.space.Budget, 1)
}

// ordered returns the distinct tuples in order. The tally is consumed.
func (y *tally) ordered(ctx context.Context) (*partition.Table, error) {
	table, err := y.table(ctx)
	if err != nil {
		return nil, err
	}
	return table, table.Order(ctx, y.space)
}
