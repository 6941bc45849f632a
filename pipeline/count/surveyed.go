package count

import (
	"context"
	"fmt"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/spill"
)

// surveyed are the values of the columns of an input, with the classes of their records.
type surveyed struct {
	*reading // of tuples, too, in provisional codes, when it has groupings
}

// survey counts the values of the columns of an input. Those that do not fit the memory go to the store
// in sorted runs. With tuples all is counted in memory, in the codes in which values are numbered.
func survey(ctx context.Context, r *Request, res *Resources, budget *spill.Budget, tuples bool) (*surveyed, error) {
	s := &surveyed{&reading{
		Request: r, space: partition.Space{Budget: budget}, threads: res.Threads, class: r.Class, pairs: r.bound(),
	}}
	if r.Kinds != nil {
		s.kinds = r.newKinds(budget)
	}
	n, scanners := r.bound(), r.Dataset.Scanners(res.Threads)
	parts := int64(max(1, n)) * int64(scanners)
	if r.Class >= 0 {
		n++
	}
	n += r.own()
	if tuples {
		n, scanners = len(r.Columns), r.Dataset.BlockScanners(res.Threads)
		s.groupings, s.most = r.Groupings, r.most(manyTuples)
	}
	room, lists := max(res.Budget.Grant(&spill.SurveyedValues)/parts, 1024*EntryBytes), res.Budget.Grant(&spill.SurveyedCodes)
	if r.Room > 0 {
		room = int64(r.Room * EntryBytes)
		lists = room * parts
	}
	s.lists = budget.Part(lists)
	for i := range n {
		c := r.newColumn(i, res, budget, !tuples)
		c.room = room
		s.columns = append(s.columns, c)
	}
	s.start(scanners, r.Beside)
	total := r.Dataset.Rows()
	if !tuples {
		total *= 2
	}
	return s, s.read(ctx, func(rows int64) { res.Advanced(rows, total) })
}

// Bind makes the domains of all columns, and the classes, of the survey of an input. The table has
// its groupings then if tuples were counted, too. What was surveyed is consumed.
func (s *surveyed) Bind(ctx context.Context) (*Counts, error) {
	rows := int64(0)
	for _, w := range s.workers {
		rows += w.rows
	}
	if s.Take == nil && rows != s.Dataset.Rows() {
		return nil, fmt.Errorf("count the values of %d rows of an input of %d: %w", rows, s.Dataset.Rows(), formats.ErrChanged)
	}
	c := &Counts{Table: &engine.Table{Rows: uint64(s.Dataset.Rows())}, Columns: make([]*Bound, s.bound())}
	threads := s.threads
	if s.groupings == nil { // one column after the other: each may need much of the memory
		threads, c.Table.Merged = 1, s.Merge != nil
	}
	kinds := s.bindKinds()
	// Tuples are joined while columns are bound: either has parts that one worker does alone.
	var tables []*partition.Table
	err := workers.Each(2, threads, func(w workers.Worker, task int) (err error) {
		if task == 0 {
			tables, err = s.tables(ctx)
			return err
		}
		return w.Each(len(c.Columns), func(_ workers.Worker, i int) (err error) {
			if c.Columns[i], err = s.bindColumn(ctx, i, rows, kinds); err != nil {
				return s.locate(ctx, i, err)
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	numbers := c.numberClasses(s, kinds)
	for g, grouping := range s.groupings {
		c.Table.Groupings = append(c.Table.Groupings, c.translate(tables[g], grouping.Columns, numbers, s))
	}
	return c, nil
}

// numberClasses numbers the classes in label order, by their provisional codes, and makes the
// histograms of the masked columns. It returns the numbers of classes or, where there are some, of kinds.
func (c *Counts) numberClasses(s *surveyed, kinds *boundKinds) (numbers []uint32) {
	t := c.Table
	var classes []uint32 // that pairs are counted by
	switch {
	case kinds != nil:
		numbers, classes, t.Kinds, t.ClassNames = kinds.numbers, kinds.classes, kinds.Kinds, kinds.names
		t.Whole, c.weight = kinds.whole(c.Columns[0].Pairs)
	case s.class >= 0:
		numbers, t.ClassNames = s.columns[s.class].coder.(*domain.Interner).ClassOrder(c.Columns[0].Pairs)
		classes = numbers
	}
	t.Classes = len(t.ClassNames)
	for _, column := range c.Columns[:s.Masked] {
		t.Attributes = append(t.Attributes, column.Attribute)
		if kinds != nil && kinds.Weight != nil {
			t.Sizes = append(t.Sizes, kinds.sizes(column.Pairs, column.Attribute.Len()))
		}
		t.Histograms = append(t.Histograms, column.Pairs.Translate(nil, classes).Histogram(column.Attribute.Len(), max(1, t.Classes)))
	}
	return numbers
}

// translate brings a table into the codes of the domains, and classes or kinds into the given numbers.
func (c *Counts) translate(t *partition.Table, columns []int, kinds []uint32, s *surveyed) *partition.Table {
	var maps [][]uint32
	var sizes []int
	merges := false
	for _, i := range columns {
		switch {
		case i == s.Kind():
			maps, sizes = append(maps, kinds), append(sizes, c.Table.KindsLen())
		case i >= len(c.Columns):
			maps, sizes = append(maps, []uint32{0, 1}), append(sizes, 2)
		default:
			d := c.Columns[i]
			maps, sizes = append(maps, d.Codes), append(sizes, max(1, d.Attribute.Len()))
			merges = merges || d.Merges
		}
	}
	if merges {
		return t.Recode(maps, sizes, s.threads)
	}
	t.Translate(maps, sizes, s.threads)
	return t
}
