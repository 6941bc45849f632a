package formats

import "github.com/parquet-go/parquet-go/format"

// Field is one column of a schema.
type Field struct {
	Name     string
	Type     Type
	Nullable bool
	Hive     bool // the column comes from directory names (key=value)

	// Elements is the column's subtree of a Parquet schema, root first, depth first, as the
	// source declares it: exact physical and logical types, without field ids. Readers of
	// Parquet, and of nested columns, fill it in; without it Declaration makes the usual one.
	Elements []format.SchemaElement
}

// Schema lists the columns that all files of a dataset agree on, in order; hive
// partition columns come last.
type Schema struct {
	Fields []Field
}

// Index returns the position of the named column, or -1.
func (s *Schema) Index(name string) int {
	for i := range s.Fields {
		if s.Fields[i].Name == name {
			return i
		}
	}
	return -1
}

// Split is a file and a range of its row groups (Parquet), record batches (Arrow) or byte
// ranges (CSV): the unit that whatever touches rows works on. Splits are planned once, from
// the footers, and lie in the input's order.
type Split struct {
	Ordinal int    // position among the dataset's splits
	File    string // path as opened
	First   int    // first row group
	Count   int    // number of row groups
	Row     int64  // position of the first row in the dataset
	Rows    int64  // number of rows
	Raw     bool   // it is one row group of Parquet, whose column chunks can be copied
}
