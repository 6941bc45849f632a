package count

import (
	"context"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/partition"
)

// tables counts an input that is several tables of counts: every grouping comes of one that has its
// columns. They are read twice, since what is known of all columns says in which codes tuples are
// counted. A request with kinds is none for it.
func tables(ctx context.Context, r *Request, res *Resources) (*Counts, error) {
	parts, err := r.parts()
	if err != nil {
		return nil, err
	}
	all := &Counts{Columns: make([]*Bound, r.bound())}
	each := make([]*Counts, len(parts))
	for i, p := range parts {
		s, err := survey(ctx, p.Request, res.behind(i, len(parts)), res.Budget.Part(res.Budget.Limit()), false)
		if err != nil {
			return nil, err
		}
		if each[i], err = s.Bind(ctx); err != nil {
			return nil, err
		}
		if err := all.join(p, each[i]); err != nil {
			return nil, err
		}
	}
	for _, column := range all.Columns {
		all.Table.Attributes = append(all.Table.Attributes, column.Attribute)
	}
	known := newBook(r, all)
	all.Table.Groupings = make([]*partition.Table, len(r.Groupings))
	for i, p := range parts {
		if err := countTuples(ctx, p.Request, res.behind(i, len(parts)), known.of(p, r), each[i]); err != nil {
			return nil, err
		}
		for g, grouping := range p.groupings {
			all.Table.Groupings[grouping] = each[i].Table.Groupings[g]
		}
	}
	return all, nil
}

// behind are the resources of a table that is read behind so many of all: it tells of its share of the rows. Of what it reads
// in all, the first half are values.
func (res *Resources) behind(before, all int) *Resources {
	of := *res
	of.Advanced = func(done, total int64) {
		rows := total / 2
		read := int64(before)*rows + done
		if done > rows { // tuples, which are counted behind the values of all
			read += int64(all-1) * rows
		}
		res.Advanced(read, total*int64(all))
	}
	return &of
}

// tablePart is what a request asks of one table of counts.
type tablePart struct {
	*Request
	columns   []int // positions of its masked columns among those of the whole request
	groupings []int // likewise
}

// parts deals the groupings out to tables: each to the one with the fewest columns of those that have its own, and the class.
func (r *Request) parts() (parts []*tablePart, err error) {
	var used []*dataset.Dataset
	for g, grouping := range r.Groupings {
		var best *dataset.Dataset
		for _, table := range r.Dataset.Tables() {
			if r.isIn(grouping, table) && (best == nil || len(table.Schema().Fields) < len(best.Schema().Fields)) {
				best = table
			}
		}
		if best == nil {
			return nil, fault.Errorf(fault.Input, "kcut sql count prints the statements that make the tables",
				"count quasi-identifier set %d: no table of counts has all its columns, and the class where there is one", g+1)
		}
		at := slices.Index(used, best)
		if at < 0 {
			at, used = len(used), append(used, best)
			parts = append(parts, r.part(best))
		}
		p := parts[at]
		p.groupings = append(p.groupings, g)
		p.Groupings = append(p.Groupings, p.grouping(grouping))
	}
	return parts, nil
}

// isIn reports whether a table has the columns of a grouping, and the class.
func (r *Request) isIn(g Grouping, table *dataset.Dataset) bool {
	has := func(column int) bool { return table.Schema().Index(r.field(&r.Columns[column]).Name) >= 0 }
	return (r.Class < 0 || has(r.Class)) && !slices.ContainsFunc(g.Columns, func(column int) bool { return !has(column) })
}

// part asks for those of the columns that a table has.
func (r *Request) part(table *dataset.Dataset) *tablePart {
	of := *r
	of.Dataset, of.Columns, of.Groupings, of.Beside = table, nil, nil, nil
	p := &tablePart{Request: &of}
	for i, column := range r.Columns {
		if column.Field = table.Schema().Index(r.field(&column).Name); column.Field < 0 {
			continue
		}
		if i == r.Class {
			p.Class = len(p.Columns)
		} else {
			p.columns = append(p.columns, i)
		}
		p.Columns = append(p.Columns, column)
	}
	p.Masked = len(p.columns)
	return p
}

// grouping returns one of the whole request by the positions of the part's columns.
func (p *tablePart) grouping(g Grouping) Grouping {
	columns := g.Columns
	g.Columns = nil
	for _, column := range columns {
		at := slices.Index(p.columns, column)
		if at < 0 { // the kind of a record is its class
			at = p.Class
		}
		g.Columns = append(g.Columns, at)
	}
	return g
}

// join takes over the columns of a table. Those that another one had before must have the same values and classes.
func (c *Counts) join(p *tablePart, of *Counts) error {
	if c.Table == nil {
		table := *of.Table
		table.Attributes, table.Histograms = nil, make([]*partition.Histogram, len(c.Columns))
		c.Table = &table
	}
	if !slices.Equal(c.Table.ClassNames, of.Table.ClassNames) {
		return differentTables(p.className())
	}
	for i, column := range p.columns {
		if c.Columns[column] == nil {
			c.Columns[column], c.Table.Histograms[column] = of.Columns[i], of.Table.Histograms[i]
			continue
		}
		is, was := of.Table.Histograms[i], c.Table.Histograms[column]
		if !slices.Equal(of.Columns[i].Attribute.Texts, c.Columns[column].Attribute.Texts) ||
			!slices.Equal(is.Start, was.Start) || !slices.Equal(is.Class, was.Class) || !slices.Equal(is.Count, was.Count) {
			return differentTables(p.Columns[i].Spec.Name)
		}
	}
	return nil
}

// differentTables is the error of tables that count other records.
func differentTables(column string) error {
	return fault.Errorf(fault.Input, "make all tables from one state of the table", "join the tables of counts: they have other values, or counts, in column %s: %w", column, formats.ErrSchema)
}

// of returns the book of the columns of a part.
func (b *book) of(p *tablePart, whole *Request) *book {
	of := &book{}
	columns := p.columns
	if p.Class >= 0 {
		columns = slices.Insert(slices.Clone(columns), p.Class, whole.Class)
	}
	for _, column := range columns {
		of.bound = append(of.bound, b.bound[column])
		of.merges = append(of.merges, b.merges[column])
	}
	return of
}
