package formats

import (
	"context"
	"fmt"
	"math"
)

// Source is one opened input file of any format, cut into chunks that can be read on
// their own: row groups of Parquet, record batches of Arrow, byte ranges of CSV.
type Source interface {
	// Fields returns the file's columns.
	Fields() []Field
	// Chunks returns the number of rows of every chunk, in file order.
	Chunks() []int64
	// Read returns the rows of chunks first to first+count−1, only the columns asked for.
	// It may be called from several goroutines at a time.
	Read(ctx context.Context, first, count int, columns []Request) (BatchReader, error)
	// Close closes the file. Its readers have been closed before.
	Close() error
}

// Kept is a Source that may be costly to open and hold no file open while nobody reads it: then it
// is worth keeping.
type Kept interface {
	Source
	Kept() bool
}

// IsKept reports whether a source is worth keeping.
func IsKept(s Source) bool {
	kept, ok := s.(Kept)
	return ok && kept.Kept()
}

// Noting is a Source that may not be meant as it was read: notes say how it was.
type Noting interface {
	Source
	Notes() []string
}

// Inferring is a Source whose types are inferred from texts. Of several files they are those that the
// texts of all allow: whoever knows these settles them before anything is read.
type Inferring interface {
	Source
	Settle(fields map[string]Field)
}

// Request asks a reader for one column.
type Request struct {
	Column int  // position in the schema
	Coded  bool // as codes of distinct values, whatever the file's encoding is; else as costs least
}

// BatchReader yields the rows of a split in order.
type BatchReader interface {
	// Next returns the next batch, of at least one row, or io.EOF. The batch is valid until
	// the next call. It returns the context's error when that is done.
	Next(ctx context.Context) (*Batch, error)
	// Share has columns read by way of share from now on, if that is of use.
	Share(share Share)
	Close() error
}

// Share makes calls for 0 to n−1 on any workers, and returns when all have ended, with the
// error of the smallest number. A call is told the number of the worker that makes it.
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

// ReadOptions say how to read what a file itself does not say.
type ReadOptions struct {
	Types map[string]Type // declared types of CSV columns; the others are inferred
	CSV   CSV
	Count string // column of integers that says how many records a row stands for; empty: one
	// MissingNull says that a column is null in the files of a dataset that lack it.
	MissingNull bool
	BatchRows   int // most rows a batch; 0: 65,536. Tests set it to 1
	Threads     int // goroutines that open a file, or the files of a dataset; 0: one a processor
	Remember    int // most distinct values of a column that a reader keeps from batch to batch; 0: as the format likes it. Dictionaries of the file are kept whole
	// Hold is told how many more bytes a reader holds than what is usual for one column, because a page, a
	// dictionary or a record batch is large; fewer when negative. It may refuse, and the reading ends. Nil: nobody asks.
	Hold func(bytes int64) error
	// Room is what a reader of Parquet has for usual pages of all its columns: of many it reads less at a time. 0: as much as
	// these take.
	Room int64
	// Usual is what a reader of Parquet may hold of usual pages of all its columns and not tell. 0: 1 MiB of each.
	Usual int64
	// Ahead is told how many more bytes are held that were fetched from an object store ahead of
	// what is read; fewer when negative. Where it refuses, less is fetched at a time. Nil: nobody asks.
	Ahead func(bytes int64) error
}

// CSV says how CSV is written. The zero value is RFC 4180 in UTF-8, or in UTF-16 with a byte order mark.
type CSV struct {
	Delimiter byte                   // 0: that of ',', ';', tab and '|' under which all records have as many fields as the first one
	Quote     byte                   // around a field; 0: '"'
	Escape    byte                   // takes what is behind it as it is; 0: there is none, and quotes are doubled
	Encoding  string                 // as EncodingLatin1; empty: UTF-8, or what a byte order mark says
	Nulls     []string               // texts that stand for null, beside the empty field without quotes
	Decimal   byte                   // in front of a number's fraction; 0: '.', or ',' where Thousands is '.'
	Thousands byte                   // between groups of three digits: '.', ',', ' ' or '\''; 0: none, but the other one of '.' and ',' in front of a declared Decimal
	Headless  bool                   // the first record has values, not names
	Header    []string               // names of columns when it is headless; nil: column1, column2, ...
	Names     map[int]string         // of columns, by position from 1 on, in place of the header's
	Ordered   map[string]bool        // columns of which the order of values counts, and not their text
	Layouts   map[string]string      // package time's layouts of declared dates and timestamps, by column
	Known     func(name string) bool // whether messages may show a name of the header: it might be a value where there is none. Nil: none
}

