package parquetfile

import (
	"bufio"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/codec"
	"github.com/kcut/kcut/formats/internal/meta"
	"github.com/kcut/kcut/formats/internal/rle"
	"github.com/kcut/kcut/formats/internal/schema"
	"github.com/kcut/kcut/formats/storage"
)

// readBuffer is how much of a column chunk is read at a time.
const readBuffer = 256 << 10

// buffers is the memory that one column chunk after another is read with. A reader that is
// closed leaves its columns' to the readers that come: a split would not be worth
// allocating them.
type buffers struct {
	file   *bufio.Reader
	packed []byte // a page as it lies in the file
	data   []byte // unpacked
	codes  []uint32
}

// maxKeptBytes is the size of a page above which its memory is not kept.
const maxKeptBytes = 8 << 20

var freeBuffers = sync.Pool{New: func() any { return new(buffers) }}

// leave gives buffers up. They must not be used any more.
func (b *buffers) leave() {
	if b == nil || len(b.packed)+len(b.data) > maxKeptBytes {
		return
	}
	if b.file != nil {
		b.file.Reset(nil)
	}
	freeBuffers.Put(b)
}

// read returns a buffered reader of r, which is size bytes long.
func (b *buffers) read(r io.Reader, size int64) *bufio.Reader {
	if want := int(min(readBuffer, max(size, 4096))); b.file == nil || b.file.Size() < want {
		b.file = bufio.NewReaderSize(r, want)
	} else {
		b.file.Reset(r)
	}
	return b.file
}

// page is one page of a column chunk, unpacked. Levels and values are still encoded and
// lie in the reader's buffers until its next page.
type page struct {
	dictionary bool
	values     int // entries, nulls included
	encoding   format.Encoding
	repetition []byte // nil when the column does not repeat
	definition []byte // nil when the column is required
	data       []byte
}

// pages reads the pages of one column chunk in order, and trusts no size it meets.
type pages struct {
	leaf             *schema.Leaf
	codec            format.CompressionCodec
	left             int64 // values that data pages still have to bring
	alwaysCompressed bool  // also pages of version 2 that say they are not (parquet-cpp before 3.0.0, ARROW-10353)
	start            int64 // of the section in the file
	*buffers
	holding formats.Holding
	beside  int64 // bytes that the column holds beside its page
	decoded int64 // bytes of the page's values
	section *io.SectionReader
	headers *meta.Walker
	header  format.PageHeader
	current page
}

// open starts on a chunk, whose bytes come from a plan of the file.
func (p *pages) open(f *parquetFile, from io.ReaderAt, chunk *columnMeta) {
	p.codec, p.left = chunk.Codec, chunk.NumValues
	p.alwaysCompressed = f.footer.writtenBefore("parquet-cpp", 3, 0)
	extent := f.extent(chunk)
	p.start, p.holding.Tell = extent.From, f.hold
	p.section = io.NewSectionReader(from, extent.From, extent.To-extent.From)
	if p.buffers == nil {
		p.buffers = freeBuffers.Get().(*buffers)
	}
	p.headers = meta.NewWalker(p.read(p.section, extent.To-extent.From), readBuffer)
}

// extent returns where a chunk lies. Old parquet-mr forgot the dictionary page's header in the
// size (PARQUET-816).
func (f *parquetFile) extent(chunk *columnMeta) storage.Range {
	start, end := chunk.chunkRange()
	return storage.Range{From: start, To: min(end+100, f.size)}
}

// close ends the reading.
func (p *pages) close() {
	p.leave()
	p.buffers, p.section = nil, nil
	p.holding.Release()
}

// room says that a page of so many bytes, as it lies in the file and unpacked, needs memory.
func (p *pages) room(packed, data int) error {
	return p.holding.Hold(p.beside + p.decoded + int64(max(cap(p.packed), packed)) + int64(max(cap(p.data), data)))
}

// holdBeside says what the column holds beside its page.
func (p *pages) holdBeside(bytes int64) error {
	p.beside = bytes
	return p.room(0, 0)
}

