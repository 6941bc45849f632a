package parquetfile

import (
	"fmt"
	"io"
	"sync"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/meta"
	"github.com/kcut/kcut/formats/internal/page"
	"github.com/kcut/kcut/formats/internal/plain"
	"github.com/kcut/kcut/formats/internal/schema"
)

// columnRoom is the amount that is read of a column at a time.
type columnRoom struct {
	rows   int   // of a batch
	buffer int64 // bytes of a column chunk
	less   int64 // bytes by which the unreported memory of its pages is below the usual
}

const (
	// usualRoom is the room of a column that is read in the most efficient amounts.
	usualRoom  = 1 << 20
	readBuffer = usualRoom / 4
	leastRead  = 4 << 10
	// columnBytes is the memory of a column's reader itself.
	columnBytes = 3 << 10
	// rowBytes is the memory of a row of a batch without its value.
	rowBytes = 4
	// decodedEntry is the memory of a decoded entry of a page: levels, a number and an end.
	decodedEntry = 32
	// differentRow is the memory of a row with a unique value: the value before it is looked up and
	// in the list of values, its entry in the table, and results derived from it.
	differentRow = 64
)

// columnRoom returns the room of each column of a reader.
func (s *source) columnRoom(columns []formats.Request) columnRoom {
	leaves := 0
	for _, request := range columns {
		leaves += s.columns[request.Column].Last - s.columns[request.Column].First
	}
	room := columnRoom{rows: s.batchRows, buffer: readBuffer}
	if each := s.room / int64(max(1, leaves)); s.room > 0 && each < usualRoom {
		room.rows = min(s.batchRows, max(stepRows, int(each/differentRow)))
		room.buffer = max(leastRead, each/4)
	}
	if s.usual > 0 {
		room.less = max(0, usualRoom-s.usual/int64(max(1, leaves)))
	}
	return room
}

// fixed returns the memory of a column that does not depend on its pages: the buffer, the rows of a
// batch, and the reader itself.
func (c columnRoom) fixed(chunk *meta.Column) int64 {
	return min(c.buffer, max(leastRead, chunk.TotalCompressedSize)) +
		rowBytes*min(int64(c.rows), chunk.NumValues) + columnBytes
}

// reported returns the number of bytes that a column reports while it holds a number of bytes of
// pages and values.
func (c columnRoom) reported(chunk *meta.Column, bytes int64) int64 {
	if c.less > 0 {
		bytes += c.fixed(chunk)
	}
	return max(0, bytes+c.less-usualRoom)
}

// buffers is the memory for reading column chunks one after another. A closed reader leaves that of
// its columns to later readers: allocating it again would cost too much for one split.
type buffers struct {
	page.Reader
	codes []uint32
}

// maxKeptBytes is the size of a page above which its memory is not kept.
const maxKeptBytes = 8 << 20

var freeBuffers = sync.Pool{New: func() any { return new(buffers) }}

// entryReader reads the pages of a leaf's chunks: levels, and values or indexes of the dictionary.
type entryReader struct {
	*buffers
	leaf     *schema.Leaf
	decode   plain.Decoder // for values that are not byte strings
	promised int64         // number of entries that data pages must still bring
	holding  formats.Holding
	weight   func() int64 // bytes that the column holds in addition to its page
	beside   int64        // the part of these that was reported
}

// init makes a reader of a leaf's values as a type, or as raw bytes for nested columns.
func (e *entryReader) init(leaf *schema.Leaf, t formats.Type) {
	width := plain.SizeOf(leaf.SchemaElement)
	e.leaf, e.decode = leaf, plain.DecoderOf(t, leaf.Type.V, width)
	if t.Kind == formats.Nested {
		e.decode = plain.Raw(width)
	}
}

// open starts with the leaf's chunk of a row group, whose bytes come from a plan of the file.
func (e *entryReader) open(f *source, from io.ReaderAt, chunk *meta.Column, room columnRoom) {
	if e.buffers == nil {
		e.buffers = freeBuffers.Get().(*buffers)
	}
	// Larger pages of another reader may have left more than this chunk can use. The column would
	// report it as its own.
	e.Shrink(pageBytes(chunk))
	e.promised = chunk.NumValues
	e.holding.Tell, e.holding.Less = f.hold, room.less
	if room.less > 0 {
		e.holding.Less += room.fixed(chunk)
	}
	e.Codec, e.Leaf = chunk.Codec, e.leaf
	e.AlwaysCompressed = f.alwaysCompressed
	e.Hold = e.holdPage
	extent := f.extent(chunk)
	e.Open(from, extent.From, extent.To, room.buffer)
}

// pageBytes returns the most memory that a page of a chunk takes: packed, unpacked and decoded.
func pageBytes(chunk *meta.Column) int64 {
	return chunk.TotalCompressedSize + chunk.TotalUncompressedSize + decodedEntry*chunk.NumValues
}

