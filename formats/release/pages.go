package release

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"slices"

	"github.com/kcut/kcut/formats"
)

// pages walks the pages of all columns of a row group as bytes: they must be what their
// checksums say, and together what the footer says of the chunk. Data pages are not decoded,
// and no more than a buffer of them is in memory.
func (s *leakScan) pages(ctx context.Context, g int) error {
	buffer := bufio.NewReaderSize(nil, bufferSize)
	for leaf := range s.release.footer.RowGroups[g].Columns {
		if err := ctx.Err(); err != nil {
			return err
		}
		name := s.release.footer.Schema.Column(leaf).Path()
		if err := s.leaf(g, leaf, name, buffer); err != nil {
			return fmt.Errorf("scan column %s of row group %d of %s: %w", name, g, s.release.path, err)
		}
	}
	return nil
}

func (s *leakScan) leaf(g, leaf int, name string, buffer *bufio.Reader) error {
	t, err := s.release.tally(g, leaf, buffer)
	if err != nil {
		return err
	}
	if t.rest > 0 {
		s.find(name, g, fmt.Sprintf("%d bytes after the last page", t.rest))
	}
	if t.unchecked > 0 {
		s.find(name, g, fmt.Sprintf("%d pages without a checksum", t.unchecked))
	}
	if t.foreign > 0 {
		s.find(name, g, fmt.Sprintf("%d page headers that kcut does not write", t.foreign))
	}
	if t.dictionaries == 0 || s.masked[name] != nil { // that of a masked column is read with its pages
		return nil
	}
	spare, err := s.release.measureDictionary(g, leaf, buffer)
	if spare > 0 {
		s.find(name, g, fmt.Sprintf("%d bytes after the values of a page", spare))
	}
	return err
}

// tally is the sum of the pages of a column chunk.
type tally struct {
	entries, nulls, uncompressed int64            // of the data pages; of the data pages; headers too
	data                         int64            // position in the file of the first data page
	rest                         int64            // bytes after the last page
	kinds                        map[pageKind]int // number of pages
	dictionaries                 int              // dictionary pages
	unchecked                    int              // pages without a checksum
	foreign                      int              // pages with a checksum, under a header that kcut does not write
}

// pageKind is what the footer counts pages by.
type pageKind struct{ page, encoding int64 }

// tally walks the pages of a chunk, with a buffer for it, until it has met all entries:
// further than that no reader goes.
func (r *File) tally(rowGroup, leaf int, buffer *bufio.Reader) (*tally, error) {
	section, err := r.section(rowGroup, leaf)
	if err != nil {
		return nil, err
	}
	buffer.Reset(section)
	from, size := r.extent(rowGroup, leaf)
	t := &tally{kinds: make(map[pageKind]int)}
	at, entries := int64(0), r.footer.RowGroups[rowGroup].Columns[leaf].MetaData.NumValues
	for at < size && t.entries < entries {
		h, err := readHeader(buffer)
		if err != nil {
			return nil, err
		}
		if h.compressed > size-at-h.size {
			return nil, fmt.Errorf("%w: a page ends after its column chunk", formats.ErrDamaged)
		}
		if err := h.check(buffer); err != nil {
			return nil, err
		}
		t.add(h, from+at)
		at += h.size + h.compressed
	}
	t.rest = size - at
	return t, t.compare(r, rowGroup, leaf)
}

// check reads a page and holds it against its checksum.
func (h *pageHeader) check(page *bufio.Reader) error {
	crc := uint32(0)
	for left := int(h.compressed); left > 0; {
		part, err := page.Peek(min(left, page.Size()))
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("%w: a page ends after the file", formats.ErrDamaged)
		}
		if err != nil {
			return err
		}
		crc = crc32.Update(crc, crc32.IEEETable, part)
		page.Discard(len(part)) // peeked at: no error
		left -= len(part)
	}
	if h.checked && int32(crc) != int32(h.crc) {
		return fmt.Errorf("%w: a page is not what its checksum says", formats.ErrDamaged)
	}
	return nil
}

// add counts a page whose header is at a position in the file.
func (t *tally) add(h *pageHeader, at int64) {
	t.kinds[pageKind{h.kind, h.encoding}]++
	t.uncompressed += h.size + h.uncompressed
	if h.kind == dictionaryPage {
		t.dictionaries++
	} else {
		t.entries += h.entries
		t.nulls += h.nulls
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
func (t *tally) compare(r *File, rowGroup, leaf int) error {
	m, column := r.footer.RowGroups[rowGroup].Columns[leaf].MetaData, r.footer.Schema.Column(leaf)
	rows := t.entries
	if column.MaxRepetitionLevel() == 0 {
		rows = r.RowGroupRows(rowGroup)
	}
	nulls, kinds := t.nulls, t.kinds
	if t.unchecked+t.foreign == 0 { // else they are optional
		nulls, kinds = r.nullsOf(rowGroup, leaf), r.kindsOf(rowGroup, leaf)
	}
	for _, c := range []struct {
		what string
		ok   bool
	}{
		{"column", slices.Equal(m.PathInSchema, column.ColumnPath())},
		{"type", int(m.Type) == int(column.PhysicalType())},
		{"rows", t.entries == rows},
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

// kindsOf returns how many pages of every kind the footer counts in a chunk.
func (r *File) kindsOf(rowGroup, leaf int) map[pageKind]int {
	kinds := make(map[pageKind]int)
	for _, s := range r.footer.RowGroups[rowGroup].Columns[leaf].MetaData.EncodingStats {
		kinds[pageKind{int64(s.PageType), int64(s.Encoding)}] += int(s.Count)
	}
	return kinds
}

// nullsOf returns how many nulls the footer counts in a chunk.
func (r *File) nullsOf(rowGroup, leaf int) int64 {
	if s := r.footer.RowGroups[rowGroup].Columns[leaf].MetaData.Statistics; s != nil {
		return s.GetNullCount()
	}
	return 0
}