// Encodings of CSV beside UTF-8.
const (
	EncodingUTF8        = "utf-8"
	EncodingUTF16       = "utf-16" // little-endian without a byte order mark
	EncodingLatin1      = "latin-1"
	EncodingWindows1252 = "windows-1252"
)

// Range is a part of a file, in bytes: from From to before To.
type Range struct{ From, To int64 }

// CheckRead refuses, with ErrSchema, to read chunks or columns that a source does not have.
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

// CreatedBy is how a release says who wrote it. It names no version: equal input gives
// equal bytes.
const CreatedBy = "kcut"

// usualBytes is how much of what Holding counts is not told: whoever reads leaves room for
// that of every column.
const usualBytes = 1 << 20

// Holding keeps the books of what one reader, or one column of it, holds of an input whose
// pages and dictionaries may have any size. The zero value tells nobody.
type Holding struct {
	Tell func(bytes int64) error // ReadOptions.Hold
	Less int64                   // by how much what is not told is less than the usual
	told int64
}

// Hold says that so many bytes are held from now on, or returns an error when they must not
// be. Whoever needs more says so before it is allocated.
func (h *Holding) Hold(bytes int64) error {
	more := max(0, bytes+h.Less-usualBytes) - h.told
	if h.Tell == nil || more == 0 {
		return nil
	}
	if err := h.Tell(more); err != nil {
		return fmt.Errorf("hold %d bytes of what is read: %w", bytes, err)
	}
	h.told += more
	return nil
}

// Told returns how much was told.
func (h *Holding) Told() int64 { return h.told }

// Release says that nothing is held any more.
func (h *Holding) Release() {
	if h.told > 0 {
		_ = h.Tell(-h.told) // giving back is not refused
		h.told = 0
	}
}

// MemoryBytes returns the memory that the values take.
func (v *Values) MemoryBytes() int64 {
	return int64(cap(v.Words))*8 + int64(cap(v.Ends))*4 + int64(cap(v.Data))
}

// mostBytes bounds the bytes of one Values, whose offsets have 32 bits, and with it a batch of rows
// that are out of all proportion.
const mostBytes = 1 << 30

// Room checks that so many bytes more fit into the values.
func (v *Values) Room(size int) error {
	if len(v.Data)+size > mostBytes || len(v.Ends) == math.MaxInt32 {
		return fmt.Errorf("read values: more than %d bytes at a time: %w", mostBytes, ErrUnsupported)
	}
	return nil
}

// Grow makes room for a value, or some, of so many bytes. When that is much it first says what new memory
// for the values takes, beside the old, which may not be had.
func (v *Values) Grow(size int, hold func(more int64) error) error {
	if err := v.Room(size); err != nil {
		return err
	}
	const small = 64 << 10 // of values that follow a large one
	room := max(len(v.Data)+size+small, cap(v.Data)+cap(v.Data)/4)
	if cap(v.Data)-len(v.Data) >= size || room <= usualBytes {
		return nil
	}
	if err := hold(int64(room)); err != nil {
		return err
	}
	v.Data = append(make([]byte, 0, room), v.Data...)
	return nil
}

// MemoryBytes returns the memory that the table takes beside its Values.
func (d *Distinct) MemoryBytes() int64 {
	bytes := int64(len(d.slots))*8 + int64(len(d.near.codes))*4
	if d.keys != d.Values {
		bytes += d.keys.MemoryBytes()
	}
	return bytes
}
