package formats

import (
	"context"
	"fmt"
	"math"
)

// Source is one opened input file of any format, cut into chunks that can be read independently:
// row groups of Parquet, record batches of Arrow, byte ranges of CSV.
type Source interface {
	// Fields returns the file's columns.
	Fields() []Field
	// Chunks returns the number of rows of every chunk, in file order.
	Chunks() []int64
	// Read returns the rows of chunks first to first+count−1, only the requested columns. It may be
	// called from several goroutines at a time.
	Read(ctx context.Context, first, count int, columns []Request) (BatchReader, error)
	// Close closes the file. The caller has closed its readers before.
	Close() error
}

// Inferring is a Source whose types are inferred from texts. It is worth keeping: it is costly to
// open, and has no file open while nobody reads it.
type Inferring interface {
	Source
	// Settle sets types before rows are read. The types of several files are those that the texts
	// of all allow.
	Settle(fields map[string]Field)
	// Notes describe how the file was read, where that may not have been intended.
	Notes() []string
}

// Request asks a reader for one column.
type Request struct {
	Column int // position in the schema
	// as codes of distinct values, whatever the file's encoding is; else in the cheapest form
	Coded bool
}

// BatchReader yields the rows of a split in order.
type BatchReader interface {
	// Next returns the next batch, of at least one row, or io.EOF. The batch is valid until the
	// next call. It returns the context's error when the context is done.
	Next(ctx context.Context) (*Batch, error)
	// Share makes the reader read its columns in parallel from now on, if that helps.
	Share(share Share)
	Close() error
}

// Share calls a function for 0 to n−1 on any workers, and returns when all calls have ended, with
// the error of the smallest number. A call gets the number of its worker.
type Share func(n int, call func(worker, i int) error) error

// Alone is the Share of one worker.
func Alone(worker int) Share {
	return func(n int, call func(worker, i int) error) error {
		for i := range n {
			if err := call(worker, i); err != nil {
				return err
			}
		}
		return nil
	}
}

// ReadOptions supply what a file itself does not say.
type ReadOptions struct {
	Types map[string]Type // declared types of CSV columns; the others are inferred
	CSV   CSV
	Count string // column of integers with the number of records of a row; empty: one
	// MissingNull makes a column null in the files of a dataset that do not have it.
	MissingNull bool
	BatchRows   int // largest number of rows in a batch; 0: 65,536. Tests set it to 1
	// goroutines that open a file, or the files of a dataset; 0: one for each processor
	Threads int
	// largest number of distinct values of a column that a reader keeps from batch to batch; 0: the
	// format decides. Dictionaries of the file are kept whole
	Remember int
	// Hold is called with the change of the bytes that a reader holds beyond the usual for one
	// column, because a page, a dictionary or a record batch is large; negative when they shrink.
	// If it returns an error, reading ends. May be nil.
	Hold func(bytes int64) error
	// Room is the memory of a reader of Parquet for the usual pages of all its columns: with many
	// columns it reads smaller parts at a time. 0: no limit.
	Room int64
	// Usual is the number of bytes of usual pages of all its columns that a reader of Parquet may
	// hold without calling Hold. 0: 1 MiB for each.
	Usual int64
	// Ahead is called with the change of the bytes that were fetched from an object store ahead of
	// reading; negative when they shrink. Where it returns an error, less is fetched at a time. May
	// be nil.
	Ahead func(bytes int64) error
}

// CSV describes the syntax of CSV. The zero value is RFC 4180 in UTF-8, or in UTF-16 with a byte
// order mark.
type CSV struct {
	// 0: the one of ',', ';', tab and '|' with which all records have as many fields as the first
	// one, or else all one more
	Delimiter byte
	Quote     byte // around a field; 0: '"'
	// makes the next character literal; 0: there is none, and quotes are doubled
	Escape byte
	// such as EncodingLatin1; empty: UTF-8, or as the byte order mark says
	Encoding string
	// texts that mean null, in addition to the empty field without quotes
	Nulls   []string
	Decimal byte // decimal separator; 0: '.', or ',' where Thousands is '.'
	// between groups of three digits: '.', ',', ' ' or '\''; 0: none or, with a declared Decimal,
	// the other one of '.' and ','
	Thousands byte
	Headless  bool     // the first record has values, not names
	Header    []string // names of columns when it is headless; nil: column1, column2, ...
	// names of columns that replace those of the header, by position from 1 on
	Names map[int]string
	// columns that have no name, or that of another one, get a name by their position, as column3
	Naming bool
	// columns whose values matter only by their order, not by their text
	Ordered map[string]bool
	// columns with a declared type in which texts that are none of it are null
	Lenient map[string]bool
	// layouts by column: of declared dates and timestamps in the notation of package time, several
	// with Or between them, and of numbers with N for their digits, as N%, or Feet, UnixSeconds or
	// UnixMillis
	Layouts map[string]string
	// the first of the hundred years that years of two digits mean, by column; 0: 1969
	FirstYears map[string]int
	// whether messages may show a name of the header, which might be a value if the file has no
	// header. Nil: none
	Known func(name string) bool
}

