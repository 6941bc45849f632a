package formats

// Field is one column of a schema.
type Field struct {
	Name     string
	Type     Type
	Nullable bool
	Hive     bool // the column comes from directory names (key=value)
	Text     TextLine
	// types that the texts of a CSV column allow, if its type is inferred; nil: the type is stored
	// or declared
	Texts Texts

	// Declared is the source's declaration of the column: exact physical and logical types. Readers
	// of Parquet, and of nested columns, set it; without it a release declares the default for the
	// type.
	Declared Declaration

	// of a column of CSV that is named by its position: this, from 1 on; 0: it has a name
	Position int
	Question string // what people were asked in a column of CSV by Qualtrics; empty: not known

	// for a dataset: the reason why its files have no common column of the name, which then cannot
	// be read; nil: they have
	Differs error
	Lacked  bool // for a dataset: some file does not have the column
}

// TextLine is the line of CSV that makes a column of texts from a column that began with numbers,
// with advice.
type TextLine struct {
	File   string
	Line   int64  // 0: there is none
	Number bool   // all are numbers, but not all have one form, as 10 and 10.0
	Advice string // the form of the texts, and how to declare it; empty: just texts
	Type   string // the one type of a job by which all are dates or times; empty: none, or several
	Found  bool   // no type is stored or declared of the column: its texts show its type

	Numerals []Numerals // the numerals, other than kcut's own, in which all are numbers
	Parted   byte       // the character between fields; 0: files have several
}

// Numerals are the signs in numbers: that before the fraction and that between groups of three
// digits, 0 if it is not declared.
type Numerals struct{ Decimal, Thousands byte }

// Texts describes the types that the texts of a column allow. Only the package that reads CSV knows
// its content.
type Texts interface {
	// Join combines these texts with those of the same column in another file, further down.
	Join(Texts) Texts
	// Infer sets the field's type to the one that all the texts allow.
	Infer(*Field)
}

// Declaration is the declaration of a column in Parquet's schema beyond its Type. Only the packages
// that read and write Parquet know its content: for all others it is a handle.
type Declaration interface {
	// Optional returns the declaration of the same column if it may have nulls.
	Optional() Declaration
}

// Schema lists the columns that all files of a dataset have in common, in order; hive partition
// columns come last.
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

// Split is a file and a range of its row groups (Parquet), record batches (Arrow) or byte ranges
// (CSV): the unit of work for everything that reads rows. Splits are planned once, from the
// footers, and are in the input's order.
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
	Columns []*Column // as requested, in the requested order
	Counts  []uint64  // by row: the number of its records, 1 or more; nil: each is one record
}

// CountsOf returns the counts of rows from..to-1, or nil if each is one record.
func (b *Batch) CountsOf(from, to int) []uint64 {
	if b.Counts == nil {
		return nil
	}
	return b.Counts[from:to]
}

// Records returns the number of records of rows from..to-1.
func (b *Batch) Records(from, to int) (records int64) {
	if b.Counts == nil {
		return int64(to - from)
	}
	for _, n := range b.Counts[from:to] {
		records += int64(n)
	}
	return records
}

// MostRecords is the largest number of records of an input: sums of products with their counts have
// 64 bits.
const MostRecords = 1<<40 - 1

// Column holds one column of a batch.
//
//	flat:   Codes has one entry for each row; 0 is null, c ≥ 1 is value c−1 of Values.
//	        Values may hold entries that no row uses, and only grow while the pointer
//	        stays the same, so that results for an entry can be kept from batch to
//	        batch. They are nearly always distinct if the request asked for that; else
//	        every row may have its own value, in a list of only the batch.
//	nested: Leaves is not nil; see Leaf.
type Column struct {
	Values *Values
	Codes  []uint32
	Leaves []Leaf
}

// Leaf is one leaf column of a nested column, as in Parquet: values with repetition and definition
// levels. A row starts at every repetition level 0.
type Leaf struct {
	Entries    int    // number of entries
	Repetition []byte // one per entry; nil when the leaf never repeats
	Definition []byte // one per entry; nil when the leaf is always defined
	// the defined entries, in order: Binary, each the PLAIN bytes of its physical type without a
	// length (a boolean is one byte)
	Values *Values
}
