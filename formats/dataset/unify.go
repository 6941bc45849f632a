package dataset

import (
	"fmt"
	"slices"

	"github.com/kcut/kcut/formats"
)

// checkNames refuses a file with two columns of one name.
func checkNames(path string, fields []formats.Field) error {
	seen := make(map[string]bool, len(fields))
	for _, f := range fields {
		if seen[f.Name] {
			return fmt.Errorf("open %s: two columns named %q: %w", path, f.Name, formats.ErrSchema)
		}
		seen[f.Name] = true
	}
	return nil
}

// unify makes a schema that of one more file, whose columns must be the same in any
// order: a column is nullable when it is in one file. It returns the position in the
// file of each column of the schema.
func unify(s *formats.Schema, fields []formats.Field) ([]int, error) {
	columns := make([]int, len(s.Fields))
	for i := range s.Fields {
		have := &s.Fields[i]
		at := slices.IndexFunc(fields, func(f formats.Field) bool { return f.Name == have.Name })
		if at < 0 {
			return nil, fmt.Errorf("column %q is missing in the second: %w", have.Name, formats.ErrSchema)
		}
		if other := fields[at].Type; other != have.Type {
			return nil, fmt.Errorf("column %q is %s and %s: %w", have.Name, have.Type, other, formats.ErrSchema)
		}
		if fields[at].Nullable && !have.Nullable {
			have.Nullable = true
			if have.Declared != nil {
				have.Declared = have.Declared.Optional()
			}
		}
		columns[i] = at
	}
	for _, f := range fields {
		if s.Index(f.Name) < 0 {
			return nil, fmt.Errorf("column %q is missing in the first: %w", f.Name, formats.ErrSchema)
		}
	}
	return columns, nil
}
