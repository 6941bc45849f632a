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

// readValues counts the values of the columns of an input, with the classes of their records.
// Values that do not fit the memory go to the store in sorted runs. With tuples, it counts values
// and tuples in memory, in provisional codes.
func readValues(
	ctx context.Context, r *Request, res *Resources, budget *spill.Budget, tuples bool,
) (*reading, error) {
	s := &reading{
		Request: r, space: partition.Space{Budget: budget}, threads: res.Threads,
		class: r.Class, pairs: r.bound(),
	}
	if r.Profile != nil {
		s.profiles = r.newProfiles(budget)
	}
	n, scanners := r.bound(), r.Dataset.Scanners(res.Threads)
	parts := int64(max(1, n)) * int64(scanners)
	if r.Class >= 0 {
		n++
	}
	if r.Profile != nil {
		n = len(r.Columns) // the columns of the profile are the last ones
	}
	if tuples {
		n, scanners = len(r.Columns), r.Dataset.BlockScanners(res.Threads)
		s.groupings, s.most = r.Groupings, r.most(manyTuples)
	}
	room := max(res.Budget.Grant(&spill.SurveyedValues)/parts, 1024*EntryBytes)
	lists := res.Budget.Grant(&spill.SurveyedCodes)
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
	s.start(scanners, r.SideCount)
	total := r.Dataset.Rows()
	if !tuples {
		total *= 2
	}
	if err := s.read(ctx, func(rows int64) { res.Advanced(rows, total) }); err != nil {
		return s, err
	}
	return s, s.readPopulation(ctx)
}

// bindValues makes the domains of all columns and the classes. If tuples were counted, the table of
// the counts has its groupings. The reading cannot be used afterwards.
func (s *reading) bindValues(ctx context.Context) (*Counts, error) {
	rows := int64(0)
	for _, w := range s.workers {
		rows += w.rows
	}
	if !s.takes() && rows != s.Dataset.Rows() {
		return nil, fmt.Errorf("count the values of %d rows of an input of %d: %w",
			rows, s.Dataset.Rows(), formats.ErrChanged)
	}
	c := &Counts{
		Table:   &engine.Table{Rows: uint64(s.Dataset.Rows())},
		Columns: make([]*Bound, s.bound()),
	}
	threads := s.threads
	if s.groupings == nil { // one column after another, because each may need much of the memory
		threads, c.Table.Merged = 1, s.Merge != nil
	}
	profiles := s.bindProfiles()
	// Tuples are joined while columns are bound, because both have parts with only one worker.
	var tables []*partition.Table
	err := workers.Each(2, threads, func(w workers.Worker, task int) (err error) {
		if task == 0 {
			tables, err = s.tables(ctx, nil)
			return err
		}
		return w.Each(len(c.Columns), func(_ workers.Worker, i int) (err error) {
			if c.Columns[i], err = s.bindColumn(ctx, i, rows, profiles); err != nil {
				return s.locate(ctx, i, err)
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	numbers := c.numberClasses(s, profiles)
	for g, grouping := range s.groupings {
		table := c.translate(tables[g], grouping.Columns, numbers, s)
		c.Table.Groupings = append(c.Table.Groupings, table)
	}
	return c, nil
}

// numberClasses numbers the classes in label order and makes the histograms of the masked columns.
// It returns the numbers of the sensitive profiles, if there are any, or else of the classes, by
// their provisional codes.
func (c *Counts) numberClasses(s *reading, profiles *boundProfiles) (numbers []uint32) {
	t := c.Table
	var classes []uint32 // the numbers of classes by the codes in pairs
	switch {
	case profiles != nil:
		numbers, classes = profiles.numbers, profiles.classes
		t.Kinds, t.ClassNames = profiles.Kinds, profiles.names
		t.Whole, c.weight = profiles.whole(c.Columns[0].Pairs)
	case s.class >= 0:
		interner := s.columns[s.class].coder.(*domain.Interner)
		numbers, t.ClassNames = interner.ClassOrder(c.Columns[0].Pairs)
		classes = numbers
	}
	t.Classes = len(t.ClassNames)
	for _, column := range c.Columns[:s.Masked] {
		t.Attributes = append(t.Attributes, column.Attribute)
		if profiles != nil && profiles.Weight != nil {
			t.Sizes = append(t.Sizes, profiles.sizes(column.Pairs, column.Attribute.Len()))
		}
		pairs := column.Pairs.Translate(nil, classes)
		t.Histograms = append(t.Histograms,
			pairs.Histogram(column.Attribute.Len(), max(1, t.Classes)))
	}
	return numbers
}

// translate replaces the provisional codes of a table by the codes of the domains, and by the given
// numbers of profiles or classes.
func (c *Counts) translate(
	t *partition.Table, columns []int, profiles []uint32, s *reading,
) *partition.Table {
	var maps [][]uint32
	var sizes []int
	merges := false
	for _, i := range columns {
		switch {
		case i == s.ProfilePosition():
			maps, sizes = append(maps, profiles), append(sizes, c.Table.KindsLen())
		case i >= len(c.Columns):
			n := max(2, s.Request.Columns[i].Groups)
			maps, sizes = append(maps, engine.Identity(n).Codes), append(sizes, n)
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
