package count

import (
	"context"

	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/spill"
)

// once counts the input in one reading and in memory: values are numbered as they are met, and the
// tuples of these provisional codes are brought into those of the domains when all are known.
func (r *Request) once(ctx context.Context, res *Resources, budget *spill.Budget) (*Counts, error) {
	reading := r.newReading(budget, res.Threads)
	reading.Pairs, reading.Most = r.bound(), r.most(manyTuples)
	reading.Advanced = func(rows int64) { res.Advanced(rows, r.Dataset.Rows()) }
	var sources []source
	for i := range r.Columns {
		coder := r.fixedCoder(i, budget)
		if coder == nil {
			s := r.newSource(&r.Columns[i], budget)
			sources = append(sources, s)
			coder = s
		}
		reading.Coders = append(reading.Coders, coder)
	}
	counted, err := reading.Count(ctx)
	if err != nil {
		return nil, err
	}
	c := &Counts{Table: r.newTable()}
	var tables []*partition.Table
	// Tuples are joined while columns are bound: either has parts that one worker does alone.
	err = workers.Each(2, res.Threads, func(w workers.Worker, task int) (err error) {
		if task == 0 {
			tables, err = counted.Tables(ctx)
			return err
		}
		c.Columns, err = r.bind(ctx, w, counted, sources)
		return err
	})
	if err != nil {
		return nil, err
	}
	classes := r.classes(c.Table, classOf(reading.Coders, r.Class), c.Columns)
	for g, columns := range r.Groupings {
		c.Table.Groupings = append(c.Table.Groupings, c.translate(tables[g], columns, classes, r, res.Threads))
	}
	return c, nil
}

// fixedCoder returns the coder of a column that has no domain: the class, and whether a value has a
// text. Others have none yet.
func (r *Request) fixedCoder(column int, budget *spill.Budget) domain.Coder {
	c := &r.Columns[column]
	switch {
	case column == r.Class:
		return domain.NewInterner(r.field(c), false, budget)
	case c.Match != nil:
		return match{*c.Match}
	}
	return nil
}

// classOf returns the interner of the class column, or nil.
func classOf(coders []domain.Coder, class int) *domain.Interner {
	if class < 0 {
		return nil
	}
	return coders[class].(*domain.Interner)
}

// bind makes the domains of all columns.
func (r *Request) bind(ctx context.Context, w workers.Worker, counted *Tuples, sources []source) ([]*Bound, error) {
	pairs, err := counted.JoinPairs(ctx)
	if err != nil {
		return nil, err
	}
	columns := make([]*Bound, len(sources))
	return columns, w.Each(len(sources), func(_ workers.Worker, i int) (err error) {
		if columns[i], err = sources[i].bind(pairs[i]); err != nil {
			return r.locate(ctx, i, err)
		}
		return nil
	})
}

// translate brings a table into the codes of the domains, and classes into the given numbers.
func (c *Counts) translate(t *partition.Table, columns []int, classes []uint32, r *Request, threads int) *partition.Table {
	var maps [][]uint32
	var sizes []int
	merges := false
	for _, i := range columns {
		switch {
		case i == r.Class:
			maps, sizes = append(maps, classes), append(sizes, c.Table.Classes)
		case i >= len(c.Columns):
			maps, sizes = append(maps, []uint32{0, 1}), append(sizes, 2)
		default:
			d := c.Columns[i]
			maps, sizes = append(maps, d.Codes), append(sizes, max(1, d.Attribute.Len()))
			merges = merges || d.Merges
		}
	}
	if merges {
		return t.Recode(maps, sizes, threads)
	}
	t.Translate(maps, sizes, threads)
	return t
}
