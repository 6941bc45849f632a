package release

import (
	"bufio"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/codec"
	"github.com/kcut/kcut/formats/internal/meta"
	"github.com/kcut/kcut/formats/internal/rle"
	"github.com/kcut/kcut/formats/internal/schema"
)

// pages walks the pages of a column chunk as bytes, until it has met all entries: further
// than that no reader goes. They must be what their checksums say, and together what the
// footer says of the chunk.
type pages struct {
	group *rowGroup
	leaf  *schema.Leaf
	chunk *meta.Column

	in       *bufio.Reader
	headers  *meta.Walker
	stored   []byte // the last page that was loaded
	unpacked []byte // the last page that was unpacked

	extent // of the chunk, from the next page on
	tally
}

// open goes to the first page of a chunk. What an earlier chunk needed is used again.
func (p *pages) open(g *rowGroup, leaf int) error {
	if p.in == nil {
		p.in = bufio.NewReaderSize(nil, g.file.bufferSize())
		p.headers = meta.NewWalker(p.in, maxHeader)
	}
	p.group, p.leaf, p.chunk, p.extent = g, g.leaf(leaf), g.chunk(leaf), g.extent(leaf)
	if p.from < 0 || p.to < p.from || p.to > g.file.size {
		return fmt.Errorf("%w: column chunk lies outside the file", formats.ErrDamaged)
	}
	p.in.Reset(io.NewSectionReader(g.file.file, p.from, p.to-p.from))
	p.tally = tally{kinds: p.kinds[:0]}
	return nil
}

// next reads the header of the next page; nil after the last. The page itself has to be
// loaded or passed before the next one.
func (p *pages) next() (*pageHeader, error) {
	if p.from >= p.to || p.entries >= p.chunk.NumValues {
		return nil, p.compare()
	}
	h, err := readHeader(p.headers)
	if err != nil {
		return nil, err
	}
	if int64(h.Compressed) > p.to-p.from-h.size {
		return nil, fmt.Errorf("%w: a page ends after its column chunk", formats.ErrDamaged)
	}
	if h.Type == format.DictionaryPage && (p.dictionaries > 0 || p.entries > 0) {
		return nil, fmt.Errorf("%w: the dictionary page is not the first", formats.ErrDamaged)
	}
	p.add(h, p.from)
	p.from += h.size + int64(h.Compressed)
	return h, nil
}

// load reads a page and holds it against its checksum. It is valid until the next one.
func (p *pages) load(h *pageHeader) ([]byte, error) {
	p.stored = slices.Grow(p.stored[:0], int(h.Compressed)+rle.Padding)[:h.Compressed]
	if _, err := io.ReadFull(p.in, p.stored); err != nil {
		return nil, endOfFile(err)
	}
	return p.stored, h.check(crc32.ChecksumIEEE(p.stored))
}

// unpack returns the page of so many bytes that was stored as packed. It is valid until the
// next one.
func (p *pages) unpack(packed []byte, size int64) ([]byte, error) {
	if p.chunk.Codec == format.Uncompressed || size == 0 && len(packed) == 0 { // codecs differ in what they make of nothing
		if int64(len(packed)) != size {
			return nil, errSize
		}
		return packed, nil
	}
	if size > p.chunk.TotalUncompressedSize {
		return nil, fmt.Errorf("%w: a page is larger than its column chunk", formats.ErrDamaged)
	}
	p.unpacked = slices.Grow(p.unpacked[:0], int(size)+rle.Padding)[:size]
	return p.unpacked, codec.Unpack(p.chunk.Codec, p.unpacked, packed)
}

var errSize = fmt.Errorf("%w: a page has another size than its header says", formats.ErrDamaged)

// pass holds a page against its checksum, with no more than a buffer of it in memory.
func (p *pages) pass(h *pageHeader) error {
	crc := uint32(0)
	for left := int(h.Compressed); left > 0; {
		part, err := p.in.Peek(min(left, p.in.Size()))
		if err != nil {
			return endOfFile(err)
		}
		crc = crc32.Update(crc, crc32.IEEETable, part)
		p.in.Discard(len(part)) // peeked at: no error
		left -= len(part)
	}
	return h.check(crc)
}