// holdDecoded says what decoded values of the page take.
func (p *pages) holdDecoded(bytes int64) error {
	p.decoded = bytes
	return p.room(0, 0)
}

// shedPacked gives the memory of a large page up that was unpacked, as it lies in the file.
func (p *pages) shedPacked() {
	if p.codec != format.Uncompressed && cap(p.packed) > maxKeptBytes {
		p.packed = nil
	}
}

// shed gives the memory of a large page up, which is not needed any more.
func (p *pages) shed() {
	if cap(p.packed)+cap(p.data) > maxKeptBytes {
		p.packed, p.data = nil, nil
	}
}

// next returns the next dictionary or data page, or io.EOF when all values were brought.
func (p *pages) next() (*page, error) {
	for p.left > 0 {
		if err := p.readHeader(); err != nil {
			return nil, err
		}
		if _, err := p.readBody(); err != nil {
			return nil, err
		}
		if page, err := p.unpackPage(); page != nil || err != nil {
			return page, err
		}
	}
	return nil, io.EOF
}

// unpackPage returns the page whose header and bytes were read, or nil when it is of no use.
func (p *pages) unpackPage() (*page, error) {
	switch p.header.Type {
	case format.DictionaryPage:
		return p.dictionaryPage()
	case format.DataPage:
		return p.dataPageV1()
	case format.DataPageV2:
		return p.dataPageV2()
	}
	return nil, nil
}

// readHeader reads the next header, which takes no more than what is read at a time.
func (p *pages) readHeader() error {
	raw, err := p.headers.Next()
	if err == nil {
		p.header = format.PageHeader{}
		err = meta.DecodePassed(raw, &p.header)
	}
	if err != nil {
		return fmt.Errorf("read page header: %w", err)
	}
	return nil
}

// readBody reads the page's bytes as they lie in the file, and returns their checksum, which must be
// that of the header, if it has one.
func (p *pages) readBody() (sum uint32, err error) {
	packed, unpacked := int(p.header.CompressedPageSize), int(p.header.UncompressedPageSize)
	if packed < 0 || unpacked < 0 {
		return 0, fmt.Errorf("read page header: negative size: %w", formats.ErrDamaged)
	}
	if at, _ := p.section.Seek(0, io.SeekCurrent); int64(packed) > p.section.Size()-at+int64(p.file.Buffered()) {
		return 0, fmt.Errorf("read page of %d bytes: beyond the column chunk: %w", packed, formats.ErrDamaged)
	}
	if err := codec.CheckSize(p.codec, packed, unpacked); err != nil {
		return 0, err
	}
	if err := p.room(packed+rle.Padding, 0); err != nil {
		return 0, err
	}
	p.packed = grown(p.packed, packed+rle.Padding)[:packed]
	if _, err := io.ReadFull(p.file, p.packed); err != nil {
		return 0, shortRead(err)
	}
	sum = crc32.ChecksumIEEE(p.packed)
	if have := uint32(p.header.CRC); have != 0 && have != sum {
		return 0, fmt.Errorf("read page: checksum does not match: %w", formats.ErrDamaged)
	}
	return sum, nil
}

// shortRead turns the end of the file into damage and leaves other errors alone.
func shortRead(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("file ends early: %w", formats.ErrDamaged)
	}
	return err
}

// unpack returns what the packed bytes unpack to: size bytes.
func (p *pages) unpack(packed []byte, size int) ([]byte, error) {
	if p.codec == format.Uncompressed {
		if len(packed) != size {
			return nil, fmt.Errorf("page of %d bytes claims %d: %w", len(packed), size, formats.ErrDamaged)
		}
		return packed, nil
	}
	if size < 0 {
		return nil, fmt.Errorf("read page header: negative size: %w", formats.ErrDamaged)
	}
	if err := p.room(0, size+rle.Padding); err != nil {
		return nil, err
	}
	p.data = grown(p.data, size+rle.Padding)[:size]
	if size == 0 {
		return p.data, nil // not even an empty stream needs to be there
	}
	return p.data, codec.Unpack(p.codec, p.data, packed)
}

