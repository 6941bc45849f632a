package formats

// Field is one column of a schema.
type Field struct {
	Name     string
	Type     Type
	Nullable bool
	Hive     bool // the column comes from directory names (key=value)

	// Declared is how the source declares the column: exact physical and logical types. Readers
	// of Parquet, and of nested columns, fill it in; without it a release declares the usual.
	Declared Declaration
}

// Declaration is what Parquet's schema has of a column beyond its Type. Only the packages
// that read and write Parquet look into it: to all others it is a handle.
type Declaration interface {
	// Optional returns the declaration of the same column when it may have nulls.
	Optional() Declaration
	// SamePages reports whether pages of one column are such of another: levels and physical
	// types are the same. What the values mean is compared by their types.
	SamePages(Declaration) bool
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
