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
}

// tally returns one of so many that count at the same time. When there is a store, they share
// what the trial's budget grants.
func (t *trial) tally(domains []int, together int) *tally {
	y := &tally{domains: domains, space: t.space()}
	if t.Store != nil {
		y.space.Share = spill.TrialTuples.Part(t.budget.Limit()) / int64(together)
	}
	y.counter = partition.NewCounter(domains, y.space)
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
	return partition.Tabulate(ctx, []*partition.Counter{y.counter}, y.space, 1)
}

// ordered returns the distinct tuples in order. The tally is consumed.
func (y *tally) ordered(ctx context.Context) (*partition.Table, error) {
	table, err := y.table(ctx)
	if err != nil {
		return nil, err
	}
	return table, table.Order(ctx, y.space)
}
