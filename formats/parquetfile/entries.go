package parquetfile

import (
	"fmt"
	"io"
	"sync"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/page"
	"github.com/kcut/kcut/formats/internal/plain"
	"github.com/kcut/kcut/formats/internal/rle"
	"github.com/kcut/kcut/formats/internal/schema"
)

// columnRoom is how much of a column is read at a time.
type columnRoom struct {
	rows   int   // of a batch
	buffer int64 // of a column chunk
	less   int64 // by how much what its pages take untold is less than the usual
}

const (
	// usualRoom is the room of a column that reads as much at a time as pays.
	usualRoom  = 1 << 20
	readBuffer = usualRoom / 4
	leastRead  = 4 << 10
	// columnBytes is what the reader of a column takes without its memory.
	columnBytes = 3 << 10
	// rowBytes is what a row of a batch takes beside its value.
	rowBytes = 5
)

// columnRoom returns what each column of a reader has of its room.
func (s *source) columnRoom(columns []formats.Request) columnRoom {
	leaves := 0
	for _, request := range columns {
		leaves += s.columns[request.Column].Last - s.columns[request.Column].First
	}
	room := columnRoom{rows: s.batchRows, buffer: readBuffer}
	if each := s.room / int64(max(1, leaves)); s.room > 0 && each < usualRoom {
		room.rows = min(s.batchRows, max(stepRows, int(each/(usualRoom/defaultBatchRows))))
		room.buffer = max(leastRead, each/4)
	}
	if s.usual > 0 {
		room.less = max(0, usualRoom-s.usual/int64(max(1, leaves)))
	}
	return room
}

// fixed returns what a column takes, whatever its pages are: the buffer, the rows of a batch, and itself.
func (c columnRoom) fixed(chunk *chunkMeta) int64 {
	return min(c.buffer, max(leastRead, chunk.Column.TotalCompressedSize)) + rowBytes*min(int64(c.rows), chunk.Column.NumValues) + columnBytes
}

// told returns what a column tells with a page of usual size, unpacked, that no compression makes smaller.
func (c columnRoom) told(chunk *chunkMeta) int64 {
	if c.less == 0 {
		return 0
	}
	return max(0, c.fixed(chunk)+min(chunk.Column.TotalCompressedSize, usualRoom)+c.less-usualRoom)
}

// buffers is the memory that one column chunk after another is read with. A reader that is
// closed leaves its columns' to the readers that come: a split would not be worth
// allocating them.
type buffers struct {
	page.Reader
	codes []uint32
}

// maxKeptBytes is the size of a page above which its memory is not kept.
const maxKeptBytes = 8 << 20

var freeBuffers = sync.Pool{New: func() any { return new(buffers) }}

// entryReader reads the entries of a column chunk: levels, and values or the dictionary's indexes.
type entryReader struct {
	*buffers
	leaf        *schema.Leaf
	promised    int64 // entries that data pages still have to bring
	left        int   // entries left in the page
	indexed     bool  // the page's values are indexes of the dictionary
	repetitions rle.Reader
	definitions rle.Reader
	indexes     rle.Reader
	cells       cells

	holding formats.Holding
	beside  int64 // bytes that the column holds beside its page
	decoded int64 // bytes of the page's values
}

// init makes a reader of a leaf's values as a type; of those of nested columns as their bytes.
func (e *entryReader) init(leaf *schema.Leaf, t formats.Type) {
	e.leaf = leaf
	e.cells = cells{physical: leaf.Type.V, width: plain.SizeOf(leaf.SchemaElement), hold: e.holdDecoded, more: e.holdMore}
	e.cells.decode = plain.DecoderOf(t, leaf.Type.V, e.cells.width)
	if t.Kind == formats.Nested {
		e.cells.decode = plain.Raw(e.cells.width)
	}
}

// open starts on the leaf's chunk of a row group, whose bytes come from a plan of the file.
func (e *entryReader) open(f *source, from io.ReaderAt, chunk *chunkMeta, room columnRoom) {
	if e.buffers == nil {
		e.buffers = freeBuffers.Get().(*buffers)
	}
	e.left, e.promised, e.holding.Tell, e.holding.Less = 0, chunk.Column.NumValues, f.hold, room.less
	if room.less > 0 {
		e.holding.Less += room.fixed(chunk)
	}
	e.Codec, e.Repetition, e.Definition = chunk.Column.Codec, e.leaf.Repetition, e.leaf.Definition
	e.AlwaysCompressed = f.footer.writtenBefore("parquet-cpp", 3, 0)
	e.Hold = e.holdPage
	extent := f.extent(&chunk.Column)
	e.Open(from, extent.From, extent.To, room.buffer)
}

// extent returns where a chunk lies. Old parquet-mr forgot the dictionary page's header in the
// size (PARQUET-816).
func (s *source) extent(chunk *columnMeta) formats.Range {
	extent := chunk.extent()
	extent.To = min(extent.To+100, s.size)
	return extent
}

// told returns what the column holds beyond the usual.
func (e *entryReader) told() int64 { return e.holding.Told() }

// close ends the reading and gives the buffers up.
func (e *entryReader) close() {
	if e.buffers != nil && e.Memory() <= maxKeptBytes {
		e.Close()
		freeBuffers.Put(e.buffers)
	}
	e.buffers = nil
	e.holding.Release()
}

// holdPage says what a page takes, as it lies in the file and unpacked.
func (e *entryReader) holdPage(bytes int64) error {
	return e.holding.Hold(e.beside + e.decoded + bytes)
}