func endOfFile(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: it ends too early", formats.ErrDamaged)
	}
	return err
}

// tally is the sum of the pages of a column chunk.
type tally struct {
	entries, nulls, rows, uncompressed int64                      // of the data pages, and the last of headers and dictionary too
	data                               int64                      // position in the file of the first data page
	kinds                              []format.PageEncodingStats // number of pages
	dictionaries                       int                        // dictionary pages
	unchecked                          int                        // pages without a checksum
	foreign                            int                        // pages with a checksum, under a header that kcut does not write
	uncounted                          int                        // data pages that do not say how many nulls they have
}

// add counts a page whose header is at a position in the file.
func (t *tally) add(h *pageHeader, at int64) {
	t.kinds = count(t.kinds, format.PageEncodingStats{PageType: h.Type, Encoding: h.encoding, Count: 1})
	t.uncompressed += h.size + int64(h.Uncompressed)
	if h.Type == format.DictionaryPage {
		t.dictionaries++
	} else {
		t.entries += int64(h.entries)
		t.nulls += h.nulls
		t.rows += h.rows
		if !h.counted {
			t.uncounted++
		}
		if t.data == 0 {
			t.data = at
		}
	}
	switch {
	case !h.CRC.Valid:
		t.unchecked++
	case h.foreign, h.entries == 0: // an empty page is read by nobody, and may hold anything
		t.foreign++
	}
}

// count adds pages of one kind to those of its kind.
func count(kinds []format.PageEncodingStats, more format.PageEncodingStats) []format.PageEncodingStats {
	for i := range kinds {
		if kinds[i].PageType == more.PageType && kinds[i].Encoding == more.Encoding {
			kinds[i].Count += more.Count
			return kinds
		}
	}
	return append(kinds, more)
}

// compare holds the pages and the schema against what the footer says of their chunk.
func (p *pages) compare() error {
	m := p.chunk
	entries, rows, nulls, kinds := p.entries, p.rows, p.nulls, p.kinds
	if p.leaf.Repetition == 0 {
		entries = p.group.NumRows
	}
	if p.rows > 0 && !slices.ContainsFunc(p.kinds, func(k format.PageEncodingStats) bool { return k.PageType == format.DataPage }) {
		rows = p.group.NumRows
	}
	if p.unchecked+p.foreign == 0 { // else they are optional
		kinds = m.EncodingStats
		if p.uncounted == 0 {
			nulls = m.Statistics.V.NullCount.V
		}
	}
	for _, c := range []struct {
		what string
		ok   bool
	}{
		{"column", slices.Equal(m.PathInSchema, p.leaf.Path)},
		{"type", m.Type == p.leaf.Type.V},
		{"rows", p.entries == entries && p.rows == rows},
		{"entries", p.entries == m.NumValues},
		{"nulls", p.nulls == nulls},
		{"bytes before compression", p.uncompressed == m.TotalUncompressedSize},
		{"kinds of pages", slices.Equal(p.kinds, kinds)},
		{"place of the first data page", p.data == m.DataPageOffset},
	} {
		if !c.ok {
			return fmt.Errorf("%w: its footer entry contradicts it: %s", formats.ErrDamaged, c.what)
		}
	}
	return nil
}

// report says in words what is in the chunk that a release does not have, and adds what its
// reader has counted.
func (p *pages) report(more ...counted) []string {
	var words []string
	for _, c := range append([]counted{
		{int(p.to - p.from), "bytes after the last page"},
		{p.unchecked, "pages without a checksum"},
		{p.foreign, "page headers that kcut does not write"},
	}, more...) {
		if c.n > 0 {
			words = append(words, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return words
}

// counted is a number of things that are wrong.
type counted struct {
	n    int
	what string
}
