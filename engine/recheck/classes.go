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
	broken := &Broken{}
	cut.Reached = nil
	for i, set := range c.sets {
		breach := newBreach(c.table, set)
		least, err := c.count(ctx, c.table.Groupings[i], set, cut, func(_ []uint32, n uint64) error {
			breach.add(n)
			return nil
		})
		if err != nil {
			return nil, err
		}
		cut.Reached = append(cut.Reached, least)
		broken.add(breach)
	}
	return broken, nil
}

// count counts the classes of a set that its tuples make under a cut: it returns the records
// of the smallest, and calls small with the labels and records of those that do not hold, in
// any order. The labels are valid until it returns.
func (c *classes) count(ctx context.Context, tuples *partition.Table, set engine.Set, cut *engine.Cut, small func(class []uint32, records uint64) error) (least uint64, err error) {
	c.looked += tuples.Len()
	table, codes, columns := tuples, cut.Columns, set.Columns
	if !injective(cut, columns) {
		var maps [][]uint32
		var domains []int
		for _, a := range columns {
			maps, domains = append(maps, cut.Columns[a].Code), append(domains, len(cut.Columns[a].Labels))
		}
		if table, err = tuples.Aggregate(ctx, maps, domains, c.space); err != nil {
			return 0, err
		}
		codes = nil
	}
	least = math.MaxUint64
	class := make([]uint32, len(columns))
	err = table.Scan(ctx, c.space, func(block *partition.Table) error {
		words := block.Layout.Words
		for i, n := range block.Counts {
			least = min(least, uint64(n))
			if set.Holds(engine.Stats{Records: uint64(n)}) {
				continue
			}
			for j, f := range block.Layout.Fields {
				class[j] = f.Code(block.Keys[i*words:])
				if codes != nil {
					class[j] = codes[columns[j]].Code[class[j]]
				}
			}
			if err := small(class, uint64(n)); err != nil {
				return err
			}
		}
		return nil
	})
	if table != tuples {
		err = errors.Join(err, table.Discard(c.space))
	}
	return least, err
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
