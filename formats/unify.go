package formats

import (
	"fmt"
	"slices"

	"github.com/parquet-go/parquet-go/format"
)

// checkNames refuses a file with two columns of one name.
func checkNames(path string, fields []Field) error {
	seen := make(map[string]bool, len(fields))
	for _, f := range fields {
		if seen[f.Name] {
			return fmt.Errorf("open %s: two columns named %q: %w", path, f.Name, ErrSchema)
		}
		seen[f.Name] = true
	}
	return nil
}

// unify makes the schema that of one more file, whose columns must be the same in any
// order: a column is nullable when it is in one file. It returns the position in the
// file of each column of the schema.
func (s *Schema) unify(fields []Field) ([]int, error) {
	columns := make([]int, len(s.Fields))
	for i := range s.Fields {
		have := &s.Fields[i]
		at := slices.IndexFunc(fields, func(f Field) bool { return f.Name == have.Name })
		if at < 0 {
			return nil, fmt.Errorf("column %q is missing in the second: %w", have.Name, ErrSchema)
		}
		if other := fields[at].Type; other != have.Type {
			return nil, fmt.Errorf("column %q is %s and %s: %w", have.Name, have.Type, other, ErrSchema)
		}
		if fields[at].Nullable && !have.Nullable {
			have.makeNullable()
		}
		columns[i] = at
	}
	for _, f := range fields {
		if s.Index(f.Name) < 0 {
			return nil, fmt.Errorf("column %q is missing in the first: %w", f.Name, ErrSchema)
		}
	}
	return columns, nil
}

// makeNullable makes the field, and what a release declares of it, nullable.
func (f *Field) makeNullable() {
	f.Nullable = true
	if len(f.elements) == 0 {
		return
	}
	f.elements = slices.Clone(f.elements)
	f.elements[0].RepetitionType.V = format.Optional
	f.elements[0].RepetitionType.Valid = true
}
