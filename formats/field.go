package formats

// Field is one column of a schema.
type Field struct {
	Name     string
	Type     Type
	Nullable bool
	Hive     bool // the column comes from directory names (key=value)
	Text     TextLine
	Texts    Texts // what the texts of a column of CSV allow, whose type is inferred; nil: it is stored or declared

	// Declared is how the source declares the column: exact physical and logical types. Readers
	// of Parquet, and of nested columns, fill it in; without it a release declares the usual.
	Declared Declaration

	Differs error // of a dataset: why its files have no one column of the name, which cannot be read; nil: they have
	Lacked  bool  // of a dataset: some file lacks the column
}

// TextLine is the line of CSV that makes a column which began with numbers one of texts, and what to do about it.
type TextLine struct {
	File   string
	Line   int64  // 0: there is none
	Number bool   // all are numbers, but not all are written in one form, as 10 and 10.0
	Advice string // what the texts look like, and how to say that they are; empty: like texts
}

// Texts is what the texts of a column allow. Only the package that reads CSV looks into it.
type Texts interface {
	// Join returns what these texts allow and those of the same column in another file, further down.
	Join(Texts) Texts
	// Infer gives the field the type that all of them stand for.
	Infer(*Field)
}

// Declaration is what Parquet's schema has of a column beyond its Type. Only the packages
// that read and write Parquet look into it: to all others it is a handle.
type Declaration interface {
	// Optional returns the declaration of the same column when it may have nulls.
	Optional() Declaration
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
}

// Batch is a run of consecutive rows of one split. Its memory belongs to the reader
// and is valid until the reader's next call.
type Batch struct {
	Row     int64     // position of the first record in the split
	Rows    int       // number of rows
	Columns []*Column // as asked for, in the order asked for
	Counts  []uint64  // by row: the records that it stands for, 1 or more; nil: each is one record
}

// CountsOf returns the counts of rows from..to-1, or nil if each is one record.
func (b *Batch) CountsOf(from, to int) []uint64 {
	if b.Counts == nil {
		return nil
	}
	return b.Counts[from:to]
}

// Records returns how many records rows from..to-1 are.
func (b *Batch) Records(from, to int) (records int64) {
	if b.Counts == nil {
		return int64(to - from)
	}
	for _, n := range b.Counts[from:to] {
		records += int64(n)
	}
	return records
}

// MostRecords is how many records an input has at most: sums of products with their counts have 64
// bits.
const MostRecords = 1<<40 - 1

// Column holds one column of a batch.
//
//	flat:   Codes has one entry a row; 0 is null, c ≥ 1 is value c−1 of Values.
//	        Values may hold entries that no row uses, and only grow while the pointer
//	        stays the same, so that what was derived from an entry can be kept from batch
//	        to batch. They are nearly always distinct if that was asked for; else every
//	        row may have a value of its own, in a list of the batch alone.
//	nested: Leaves is not nil; see Leaf.
type Column struct {
	Values *Values
	Codes  []uint32
	Leaves []Leaf
}

// Leaf is one leaf column of a nested column, as Parquet sees it: values with repetition
// and definition levels. A row starts at every repetition level 0.
type Leaf struct {
	Entries    int     // number of entries
	Repetition []byte  // one per entry; nil when the leaf never repeats
	Definition []byte  // one per entry; nil when the leaf is always defined
	Values     *Values // the defined entries, in order: Binary, each the PLAIN bytes of its physical type without a length (a boolean is one byte)
}
