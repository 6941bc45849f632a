package formats

// Batch is a run of consecutive rows of one split. Its memory belongs to the reader
// and is valid until the reader's next call.
type Batch struct {
	Row     int64     // position of the first row in the split
	Rows    int       // number of rows
	Columns []*Column // as asked for, in the order asked for
}

// Column holds one column of a batch in one of three shapes.
//
//	coded:  Codes has one entry a row; 0 is null, c ≥ 1 is value c−1 of Values.
//	        Values are nearly always distinct, may hold entries that no row uses, and only
//	        grow while the pointer stays the same, so that what was derived from an entry
//	        can be kept from batch to batch.
//	plain:  Codes is nil and Valid has one entry a row; Values holds one value for every
//	        valid row, in row order.
//	nested: Leaves is not nil; see Leaf.
type Column struct {
	Values *Values
	Codes  []uint32
	Valid  []bool
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