// extent returns the place of a chunk. Old parquet-mr forgot the dictionary page's header in the
// size (PARQUET-816).
func (s *source) extent(chunk *meta.Column) formats.Range {
	extent := chunk.Extent()
	extent.To = min(extent.To+100, s.size)
	return extent
}

// reported returns the number of bytes that the column holds beyond the usual.
func (e *entryReader) reported() int64 { return e.holding.Reported() }

// close ends the reading and releases the buffers.
func (e *entryReader) close() {
	if e.buffers != nil && e.Memory() <= maxKeptBytes {
		e.Close()
		freeBuffers.Put(e.buffers)
	}
	e.buffers = nil
	e.holding.Release()
}

// holdPage reports the memory of a page, as it is in the file, unpacked and decoded.
func (e *entryReader) holdPage(bytes int64) error { return e.holding.Hold(e.beside + bytes) }

// holdBeside reports the memory of the column in addition to its page.
func (e *entryReader) holdBeside(bytes int64) error {
	e.beside = bytes
	return e.holdPage(e.Memory())
}

// holdMore reports that the column is about to hold a number of bytes more: values move to larger
// memory, and hold only that once they have moved.
func (e *entryReader) holdMore(bytes int64) error { return e.holdBeside(e.weight() + bytes) }

// load makes sure that entries are left in the page, and returns io.EOF at the chunk's end. It
// passes a dictionary page to the given function.
func (e *entryReader) load(dictionary func(*page.Header) error) error {
	for e.Ahead == 0 {
		if e.promised == 0 {
			return io.EOF
		}
		h, err := e.Next()
		if err == nil {
			err = e.loadPage(h)
		}
		switch {
		case err != nil:
		case h.Type == format.DictionaryPage:
			err = dictionary(h)
		case h.Type == format.DataPage || h.Type == format.DataPageV2: // others are not needed
			err = e.start(h)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// loadPage loads a page. The whole memory of a dictionary is requested before any of it is
// allocated.
func (e *entryReader) loadPage(h *page.Header) error {
	if h.Type == format.DictionaryPage {
		if err := e.holdPage(dictionaryHeld(int64(h.Compressed), int64(h.Uncompressed), h.Entries,
			e.Codec)); err != nil {
			return err
		}
	}
	return e.Load(h)
}

// dictionaryHeld returns the memory of a dictionary while it is read.
func dictionaryHeld(packed, unpacked int64, entries int, codec format.CompressionCodec) int64 {
	held := dictionaryBytes(int(unpacked), entries)
	if codec != format.Uncompressed {
		return unpacked + max(packed, held)
	}
	return held + packed
}

// start starts with a loaded data page, and subtracts its entries from those that the chunk
// promised.
func (e *entryReader) start(h *page.Header) error {
	if int64(h.Entries) > e.promised {
		return fmt.Errorf("page of %d values, %d left in the column chunk: %w", h.Entries,
			e.promised, formats.ErrDamaged)
	}
	e.promised -= int64(h.Entries)
	if err := e.Begin(h); err != nil {
		return err
	}
	return e.holdPage(e.Memory())
}

// readDictionary decodes the loaded dictionary page into an empty list, while the column holds
// beside bytes in addition. It keeps no memory of a large page.
func (e *entryReader) readDictionary(h *page.Header, entries *formats.Values, beside int64) error {
	values, err := e.DecodeDictionary(h)
	if err == nil {
		err = e.holdBeside(beside + dictionaryBytes(len(values.Data), h.Entries))
	}
	if err != nil {
		return fmt.Errorf("read dictionary: %w", err)
	}
	plain.Reserve(entries, len(values.Data), h.Entries)
	if err = e.append(entries, &values, h.Entries); err != nil {
		return fmt.Errorf("read dictionary: %w", err)
	}
	e.Shrink(maxKeptBytes)
	return nil
}

// append appends n values of a page to dst.
func (e *entryReader) append(dst *formats.Values, values *page.Values, n int) error {
	if e.Large && !dst.Type.InWords() {
		if err := dst.Grow(values.Size(n), e.holdMore); err != nil {
			return err
		}
	}
	return values.Append(dst, e.decode, 0, n)
}

// next appends the next n values of the page to dst.
func (e *entryReader) next(dst *formats.Values, n int) error {
	values, err := e.Values(n)
	if err != nil {
		return err
	}
	return e.append(dst, &values, n)
}

// dictionaryBytes returns the memory of the entries of a dictionary page, each at most a word
// larger than in the page, and of the results derived from them.
func dictionaryBytes(size, entries int) int64 {
	return int64(size) + (8+derivedBytes)*int64(min(entries, size))
}

// derivedBytes is the memory that callers derive from a value: codes, in lists that grow.
const derivedBytes = 8

// notEOF turns the end of a chunk, where more bytes must follow, into damage.
func notEOF(err error) error {
	if err == io.EOF {
		return fmt.Errorf("column chunk ends early: %w", formats.ErrDamaged)
	}
	return err
}