func (p *pages) dictionaryPage() (*page, error) {
	header := p.header.DictionaryPageHeader
	if !header.Valid || header.V.NumValues < 0 {
		return nil, fmt.Errorf("read dictionary page header: %w", formats.ErrDamaged)
	}
	if e := header.V.Encoding; e != format.Plain && e != format.PlainDictionary {
		return nil, fmt.Errorf("read dictionary page: encoding %s: %w", e, formats.ErrUnsupported)
	}
	data, err := p.unpack(p.packed, int(p.header.UncompressedPageSize))
	p.current = page{dictionary: true, values: int(header.V.NumValues), encoding: format.Plain, data: data}
	return &p.current, err
}

// count takes the values of a data page off those that the chunk promised.
func (p *pages) count(values int32) error {
	if values < 0 || int64(values) > p.left {
		return fmt.Errorf("page of %d values, %d left in the column chunk: %w", values, p.left, formats.ErrDamaged)
	}
	p.left -= int64(values)
	return nil
}

func (p *pages) dataPageV1() (*page, error) {
	header := p.header.DataPageHeader
	if !header.Valid {
		return nil, fmt.Errorf("read data page header: %w", formats.ErrDamaged)
	}
	if err := p.count(header.V.NumValues); err != nil {
		return nil, err
	}
	data, err := p.unpack(p.packed, int(p.header.UncompressedPageSize))
	if err != nil {
		return nil, err
	}
	p.current = page{values: int(header.V.NumValues), encoding: header.V.Encoding, data: data}
	p.current.repetition, err = p.cutLevels(p.leaf.Repetition, header.V.RepetitionLevelEncoding)
	if err == nil {
		p.current.definition, err = p.cutLevels(p.leaf.Definition, header.V.DefinitionLevelEncoding)
	}
	return &p.current, err
}

// cutLevels takes the levels of a version 1 page off the front of its data.
func (p *pages) cutLevels(highest int, encoding format.Encoding) ([]byte, error) {
	if highest == 0 {
		return nil, nil
	}
	data := p.current.data
	if encoding == format.BitPacked {
		width := rle.Width(highest)
		size := (p.current.values*width + 7) / 8
		if size > len(data) {
			return nil, fmt.Errorf("read levels: page ends early: %w", formats.ErrDamaged)
		}
		p.current.data = data[size:]
		return rle.FromBitPacked(data[:size], p.current.values, width), nil
	}
	if encoding != format.RLE {
		return nil, fmt.Errorf("read levels: encoding %s: %w", encoding, formats.ErrUnsupported)
	}
	levels, rest, err := rle.Cut(data)
	p.current.data = rest
	return levels, err
}

func (p *pages) dataPageV2() (*page, error) {
	header := p.header.DataPageHeaderV2
	if !header.Valid {
		return nil, fmt.Errorf("read data page header: %w", formats.ErrDamaged)
	}
	h := header.V
	if err := p.count(h.NumValues); err != nil {
		return nil, err
	}
	reps, defs := int64(h.RepetitionLevelsByteLength), int64(h.DefinitionLevelsByteLength)
	if reps < 0 || defs < 0 || reps+defs > int64(len(p.packed)) {
		return nil, fmt.Errorf("read levels: page ends early: %w", formats.ErrDamaged)
	}
	p.current = page{values: int(h.NumValues), encoding: h.Encoding}
	// A column without levels may have some all the same: they are skipped.
	if p.leaf.Repetition > 0 {
		p.current.repetition = p.packed[:reps]
	}
	if p.leaf.Definition > 0 {
		p.current.definition = p.packed[reps : reps+defs]
	}
	packed := p.packed[reps+defs:]
	if h.IsCompressed.Valid && !h.IsCompressed.V && !p.alwaysCompressed {
		p.current.data = packed
		return &p.current, nil
	}
	data, err := p.unpack(packed, int(int64(p.header.UncompressedPageSize)-reps-defs))
	p.current.data = data
	return &p.current, err
}
