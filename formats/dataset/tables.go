package dataset

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kcut/kcut/formats"
)

// OpenTables opens tables of counts of one table: each of its files has a row for every combination
// of values of some columns, with the number of its records. Each pattern is one of these tables.
// The result has all their columns, and is read table by table if there are several (Tables).
//
// The error wraps formats.ErrSchema when the tables do not count the same number of records, or a
// column has two types.
func OpenTables(ctx context.Context, patterns []string, opt formats.ReadOptions) (_ *Dataset,
	err error) {
	all := &Dataset{}
	defer func() {
		if err != nil {
			err = errors.Join(err, all.Close())
		}
	}()
	for _, pattern := range patterns {
		d, err := Open(ctx, []string{pattern}, opt)
		if err != nil {
			return nil, err
		}
		all.tables = append(all.tables, d)
		if first := all.tables[0]; d.rows != first.rows {
			return nil, fmt.Errorf("compare %s and %s: they count %d and %d records: %w",
				patterns[0], pattern, first.rows, d.rows, formats.ErrSchema)
		}
		for _, field := range d.schema.Fields {
			switch at := all.schema.Index(field.Name); {
			case at < 0:
				all.schema.Fields = append(all.schema.Fields, field)
			case all.schema.Fields[at].Type != field.Type:
				return nil, fmt.Errorf("open %s: column %q is of type %s, and of %s in a table "+
					"before it: %w",
					pattern, field.Name, field.Type, all.schema.Fields[at].Type, formats.ErrSchema)
			}
		}
		all.files, all.rows = append(all.files, d.files...), d.rows
	}
	if len(all.tables) == 1 {
		return all.tables[0], nil
	}
	return all, nil
}

// Tables returns the tables that are read one by one: itself, unless it consists of several tables
// of counts.
func (d *Dataset) Tables() []*Dataset {
	if d.tables == nil {
		return []*Dataset{d}
	}
	return slices.Clone(d.tables)
}
