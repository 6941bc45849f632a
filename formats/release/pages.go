package release

import (
	"bufio"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"slices"

	"github.com/kcut/kcut/formats"
)

// pages walks the pages of a column chunk as bytes, until it has met all entries: further
// than that no reader goes. They must be what their checksums say, and together what the
// footer says of the chunk.
type pages struct {
	group *rowGroup
	leaf  int

	in      *bufio.Reader
	headers *headerReader
	codec
	stored []byte // the last page that was loaded

	from, size int64 // of the chunk
	at         int64 // in the chunk
	wanted     int64 // entries
	tally
}

// open goes to the first page of a chunk. What an earlier chunk needed is used again.
func (p *pages) open(g *rowGroup, leaf int) error {
	if p.in == nil {
		p.in, p.headers, p.kinds = bufio.NewReaderSize(nil, g.file.bufferSize()), newHeaderReader(), make(map[pageKind]int)
	}
	p.group, p.leaf = g, leaf
	chunk := g.extent(leaf)
	section, err := g.section(chunk)
	if err != nil {
		return err
	}
	p.in.Reset(section)
	p.from, p.size = chunk.from, chunk.to-chunk.from
	p.at, p.wanted = 0, g.RowGroups[0].Columns[leaf].MetaData.NumValues
	clear(p.kinds)
	p.tally = tally{kinds: p.kinds}
	return nil
}

// next reads the header of the next page; nil after the last. The page itself has to be
// loaded or passed before the next one.
func (p *pages) next() (*pageHeader, error) {
	if p.at >= p.size || p.entries >= p.wanted {
		p.rest = p.size - p.at
		return nil, p.compare(p.group, p.leaf)
	}
	h, err := p.headers.read(p.in)
	if err != nil {
		return nil, err
	}
	if h.compressed > p.size-p.at-h.size {
		return nil, fmt.Errorf("%w: a page ends after its column chunk", formats.ErrDamaged)
	}
	p.add(h, p.from+p.at)
	p.at += h.size + h.compressed
	return h, nil
}

// load reads a page and holds it against its checksum. It is valid until the next one.
func (p *pages) load(h *pageHeader) ([]byte, error) {
	p.stored = slices.Grow(p.stored[:0], int(h.compressed))[:h.compressed]
	if _, err := io.ReadFull(p.in, p.stored); err != nil {
		return nil, endOfFile(err)
	}
	return p.stored, h.check(crc32.ChecksumIEEE(p.stored))
}

// pass holds a page against its checksum, with no more than a buffer of it in memory.
func (p *pages) pass(h *pageHeader) error {
	crc := uint32(0)
	for left := int(h.compressed); left > 0; {
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
		return fmt.Errorf("%w: a page ends after the file", formats.ErrDamaged)
	}
	return err
}

// check compares the checksum of a page with the one in its header.
func (h *pageHeader) check(crc uint32) error {
	if h.checked && int32(crc) != int32(h.crc) {
		return fmt.Errorf("%w: a page is not what its checksum says", formats.ErrDamaged)
	}
	return nil
}

// tally is the sum of the pages of a column chunk.
type tally struct {
	entries, nulls, rows, uncompressed int64            // of the data pages, and the last of headers and dictionary too
	data                               int64            // position in the file of the first data page
	rest                               int64            // bytes after the last page
	kinds                              map[pageKind]int // number of pages
	dictionaries                       int              // dictionary pages
	unchecked                          int              // pages without a checksum
	foreign                            int              // pages with a checksum, under a header that kcut does not write
	uncounted                          int              // data pages that do not say how many nulls they have
}

// pageKind is what the footer counts pages by.
type pageKind struct{ page, encoding int64 }

// add counts a page whose header is at a position in the file.
func (t *tally) add(h *pageHeader, at int64) {
	t.kinds[pageKind{h.kind, h.encoding}]++
	t.uncompressed += h.size + h.uncompressed
	if h.kind == dictionaryPage {
		t.dictionaries++
	} else {
		t.entries += h.entries
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
	case !h.checked:
		t.unchecked++
	case h.foreign, h.entries == 0: // an empty page is read by nobody, and may hold anything
		t.foreign++
	}
}

// compare holds the pages and the schema against what the footer says of their chunk.
func (t *tally) compare(g *rowGroup, leaf int) error {
	m, column := g.RowGroups[0].Columns[leaf].MetaData, g.column(leaf)
	entries := t.entries
	if column.MaxRepetitionLevel() == 0 {
		entries = g.rows()
	}
	nulls, kinds := t.nulls, t.kinds
	if t.unchecked+t.foreign == 0 { // else they are optional
		kinds = g.kindsOf(leaf)
		if t.uncounted == 0 {
			nulls = g.nullsOf(leaf)
		}
	}
	rows := t.rows
	if rows > 0 && t.onlyV2() {
		rows = g.rows()
	}
	for _, c := range []struct {
		what string
		ok   bool
	}{
		{"column", slices.Equal(m.PathInSchema, column.ColumnPath())},
		{"type", int(m.Type) == int(column.PhysicalType())},
		{"rows", t.entries == entries && t.rows == rows},
		{"entries", t.entries == m.NumValues},
		{"nulls", t.nulls == nulls},
		{"bytes before compression", t.uncompressed == m.TotalUncompressedSize},
		{"kinds of pages", maps.Equal(t.kinds, kinds)},
		{"place of the first data page", t.data == m.DataPageOffset},
	} {
		if !c.ok {
			return fmt.Errorf("%w: its footer entry contradicts it: %s", formats.ErrDamaged, c.what)
		}
	}
	return nil
}

// onlyV2 reports whether all data pages count their rows.
func (t *tally) onlyV2() bool {
	for kind := range t.kinds {
		if kind.page == dataPage {
			return false
		}
	}
	return true
}

// report says in words what was counted that a release does not have.
func (t *tally) report() []string {
	return counted{
		{int(t.rest), "bytes after the last page"},
		{t.unchecked, "pages without a checksum"},
		{t.foreign, "page headers that kcut does not write"},
	}.words()
}

// counted is a number of things that are wrong, of several kinds.
type counted []struct {
	n    int
	what string
}

// words returns a text for every kind that there is.
func (c counted) words() []string {
	var words []string
	for _, one := range c {
		if one.n > 0 {
			words = append(words, fmt.Sprintf("%d %s", one.n, one.what))
		}
	}
	return words
}

// kindsOf returns how many pages of every kind the footer counts in a chunk.
func (g *rowGroup) kindsOf(leaf int) map[pageKind]int {
	kinds := make(map[pageKind]int)
	for _, s := range g.RowGroups[0].Columns[leaf].MetaData.EncodingStats {
		kinds[pageKind{int64(s.PageType), int64(s.Encoding)}] += int(s.Count)
	}
	return kinds
}

// nullsOf returns how many nulls the footer counts in a chunk.
func (g *rowGroup) nullsOf(leaf int) int64 {
	if s := g.RowGroups[0].Columns[leaf].MetaData.Statistics; s != nil {
		return s.GetNullCount()
	}
	return 0
}
