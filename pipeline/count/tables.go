package count

import (
	"context"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/partition"
)

// tables counts an input that consists of several tables of counts. Each grouping comes from one
// table that has its columns. The tables are read twice, because all columns together determine the
// codes in which tuples are counted. The request must have no sensitive profiles.
func tables(ctx context.Context, r *Request, res *Resources) (*Counts, error) {
	parts, err := r.parts()
	if err != nil {
		return nil, err
	}
	all := &Counts{Columns: make([]*Bound, r.bound())}
	each := make([]*Counts, len(parts))
	for i, p := range parts {
		budget := res.Budget.Part(res.Budget.Limit())
		s, err := readValues(ctx, p.Request, res.ofTable(i, len(parts)), budget, false)
		if err != nil {
			return nil, err
		}
		if each[i], err = s.bindValues(ctx); err != nil {
			return nil, err
		}
		if err := all.join(p, each[i]); err != nil {
			return nil, err
		}
	}
	for _, column := range all.Columns {
		all.Table.Attributes = append(all.Table.Attributes, column.Attribute)
	}
	known := newDictionary(r, all)
	all.Table.Groupings = make([]*partition.Table, len(r.Groupings))
	for i, p := range parts {
		of := res.ofTable(i, len(parts))
		if err := countTuples(ctx, p.Request, of, known.of(p, r), each[i]); err != nil {
			return nil, err
		}
		for g, grouping := range p.groupings {
			all.Table.Groupings[grouping] = each[i].Table.Groupings[g]
		}
	}
	return all, nil
}

// ofTable returns the resources for one of all tables, with the given number of tables before it.
// The progress of the table becomes its part of the progress of all tables. The first half of the
// rows of a table is the reading of its values.
func (res *Resources) ofTable(before, all int) *Resources {
	of := *res
	of.Advanced = func(done, total int64) {
		rows := total / 2
		read := int64(before)*rows + done
		if done > rows { // tuples, which are counted after the values of all tables
			read += int64(all-1) * rows
		}
		res.Advanced(read, total*int64(all))
	}
	return &of
}

// tablePart is the part of a request that is counted in one table of counts.
type tablePart struct {
	*Request
	columns   []int // positions of the part's masked columns in the whole request
	groupings []int // positions of the part's groupings in the whole request
}

// parts assigns each grouping to a table: the table with the fewest columns that has the columns of
// the grouping and the class.
func (r *Request) parts() (parts []*tablePart, err error) {
	var used []*dataset.Dataset
	for g, grouping := range r.Groupings {
		var best *dataset.Dataset
		for _, table := range r.Dataset.Tables() {
			if r.isIn(grouping, table) &&
				(best == nil || len(table.Schema().Fields) < len(best.Schema().Fields)) {
				best = table
			}
		}
		if best == nil {
			return nil, fault.Errorf(fault.Input,
				"kcut sql count prints the statements that make the tables",
				"count quasi-identifier set %d: no table of counts has all its columns, "+
					"and the class if there is one", g+1)
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
	lacks := func(column int) bool {
		return table.Schema().Index(r.field(&r.Columns[column]).Name) < 0
	}
	return (r.Class < 0 || !lacks(r.Class)) && !slices.ContainsFunc(g.Columns, lacks)
}

// part returns the part of the request with the columns that a table has.
func (r *Request) part(table *dataset.Dataset) *tablePart {
	of := *r
	of.Dataset, of.Columns, of.Groupings, of.SideCount = table, nil, nil, nil
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

// grouping returns a grouping of the whole request with the positions of the part's columns.
func (p *tablePart) grouping(g Grouping) Grouping {
	columns := g.Columns
	g.Columns = nil
	for _, column := range columns {
		at := slices.Index(p.columns, column)
		if at < 0 { // the class, which is the whole sensitive profile
			at = p.Class
		}
		g.Columns = append(g.Columns, at)
	}
	return g
}

// join adds the columns of a table. If another table has added a column before, the column must
// have the same values and classes in both tables.
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
			!slices.Equal(is.Start, was.Start) || !slices.Equal(is.Class, was.Class) ||
			!slices.Equal(is.Count, was.Count) {
			return differentTables(p.Columns[i].Spec.Name)
		}
	}
	return nil
}

// differentTables returns the error for tables that count different records.
func differentTables(column string) error {
	return fault.Errorf(fault.Input, "make all tables from one state of the table",
		"join the tables of counts: they have other values, or counts, in column %s: %w",
		column, formats.ErrSchema)
}

// of returns the dictionary for the columns of a part.
func (b *dictionary) of(p *tablePart, whole *Request) *dictionary {
	of := &dictionary{}
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
