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
	"github.com/kcut/kcut/formats/internal/plain"
	"github.com/kcut/kcut/formats/internal/rle"
	"github.com/kcut/kcut/formats/internal/schema"
)

// pages walks the pages of a column chunk as bytes, until it has met all entries: further
// than that no reader goes. They must be what their checksums say, and together what the
// footer says of the chunk.
type pages struct {
	page.Reader
	group *rowGroup
	leaf  *schema.Leaf
	chunk *meta.Column
	tally
}

// open goes to the first page of a chunk. What an earlier chunk needed is used again.
func (p *pages) open(g *rowGroup, leaf int) error {
	p.group, p.leaf, p.chunk = g, g.leaf(leaf), g.chunk(leaf)
	chunk := g.extent(leaf)
	if chunk.From < 0 || chunk.To < chunk.From || chunk.To > g.file.size {
		return fmt.Errorf("%w: column chunk lies outside the file", formats.ErrDamaged)
	}
	p.Codec, p.Repetition, p.Definition = p.chunk.Codec, p.leaf.Repetition, p.leaf.Definition
	p.Open(g.file.file, chunk.From, chunk.To, g.file.bufferSize())
	p.tally = tally{kinds: p.kinds[:0]}
	return nil
}

// next reads the header of the next page; nil after the last. The page itself has to be
// loaded or passed before the next one.
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
	p.add(h, bytes.Equal(again, h.Raw) && isOwn(h))
	return h, err
}

// load reads a page and unpacks it. Both are valid until the next one.
func (p *pages) load(h *page.Header) (page.Page, error) {
	if _, err := p.Load(h); err != nil {
		return page.Page{}, err
	}
	return p.Unpack(h)
}

// isOwn reports whether a header has the parts that its kind of page asks for, and no other.
func isOwn(h *page.Header) bool {
	parts := [3]bool{h.Data.Valid, h.Dictionary.Valid, h.DataV2.Valid}
	switch h.Type {
	case format.DataPage:
		return parts == [3]bool{true} && h.Data.V.Definitions == format.RLE && h.Data.V.Repetitions == format.RLE
	case format.DictionaryPage:
		return parts == [3]bool{1: true}
	case format.DataPageV2:
		return parts == [3]bool{2: true}
	}
	return false
}

// kept walks the pages of a kept column's chunk, whatever their codec and encoding are, and
// returns what is wrong with them in words. Values are its reader's business and are not
// unpacked; what a checksum does not cover is held against the page: the number of values
// of a dictionary, and the lengths of levels that are not compressed.
func (p *pages) kept() (report []string, err error) {
	unpacks := codec.Known(p.chunk.Codec)
	spare := 0
	for {
		h, err := p.next()
		if err != nil {
			return nil, err
		}
		if h == nil {
			return p.report(counted{spare, "bytes after the values of a page"}), nil
		}
		switch {
		case h.Type == format.DictionaryPage && unpacks:
			spare, err = p.keepDictionary(h)
		case h.Type == format.DataPageV2:
			err = p.keepV2(h, unpacks)
		default:
			err = p.Pass(h)
		}
		if err != nil {
			return nil, err
		}
	}
}

// keepDictionary returns the number of bytes after the values of a dictionary.
func (p *pages) keepDictionary(h *page.Header) (spare int, err error) {
	dictionary, err := p.load(h)
	if err != nil {
		return 0, err
	}
	rest, err := plain.Skip(dictionary.Values, plain.SizeOf(p.leaf.SchemaElement), h.Entries)
	return len(rest), err
}

// keepV2 checks the levels of a page, and the values only when nothing else tells whether
// they are compressed.
func (p *pages) keepV2(h *page.Header, unpacks bool) error {
	if _, err := p.Load(h); err != nil {
		return err
	}
	stored, err := p.Split(h)
	if err != nil {
		return err
	}
	if err := checkLevels(stored.Repetition, p.leaf.Repetition, h.Entries); err != nil {
		return err
	}
	if err := checkLevels(stored.Definition, p.leaf.Definition, h.Entries); err != nil {
		return err
	}
	if h.IsPlain() && h.Compressed != h.Uncompressed {
		return fmt.Errorf("%w: a page has another size than its header says", formats.ErrDamaged)
	}
	if !h.IsPlain() && h.Compressed == h.Uncompressed && len(stored.Values) > 0 && unpacks {
		_, err = p.Unpack(h)
	}
	return err
}

// checkLevels reports an error unless the bytes are n levels of at most the highest.
func checkLevels(levels []byte, highest, n int) error {
	if highest == 0 {
		n = 0
	}
	used, err := rle.Length(levels, rle.Width(highest), n)
	if err == nil && used < len(levels) {
		err = fmt.Errorf("%w: bytes after the levels of a page", formats.ErrDamaged)
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

// add counts a page, whose header is of the form that kcut writes or not.
func (t *tally) add(h *page.Header, own bool) {
	t.kinds = count(t.kinds, format.PageEncodingStats{PageType: h.Type, Encoding: h.Encoding, Count: 1})
	t.uncompressed += int64(len(h.Raw)) + int64(h.Uncompressed)
	if h.Type == format.DictionaryPage {
		t.dictionaries++
	} else {
		nulls, counted := h.Data.V.Statistics.V.NullCount.Get()
		if h.Type == format.DataPageV2 {
			nulls, counted = int64(h.DataV2.V.NumNulls), true
		}
		t.entries += int64(h.Entries)
		t.nulls += nulls
		t.rows += int64(h.DataV2.V.NumRows)
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
	case !own, h.Entries == 0: // an empty page is read by nobody, and may hold anything
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
		{int(p.Left()), "bytes after the last page"},
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
