package dataset

import (
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
)

// union combines the schemas of all files: the columns are in the order of their first file. The
// type of a column is that of one file which fits those of all others. If there is none, or a file
// does not have the column and it is not null there, the field says so (Differs): only reading the
// column then fails.
type union struct {
	names   map[string]int
	columns []unionColumn
	paths   []string // of the files so far
}

// unionColumn is one column. Variants are its types in the files.
type unionColumn struct {
	variants []variant
	texts    formats.Texts // of all CSV files whose types are inferred; they have no variant
	inferred *variant      // the first of these
	nullable bool          // in some file
	lacking  int           // the first file without it; -1: none so far
}

// variant is a column of one file, the first one with its type.
type variant struct {
	formats.Field
	file int
}

// add adds the columns of one more file, except the one at a position. It returns the position in
// the file of each column of the schema so far, -1 for missing ones.
func (u *union) add(path string, fields []formats.Field, but int) []int {
	if u.names == nil {
		u.names = make(map[string]int, len(fields))
	}
	file := len(u.paths)
	u.paths = append(u.paths, path)
	positions := slices.Repeat([]int{-1}, len(u.columns))
	for position, field := range fields {
		if position == but {
			continue
		}
		c, known := u.names[field.Name]
		if !known {
			c = len(u.columns)
			u.names[field.Name] = c
			u.columns, positions = append(u.columns, unionColumn{lacking: -1}),
				append(positions, -1)
			if file > 0 {
				u.columns[c].lacking = 0
			}
		}
		positions[c] = position
		u.columns[c].add(field, file)
	}
	for c, position := range positions {
		if column := &u.columns[c]; position < 0 && column.lacking < 0 {
			column.lacking = file
		}
	}
	return positions
}

func (c *unionColumn) add(field formats.Field, file int) {
	c.nullable = c.nullable || field.Nullable || field.Type.Kind == formats.Null
	if field.Texts != nil && c.texts != nil {
		c.texts = c.texts.Join(field.Texts)
		return
	}
	if field.Texts != nil {
		c.texts, c.inferred = field.Texts, &variant{field, file}
		return
	}
	same := func(v variant) bool { return v.Type == field.Type }
	if !slices.ContainsFunc(c.variants, same) {
		c.variants = append(c.variants, variant{field, file})
	}
}

// settled returns the columns whose types were inferred, by name. It is called after fields.
func (u *union) settled() map[string]formats.Field {
	settled := make(map[string]formats.Field)
	for i := range u.columns {
		if v := u.columns[i].inferred; v != nil {
			settled[v.Name] = v.Field
		}
	}
	return settled
}

// fields returns the columns of all files. If null, a column is null in files that do not have it.
func (u *union) fields(null bool) []formats.Field {
	fields := make([]formats.Field, len(u.columns))
	for i := range u.columns {
		u.columns[i].settle()
		fields[i] = u.field(&u.columns[i], null)
	}
	return fields
}

// settle infers the type of a column from the texts of all files.
func (c *unionColumn) settle() {
	if c.texts != nil {
		c.texts.Infer(&c.inferred.Field)
		c.texts, c.inferred.Texts = nil, nil
		c.add(c.inferred.Field, c.inferred.file)
	}
}

func (u *union) field(c *unionColumn, null bool) formats.Field {
	widest := slices.IndexFunc(c.variants, func(wide variant) bool {
		return !slices.ContainsFunc(c.variants, func(v variant) bool {
			return !v.Type.Fits(wide.Type)
		})
	})
	field := c.variants[max(widest, 0)].Field
	field.Lacked = c.lacking >= 0
	if (c.nullable || field.Lacked) && !field.Nullable {
		field.Nullable = true
		if field.Declared != nil {
			field.Declared = field.Declared.Optional()
		}
	}
	untyped := slices.IndexFunc(c.variants, func(v variant) bool {
		return v.Type.Kind == formats.Null
	})
	nested := field.Type.Kind == formats.Nested
	switch {
	case widest < 0:
		field.Differs = u.differ(c)
	case field.Lacked && (nested || !null):
		field.Differs = u.lacks(&field, c)
	case nested && untyped >= 0:
		field.Differs = fault.Errorf(fault.Input, "drop the column, or write that file anew with "+
			"its type",
			"open %s: column %q has no type, and is nested in %s: %w",
			u.paths[c.variants[untyped].file], field.Name, u.paths[c.variants[widest].file],
			formats.ErrSchema)
	}
	return field
}

// differ returns the error of a column whose types do not fit each other.
func (u *union) differ(c *unionColumn) error {
	first, second := c.variants[0], c.variants[0]
	for i, v := range c.variants {
		unfit := func(w variant) bool { return !v.Type.Fits(w.Type) && !w.Type.Fits(v.Type) }
		if other := slices.IndexFunc(c.variants[:i], unfit); other >= 0 {
			first, second = c.variants[other], v
			break
		}
	}
	return fault.Errorf(fault.Input, "write the files anew with one type of the column, or drop it",
		"compare %s and %s: column %q is %s and %s: %w", u.paths[first.file], u.paths[second.file],
		first.Name, first.Type, second.Type, formats.ErrSchema)
}

// lacks returns the error of a column that is missing in a file.
func (u *union) lacks(field *formats.Field, c *unionColumn) error {
	hint := "set missing_columns: null, for kcut check --missing-columns null, and it is null " +
		"there; or drop the column, or name only files that have it"
	if field.Type.Kind == formats.Nested {
		hint = "drop the column, or name only files that have it: missing_columns: null goes for " +
			"columns that are not nested"
	}
	return fault.Errorf(fault.Input, hint, "compare %s and %s: column %q is missing in the "+
		"second: %w",
		u.paths[c.variants[0].file], u.paths[c.lacking], field.Name, formats.ErrSchema)
}
