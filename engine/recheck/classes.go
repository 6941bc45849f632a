package recheck

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// classes are the equivalence classes of a table's sets, under the cut given by its domains and
// under coarser ones.
type classes struct {
	table     *engine.Table
	sets      []engine.Set
	space     partition.Space
	rollbacks []*rollback // by attribute
	looked    int         // number of tuples examined
	hurries   bool        // coarsening follows only the best choice
}

// none returns that no step is rolled back.
func (c *classes) none() (u []rolledBack) {
	for _, l := range c.rollbacks {
		u = append(u, make(rolledBack, l.len()))
	}
	return u
}

// cut returns the cut that is left when steps are rolled back, without its anonymity.
func (c *classes) cut(u []rolledBack) *engine.Cut {
	cut := &engine.Cut{}
	for a, l := range c.rollbacks {
		cut.Columns = append(cut.Columns, l.cut(u[a]))
	}
	return cut
}

// hold counts all classes, notes the anonymity of the cut, and returns the classes that break a
// set.
func (c *classes) hold(ctx context.Context, cut *engine.Cut) (_ *Broken, err error) {
	var breaches []Breach
	for _, set := range c.sets {
		breaches = append(breaches, newBreach(c.table, set))
	}
	cut.Reached, err = c.count(ctx, cut, func(set int, _ []uint32, of content) {
		breaches[set].add(of.Size, of.records)
	})
	broken := &Broken{}
	for _, breach := range breaches {
		broken.add(breach)
	}
	return broken, err
}

// smallClass gets the labels of a class of a set, by the set's columns, and the content of the
// class; both are valid until it returns.
type smallClass func(set int, labels []uint32, of content)

// count counts the classes of every set under a cut. It returns the sizes of the smallest ones, and
// calls a function with those that do not hold, set by set in any order.
func (c *classes) count(
	ctx context.Context, cut *engine.Cut, small smallClass,
) (reached []uint64, err error) {
	var labels []uint32
	for number := range c.sets {
		set, tuples := &c.sets[number], c.table.Groupings[number]
		c.looked += tuples.Len()
		table, err := c.aggregate(ctx, set, tuples, set.Columns, cut.Columns)
		if err != nil {
			return nil, err
		}
		least := uint64(math.MaxUint64)
		err = c.each(ctx, table, everyClass, func(class []uint64, of content) error {
			if least = min(least, of.Size); set.Holds(of.Stats) {
				return nil
			}
			labels = labels[:0]
			for _, f := range table.Layout.Fields[:len(set.Columns)] {
				labels = append(labels, f.Code(class))
			}
			small(number, labels, of)
			return nil
		})
		if err = errors.Join(err, table.Discard(c.space)); err != nil {
			return nil, err
		}
		reached = append(reached, least)
	}
	return reached, nil
}

// kinds returns the kinds of the table, nil when the protections of its sets do not need them.
func (c *classes) kinds() *engine.Kinds {
	if set := &c.sets[0]; set.Entities || set.NeedsKinds() {
		return c.table.Kinds
	}
	return nil
}

// aggregate returns the classes of a set that contain tuples of some columns, in the labels that a
// cut gives these. Where there are kinds, each kind in a class has its own record, next to the
// others of the class.
func (c *classes) aggregate(
	ctx context.Context, set *engine.Set, tuples *partition.Table, columns []int,
	cut []engine.ColumnCut,
) (*partition.Table, error) {
	var maps [][]uint32
	var domains []int
	for _, a := range columns {
		codes, labels := cut[a].Code, len(cut[a].Labels)
		if !slices.Contains(set.Columns, a) {
			codes, labels = make([]uint32, len(codes)), 1
		}
		maps, domains = append(maps, codes), append(domains, labels)
	}
	kinds := c.kinds()
	if kinds != nil {
		all := engine.Identity(kinds.Len())
		maps, domains = append(maps, all.Codes), append(domains, all.Domain)
	}
	table, err := tuples.Aggregate(ctx, maps, domains, c.space)
	if err != nil || kinds == nil {
		return table, err
	}
	if err := table.Gather(ctx, c.space); err != nil {
		return nil, errors.Join(err, table.Discard(c.space))
	}
	return table, nil
}

// content is the records of a class: their number and, where there are kinds, their kinds.
type content struct {
	engine.Stats
	records uint64
	of      []engine.KindCount
}

// contentOf returns the content of a class, given the number of its records or its kinds. It writes
// the figures for protections to the given place.
func (c *classes) contentOf(records uint64, of []engine.KindCount, to *engine.Stats) content {
	if kinds := c.kinds(); kinds != nil {
		kinds.StatsOf(of, to)
	} else {
		to.Size = records
	}
	return content{*to, records, of}
}

// countBytes is the memory of a count of a kind.
const countBytes = 16

// each calls visit with every wanted class of a table that aggregate returned, in any order. A
// class is its key, without a kind. The arguments of visit are valid until it returns.
func (c *classes) each(
	ctx context.Context, t *partition.Table, wanted func(class []uint64) bool,
	visit func(class []uint64, of content) error,
) error {
	kinds, kind := c.kinds(), partition.Field{} // without kinds it has no bits
	if kinds != nil {
		kind = t.Layout.Fields[len(t.Layout.Fields)-1]
		bytes := countBytes * int64(kinds.Len())
		if err := c.space.Draw("equivalence classes", bytes); err != nil {
			return err
		}
		defer c.space.Return(bytes)
	}
	var of []engine.KindCount
	var stats engine.Stats
	total, isWanted := uint64(0), false
	class, next := make([]uint64, t.Layout.Words), make([]uint64, t.Layout.Words)
	end := func() error {
		if !isWanted {
			return nil
		}
		return visit(class, c.contentOf(total, of, &stats))
	}
	err := t.Scan(ctx, c.space, func(block *partition.Table) error {
		for key, n := range block.All() {
			copy(next, key)
			next[kind.Word] &^= kind.Mask << kind.Shift
			if total == 0 || !slices.Equal(class, next) {
				if err := end(); err != nil {
					return err
				}
				class, next, of, total = next, class, of[:0], 0
				isWanted = wanted(class)
			}
			if total += n; isWanted && kinds != nil {
				of = append(of, engine.KindCount{Kind: kind.Code(key), Records: n})
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return end()
}

// everyClass selects all classes.
func everyClass([]uint64) bool { return true }
