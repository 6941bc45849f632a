package recheck

import (
	"bytes"
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
	reached, err := c.count(ctx, cut, func(set int, _ []byte, size, n uint64) { breaches[set].add(size, n) })
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
type smallClass func(set int, class []byte, size, records uint64)

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
	table, labels := tuples, labeling{fields: positions(len(set.Columns))}
	for _, a := range set.Columns {
		labels.codes = append(labels.codes, cut.Columns[a].Code)
	}
	if c.kinds() != nil || !injective(cut, set.Columns) {
		var domains []int
		for _, a := range set.Columns {
			domains = append(domains, len(cut.Columns[a].Labels))
		}
		if table, err = c.aggregate(ctx, tuples, labels.codes, domains); err != nil {
			return 0, err
		}
		labels.codes = nil
	}
	least = math.MaxUint64
	err = c.each(ctx, table, labels, everyClass, func(class []byte, of content) error {
		if least = min(least, of.Size); !set.Holds(of.Stats) {
			small(number, class, of.Size, of.records)
		}
		return nil
	})
	if table != tuples {
		err = errors.Join(err, table.Discard(c.space))
	}
	return least, err
}

// aggregate returns the table of classes in labels that codes of tuples have, of so many in each
// field, those of one class adjacent.
func (c *classes) aggregate(ctx context.Context, tuples *partition.Table, codes [][]uint32, domains []int) (*partition.Table, error) {
	codes, domains = c.withKinds(codes, domains)
	table, err := tuples.Aggregate(ctx, codes, domains, c.space)
	if err != nil || c.kinds() == nil {
		return table, err
	}
	if err := table.Gather(ctx, c.space); err != nil {
		return nil, errors.Join(err, table.Discard(c.space))
	}
	return table, nil
}

// labeling says which fields of a table are the labels of a class, or codes that have labels.
type labeling struct {
	fields []int
	codes  [][]uint32 // by label: that of a code; nil: codes are labels
}

// class appends the labels of a record.
func (l *labeling) class(to []byte, layout partition.Layout, key []uint64) []byte {
	for j, f := range l.fields {
		label := layout.Fields[f].Code(key)
		if l.codes != nil {
			label = l.codes[j][label]
		}
		to = appendLabel(to, label)
	}
	return to
}

// content is what a class has: so many records and, where there are kinds, of which.
type content struct {
	engine.Stats
	records uint64
	of      []engine.KindCount
}

// contentOf returns the content of a class of some records, or of these. What protections ask is
// written to the given place.
func (c *classes) contentOf(records uint64, of []engine.KindCount, to *engine.Stats) content {
	if kinds := c.kinds(); kinds != nil {
		kinds.StatsOf(of, to)
	} else {
		to.Size = records
	}
	return content{*to, records, of}
}

// each calls visit with every class of a table that is wanted, in any order. Where there are kinds,
// the records of a class are adjacent; else there is one of each. What visit gets is valid until it
// returns.
func (c *classes) each(
	ctx context.Context, t *partition.Table, labels labeling, wanted func(class []byte) bool, visit func(class []byte, of content) error,
) error {
	var class, next []byte
	var of []engine.KindCount
	var stats engine.Stats
	total, isWanted, drawn, hasKinds := uint64(0), false, int64(0), c.kinds() != nil
	defer func() { giveBack(c.space, drawn) }()
	end := func() error {
		if !isWanted {
			return nil
		}
		of = sumUp(of)
		return visit(class, c.contentOf(total, of, &stats))
	}
	err := t.Scan(ctx, c.space, func(block *partition.Table) (err error) {
		for i, n := range block.Counts {
			key := block.Keys[i*block.Layout.Words:]
			if next = labels.class(next[:0], block.Layout, key); !bytes.Equal(class, next) {
				err = end()
				class, next, of, total = next, class, of[:0], 0
				isWanted = wanted(class)
			}
			if total += n; isWanted && err == nil && hasKinds {
				of, err = c.addKind("equivalence classes", of, engine.KindCount{Kind: kindOf(block, key), Records: n}, countBytes, &drawn)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return end()
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