// holdBeside says what the column holds beside its page.
func (e *entryReader) holdBeside(bytes int64) error {
	e.beside = bytes
	return e.holdPage(e.Memory())
}

// holdMore says what the column is about to hold beside that.
func (e *entryReader) holdMore(bytes int64) error { return e.holdBeside(e.beside + bytes) }

// room makes room for a value of so many bytes.
func (e *entryReader) room(v *formats.Values, size int) error {
	if err := plain.Room(v, size); err != nil || cap(v.Data)-len(v.Data) >= size {
		return err
	}
	return v.Grow(size, e.holdMore)
}

// holdDecoded says what decoded values of the page take.
func (e *entryReader) holdDecoded(bytes int64) error {
	e.decoded = bytes
	return e.holdPage(e.Memory())
}

// load makes sure that there are entries left in the page, and returns io.EOF at the chunk's
// end. A dictionary page on the way is taken in by the given function.
func (e *entryReader) load(dictionary func(*page.Header) error) error {
	for e.left == 0 {
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
		case isData(h):
			err = e.start(h)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// loadPage loads a page. All that a dictionary takes is asked for before any of it is there.
func (e *entryReader) loadPage(h *page.Header) error {
	if h.Type == format.DictionaryPage {
		if err := e.holdPage(dictionaryHeld(int64(h.Compressed), int64(h.Uncompressed), h.Entries, e.Codec)); err != nil {
			return err
		}
	}
	return e.Load(h)
}

// dictionaryHeld returns what is held of a dictionary while it is read.
func dictionaryHeld(packed, unpacked int64, entries int, codec format.CompressionCodec) int64 {
	held := dictionaryBytes(int(unpacked), entries)
	if codec != format.Uncompressed {
		return unpacked + max(packed, held)
	}
	return held + packed
}

// isData reports whether a page is one of data. Those that are neither that nor dictionaries are of no use.
func isData(h *page.Header) bool { return h.Type == format.DataPage || h.Type == format.DataPageV2 }

// isIndexes reports whether values of an encoding point into a dictionary.
func isIndexes(e format.Encoding) bool {
	return e == format.RLEDictionary || e == format.PlainDictionary
}

// count takes the values of a data page off those that the chunk promised.
func (e *entryReader) count(h *page.Header) error {
	if int64(h.Entries) > e.promised {
		return fmt.Errorf("page of %d values, %d left in the column chunk: %w", h.Entries, e.promised, formats.ErrDamaged)
	}
	e.promised -= int64(h.Entries)
	return nil
}

// start starts on a data page that was loaded.
func (e *entryReader) start(h *page.Header) error {
	if err := e.count(h); err != nil {
		return err
	}
	p, err := e.Unpack(h)
	if err == nil {
		err = e.holdPage(e.Memory())
	}
	if err != nil {
		return err
	}
	e.left = h.Entries
	e.repetitions.Reset(p.Repetition, rle.Width(e.leaf.Repetition))
	e.definitions.Reset(p.Definition, rle.Width(e.leaf.Definition))
	if e.indexed = isIndexes(h.Encoding); !e.indexed {
		return e.cells.reset(p.Values, h.Encoding, h.Entries)
	}
	runs, width, err := rle.CutWidth(p.Values)
	e.indexes.Reset(runs, width)
	return err
}

// readDictionary decodes the dictionary page that was loaded into an empty list, while the column
// holds so many bytes beside that. It keeps no memory of a large page.
func (e *entryReader) readDictionary(h *page.Header, entries *formats.Values, beside int64) error {
	if h.Encoding != format.Plain && h.Encoding != format.PlainDictionary {
		return fmt.Errorf("read dictionary page: encoding %s: %w", h.Encoding, formats.ErrUnsupported)
	}
	p, err := e.Unpack(h)
	if err != nil {
		return err
	}
	if err := e.holdBeside(beside + dictionaryBytes(len(p.Values), h.Entries)); err != nil {
		return err
	}
	plain.Reserve(entries, len(p.Values), e.cells.width, h.Entries)
	err = e.cells.reset(p.Values, format.Plain, h.Entries)
	if err == nil {
		err = e.cells.append(entries, h.Entries)
	}
	if err != nil {
		return fmt.Errorf("read dictionary: %w", err)
	}
	if e.Memory() > maxKeptBytes {
		e.Stored, e.Unpacked = nil, nil
		if len(e.cells.data) == 0 {
			e.cells.data = nil // the end of the page would keep all of it
		}
	}
	return nil
}

// dictionaryBytes is what the entries of a dictionary page take, each at most a word more than
// in the page, and what is derived from them.
func dictionaryBytes(size, entries int) int64 {
	return int64(size) + (8+derivedBytes)*int64(min(entries, size))
}

// derivedBytes is what whoever reads derives from a value: codes, in lists that grow.
const derivedBytes = 8

// defined reads the definition levels of the next n entries of a flat column, as bits, and returns how many have a
// value. It reads none when all have.
func (e *entryReader) defined(words []uint64, n int) (int, error) {
	if e.leaf.Definition == 0 {
		return n, nil
	}
	if level, same := e.definitions.Repeated(n); same && level > 0 {
		return n, nil
	} else if same {
		clear(words)
		return 0, nil
	}
	return e.definitions.Bits(words, n)
}

// notEOF turns the end of a chunk, where there should be more, into damage.
func notEOF(err error) error {
	if err == io.EOF {
		return fmt.Errorf("column chunk ends early: %w", formats.ErrDamaged)
	}
	return err
}