// Or is between layouts of which the first that a text has is that of its date or time.
const Or = " or "

// Feet is the layout of numbers of inches that are written as feet and inches.
const Feet = "feet"

// The layouts of timestamps that are written as seconds or milliseconds since 1970 in UTC.
const (
	UnixSeconds = "Unix s"
	UnixMillis  = "Unix ms"
)

// NameOfPosition returns the name of a column of CSV that has none, by its position from 1 on.
func NameOfPosition(position int) string { return fmt.Sprint("column", position) }

// Encodings of CSV other than UTF-8.
const (
	EncodingUTF8        = "utf-8"
	EncodingUTF16       = "utf-16" // little-endian without a byte order mark
	EncodingLatin1      = "latin-1"
	EncodingWindows1252 = "windows-1252"
)

// Range is a part of a file, in bytes: from From to before To.
type Range struct{ From, To int64 }

// CheckRead returns an ErrSchema for chunks or columns that a source does not have.
func CheckRead(s Source, first, count int, columns []Request) error {
	chunks, fields := len(s.Chunks()), len(s.Fields())
	if first < 0 || count < 0 || first > chunks-count {
		return fmt.Errorf("%w: no chunks %d to %d", ErrSchema, first, first+count-1)
	}
	for _, c := range columns {
		if c.Column < 0 || c.Column >= fields {
			return fmt.Errorf("%w: no column %d", ErrSchema, c.Column)
		}
	}
	return nil
}

// CreatedBy is the name of the writer in a release. It has no version: equal input gives equal
// bytes.
const CreatedBy = "kcut"

// usualBytes is the number of held bytes that Holding does not report: callers leave room for as
// much for every column.
const usualBytes = 1 << 20

// Holding counts the bytes that one reader, or one column of it, holds of an input whose pages and
// dictionaries may have any size. The zero value reports to nobody.
type Holding struct {
	Tell     func(bytes int64) error // ReadOptions.Hold
	Less     int64                   // reduces the number of bytes that are not reported
	reported int64
}

// Hold sets the number of held bytes, or returns an error when they are too many. Callers call it
// before they allocate more.
func (h *Holding) Hold(bytes int64) error {
	more := max(0, bytes+h.Less-usualBytes) - h.reported
	if h.Tell == nil || more == 0 {
		return nil
	}
	if err := h.Tell(more); err != nil {
		return fmt.Errorf("hold %d bytes of values that are read: %w", bytes, err)
	}
	h.reported += more
	return nil
}

// Reported returns the number of reported bytes.
func (h *Holding) Reported() int64 { return h.reported }

// Release sets the number of held bytes to zero.
func (h *Holding) Release() {
	if h.reported > 0 {
		_ = h.Tell(-h.reported) // a reduction is never refused
		h.reported = 0
	}
}

// MemoryBytes returns the memory of the values.
func (v *Values) MemoryBytes() int64 {
	return int64(cap(v.Words))*8 + int64(cap(v.Ends))*4 + int64(cap(v.Data))
}

// mostBytes is the largest number of bytes of one Values, whose offsets have 32 bits. It also
// limits a batch with disproportionately large rows.
const mostBytes = 1 << 30

// Room checks that size more bytes fit into the values.
func (v *Values) Room(size int) error {
	if len(v.Data)+size > mostBytes || len(v.Ends) == math.MaxInt32 {
		return fmt.Errorf("read values: more than %d bytes at a time: %w", mostBytes,
			ErrUnsupported)
	}
	return nil
}

// Grow makes room for values of size bytes. Before a large allocation it reports the new memory,
// which exists together with the old, to hold, which may refuse it.
func (v *Values) Grow(size int, hold func(more int64) error) error {
	if err := v.Room(size); err != nil {
		return err
	}
	room := grown(len(v.Data), cap(v.Data), size)
	if cap(v.Data)-len(v.Data) >= size || room <= usualBytes {
		return nil
	}
	if err := hold(int64(room)); err != nil {
		return err
	}
	v.Data = append(make([]byte, 0, room), v.Data...)
	return nil
}

// grown returns the room, in bytes, of values that have too little for a value, or some, of a size.
func grown(used, room, size int) int {
	const small = 64 << 10 // for values that follow a large one
	return max(used+size+small, room+room/4)
}

// Growing returns the most memory that values take while they grow to a number of bytes, by each at
// a time, and their memory then: the memory that they leave counts until they have moved.
func Growing(all, each int64) (most, then int64) {
	if all <= usualBytes {
		return all + all/4, all + all/4
	}
	each = max(each, 4<<10)
	for used := int64(0); used < all; used += each {
		if then-used < each {
			before := then
			then = int64(grown(int(used), int(before), int(each)))
			most = before + then
		}
	}
	return most, then
}

// MemoryBytes returns the memory of the table without its Values.
func (d *Distinct) MemoryBytes() int64 {
	bytes := int64(len(d.slots))*8 + int64(len(d.near.codes))*4
	if d.keys != d.Values {
		bytes += d.keys.MemoryBytes()
	}
	return bytes
}
