package release

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/codec"
	"github.com/kcut/kcut/formats/internal/meta"
	"github.com/kcut/kcut/formats/internal/page"
	"github.com/kcut/kcut/formats/internal/schema"
)

// pages walks the pages of a column chunk as bytes, until it has seen all entries, where every
// reader stops. The pages must match their checksums, and together the footer's metadata of the
// chunk.
type pages struct {
	page.Reader
	group *rowGroup
	leaf  *schema.Leaf
	chunk *meta.Column
	own   bool // kcut writes headers of the last one's form
	tally
}

// open moves to the first page of a chunk. It reuses the memory of an earlier one.
func (p *pages) open(g *rowGroup, leaf int) error {
	p.group, p.leaf, p.chunk = g, g.leaf(leaf), g.Chunk(leaf)
	chunk := g.Chunk(leaf).Extent()
	if chunk.From < 0 || chunk.To < chunk.From || chunk.To > g.file.size {
		return fmt.Errorf("%w: column chunk lies outside the file", formats.ErrDamaged)
	}
	p.Codec, p.Leaf, p.Hold = p.chunk.Codec, p.leaf, holdPage
	p.Open(g.file.file, chunk.From, chunk.To, g.file.bufferSize())
	p.tally = tally{kinds: p.kinds[:0]}
	return nil
}

// mostPage is the largest memory of a page, packed, unpacked and decoded: few bytes may claim very
// many values.
const mostPage = 3 * codec.MaxPageBytes

func holdPage(bytes int64) error {
	if bytes > mostPage {
		return fmt.Errorf("page that takes %d bytes: %w", bytes, formats.ErrUnsupported)
	}
	return nil
}

// next reads the header of the next page; nil after the last. The page itself must be loaded before
// the next one.
func (p *pages) next() (*page.Header, error) {
	if p.Left() == 0 || p.entries >= p.chunk.NumValues {
		return nil, p.compare()
	}
	h, err := p.Next()
	if err != nil {
		return nil, err
	}
	if h.Type == format.DictionaryPage && (p.dictionaries > 0 || p.entries > 0) {
		return nil, fmt.Errorf("%w: the dictionary page is not the first", formats.ErrDamaged)
	}
	again, err := meta.Encode(&h.PageHeader)
	p.own = bytes.Equal(again, h.Raw) && isOwn(h)
	p.add(h, p.own)
	return h, err
}

// dictionary reads the loaded dictionary page. Its values are valid until the next page.
func (p *pages) dictionary(h *page.Header) (page.Values, error) {
	values, err := p.DecodeDictionary(h)
	if err == nil && !p.Exact {
		p.inexact++
	}
	return values, err
}

// begin moves to the first entry of the loaded data page.
func (p *pages) begin(h *page.Header) error {
	if err := p.Begin(h); err != nil {
		return err
	}
	if !p.Exact {
		p.inexact++
	}
	if p.Indexed && p.dictionaries == 0 {
		return fmt.Errorf("indexes without a dictionary: %w", formats.ErrDamaged)
	}
	return nil
}

// isOwn reports whether a header has exactly the parts for its kind of page.
func isOwn(h *page.Header) bool {
	switch h.Type {
	case format.DataPage:
		return h.Data.Valid && !h.Dictionary.Valid && !h.DataV2.Valid &&
			isWritten(h) && h.Data.V.Definitions == format.RLE && h.Data.V.Repetitions == format.RLE
	case format.DictionaryPage:
		return !h.Data.Valid && h.Dictionary.Valid && !h.DataV2.Valid && h.Encoding == format.Plain
	}
	return false
}

// isWritten reports whether kcut writes data pages of an encoding.
func isWritten(h *page.Header) bool {
	return h.Encoding == format.Plain || h.Encoding == format.RLEDictionary
}

// tally is the sums over the pages of a column chunk.
type tally struct {
	// sums of the data pages' headers, the last one with headers and dictionary
	entries, nulls, uncompressed int64
	missing, begun               int64 // counted numbers of nulls and rows
	// position in the file of the first data page
	data         int64
	kinds        []format.PageEncodingStats // number of pages
	dictionaries int                        // dictionary pages
	unchecked    int                        // number of pages without a checksum
	// number of pages with a checksum whose header kcut would not write
	foreign int
	// number of data pages without their number of nulls
	uncounted int
	// number of pages whose packed bytes contain more than the page, or may do so
	inexact int
}

// add counts a page; own says whether kcut writes this form of its header.
func (t *tally) add(h *page.Header, own bool) {
	t.kinds = count(t.kinds, format.PageEncodingStats{
		PageType: h.Type,
		Encoding: h.Encoding,
		Count:    1,
	})
	t.uncompressed += int64(len(h.Raw)) + int64(h.Uncompressed)
	if h.Type == format.DictionaryPage {
		t.dictionaries++
	} else {
		nulls, counted := h.Data.V.Statistics.V.NullCount.Get()
		t.entries += int64(h.Entries)
		t.nulls += nulls
		if !counted {
			t.uncounted++
		}
		if t.data == 0 {
			t.data = h.Offset - int64(len(h.Raw))
		}
	}
	switch {
	case !h.CRC.Valid:
		t.unchecked++
	case !own, h.Entries == 0: // no reader reads an empty page, so it may contain anything
		t.foreign++
	}
}

// count adds pages of one kind to those of the same kind.
func count(kinds []format.PageEncodingStats,
	more format.PageEncodingStats) []format.PageEncodingStats {
	for i := range kinds {
		if kinds[i].PageType == more.PageType && kinds[i].Encoding == more.Encoding {
			kinds[i].Count += more.Count
			return kinds
		}
	}
	return append(kinds, more)
}

// compare compares the pages and the schema with the footer's metadata of their chunk.
func (p *pages) compare() error {
	m := p.chunk
	entries, nulls, kinds := p.entries, p.nulls, p.kinds
	if p.leaf.Repetition == 0 {
		entries = p.group.NumRows
	}
	if p.unchecked+p.foreign == 0 { // otherwise they are optional
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
		{"rows", p.entries == entries},
		{"entries", p.entries == m.NumValues},
		{"nulls", p.nulls == nulls},
		{"bytes before compression", p.uncompressed == m.TotalUncompressedSize},
		{"kinds of pages", slices.Equal(p.kinds, kinds)},
		{"dictionary", (m.DictionaryPageOffset > 0) == (p.dictionaries > 0)},
		{"place of the first data page", p.data == m.DataPageOffset},
	} {
		if !c.ok {
			return fmt.Errorf("%w: its footer entry contradicts it: %s", formats.ErrDamaged, c.what)
		}
	}
	return nil
}

// wrongStatistics counts the wrong statements of the footer about the chunk's values, whose
// extremes are given.
func (p *pages) wrongStatistics(v *valueReader) int {
	said := &p.chunk.Statistics.V
	wrong := v.wrong(said)
	if nulls, counted := said.NullCount.Get(); counted && nulls != p.missing {
		wrong++
	}
	return wrong
}

// report describes the content of the chunk that a release does not have, and adds the counts of
// its reader.
func (p *pages) report(more ...counted) []string {
	var words []string
	for _, c := range append([]counted{
		{int(p.Left()), "bytes after the last page"},
		{p.unchecked, "pages without a checksum"},
		{p.foreign, "page headers that kcut does not write"},
		{p.inexact, "pages packed as kcut does not write them"},
	}, more...) {
		if c.n > 0 {
			words = append(words, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return words
}

// counted is a number of errors of one kind.
type counted struct {
	n    int
	what string
}
