package formats

import (
	"context"
	"io"
)

// CreatedBy is how a release says who wrote it. It names no version: equal input gives
// equal bytes.
const CreatedBy = "kcut"

// RawSource is a Source whose chunks are row groups of Parquet: their column chunks can be
// copied into another file without decoding a value. Positions are those of ReadAt.
type RawSource interface {
	Source
	io.ReaderAt
	// RawChunks reads the pages of a column in one row group and describes them, one chunk a
	// leaf. It returns nil when a copy would hold anything but the column's rows, or what not
	// every reader understands: such a column has to be encoded anew. The error wraps
	// ErrDamaged when pages and footer contradict each other, or a page and its checksum.
	RawChunks(ctx context.Context, rowGroup, column int) ([]RawChunk, error)
}

// RawChunk is a column chunk that can be copied as it is, page by page.
type RawChunk struct {
	Codec int32     // by its number in Parquet, as all that Parquet numbers
	Pages []RawPage // the dictionary page, if there is one, first
	// Entries are the values of all data pages, nulls too.
	Entries int64
	// Dictionary holds the chunk's distinct values where they are known: where every page
	// points into the dictionary. Nil otherwise, and for leaves of nested columns.
	Dictionary *Values
}

// RawPage is one page as its file stores it. Headers are not copied: they may hold
// statistics, and a page need not have a checksum.
type RawPage struct {
	Type     int32  // of Parquet's page types
	Encoding int32  // of a dictionary PLAIN, of what points into it RLE_DICTIONARY, whatever older name the file has for them
	Entries  int32  // nulls too
	Nulls    int32  // of them; −1: nobody counted
	Offset   int64  // of the stored bytes, after the header
	Stored   int32  // bytes
	Unpacked int32  // bytes before compression
	CRC      uint32 // CRC-32 (IEEE) of the stored bytes

	// Of pages of version 2, whose levels lie before the compressed bytes.
	Rows             int32
	DefinitionLevels int32 // bytes
	RepetitionLevels int32 // bytes
	Compressed       bool
}
