package recheck

import (
	"context"
	"errors"
	"math"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// classes are the equivalence classes of a table's sets, under the cut that its domains are
// and under coarser ones.
type classes struct {
	table     *engine.Table
	sets      []engine.Set
	space     partition.Space
	rollbacks []*rollback // by attribute
	looked    int         // tuples that were looked at
}

// none returns that no step is rolled back.
func (c *classes) none() (u []rolledBack) {
	for _, l := range c.rollbacks {
		u = append(u, make(rolledBack, l.len()))
	}
	return u
}

// cut returns the cut that is left when steps are rolled back, without what it reaches.
func (c *classes) cut(u []rolledBack) *engine.Cut {
	cut := &engine.Cut{}
	for a, l := range c.rollbacks {
		cut.Columns = append(cut.Columns, l.cut(u[a]))
	}
	return cut
}

// hold counts all classes, notes what the cut reaches, and tells where that is too little.
func (c *classes) hold(ctx context.Context, cut *engine.Cut) (*Broken, error) {
	var breaches []Breach
	for _, set := range c.sets {
		breaches = append(breaches, newBreach(c.table, set))
	}
	reached, err := c.count(ctx, cut, func(set int, _ []uint32, size, n uint64) { breaches[set].add(size, n) })
	if err != nil {
		return nil, err
	}
	cut.Reached = reached
	broken := &Broken{}
	for _, breach := range breaches {
		broken.add(breach)
	}
	return broken, nil
}

// smallClass is told the labels of a class of a set, which are valid until it returns, its size and its records.
type smallClass func(set int, class []uint32, size, records uint64)

// count counts the classes of every set under a cut. It returns the sizes of the smallest ones,
// and tells those that do not hold, set by set in any order.
func (c *classes) count(ctx context.Context, cut *engine.Cut, small smallClass) (reached []uint64, err error) {
	for set := range c.sets {
		least, err := c.countSet(ctx, set, cut, small)
		if err != nil {
			return nil, err
		}
		reached = append(reached, least)
	}
	return reached, nil
}

func (c *classes) countSet(ctx context.Context, number int, cut *engine.Cut, small smallClass) (least uint64, err error) {
	set, tuples := c.sets[number], c.table.Groupings[number]
	c.looked += tuples.Len()
	table, codes, columns := tuples, cut.Columns, set.Columns
	kinds := c.kinds()
	if kinds != nil || !injective(cut, columns) {
		var maps [][]uint32
		var domains []int
		for _, a := range columns {
			maps, domains = append(maps, cut.Columns[a].Code), append(domains, len(cut.Columns[a].Labels))
		}
		maps, domains = c.withKinds(maps, domains)
		if table, err = tuples.Aggregate(ctx, maps, domains, c.space); err != nil {
			return 0, err
		}
		codes = nil
	}
	least = math.MaxUint64
	class := make([]uint32, len(columns))
	if kinds != nil {
		var stats engine.Stats
		if err := table.Gather(ctx, c.space); err != nil {
			return 0, errors.Join(err, table.Discard(c.space))
		}
		err = c.eachOf(ctx, table, positions(len(columns)), everyClass, func(labels []byte, of []engine.KindCount) error {
			kinds.StatsOf(of, &stats)
			if least = min(least, stats.Size); !set.Holds(stats) {
				for j := range class {
					class[j] = labelAt(labels, j)
				}
				small(number, class, stats.Size, records(of))
			}
			return nil
		})
		return least, errors.Join(err, table.Discard(c.space))
	}
	err = table.Scan(ctx, c.space, func(block *partition.Table) error {
		words := block.Layout.Words
		for i, n := range block.Counts {
			least = min(least, n)
			if set.Holds(engine.Stats{Size: n}) {
				continue
			}
			for j, f := range block.Layout.Fields {
				class[j] = f.Code(block.Keys[i*words:])
				if codes != nil {
					class[j] = codes[columns[j]].Code[class[j]]
				}
			}
			small(number, class, n, n)
		}
		return nil
	})
	if table != tuples {
		err = errors.Join(err, table.Discard(c.space))
	}
	return least, err
}

// positions returns the numbers from 0 to n−1.
func positions(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

// injective reports whether different codes of the columns have different labels.
func injective(cut *engine.Cut, columns []int) bool {
	for _, a := range columns {
		seen := make([]bool, len(cut.Columns[a].Labels))
		for _, label := range cut.Columns[a].Code {
			if seen[label] {
				return false
			}
			seen[label] = true
		}
	}
	return true
}

// giveBack returns bytes to the budget, if there is one.
func giveBack(space partition.Space, bytes int64) {
	if space.Budget != nil {
		space.Budget.Return(bytes)
	}
}
