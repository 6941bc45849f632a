package writer

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/plain"
)

// copiedChunk is a column whose pages are copied from another file, each under a header of
// our own.
//
// Statistics of the source are not repeated: nothing here could tell whether they are true,
// exact or truncated, a wrong one hides rows from readers, and one that is wider than the
// values may tell of rows that were filtered out. Bounds are those of the dictionary where
// every value is in it, and nulls are counted where somebody had to count them anyway.
type copiedChunk struct {
	leaves []leafElement
	typ    formats.Type
	number int // of rows
	chunks []formats.RawChunk
	bounds []bounds // of the values of every chunk whose dictionary has them all
}

// newCopiedChunk makes a column a copy of chunks. What it needs of their dictionaries it takes
// at once: those of all columns together may be large.
func newCopiedChunk(column Column, rows int64, chunks []formats.RawChunk) *copiedChunk {
	c := &copiedChunk{
		leaves: leavesOf(column.elements()), typ: column.Field.Type, number: int(rows),
		chunks: slices.Clone(chunks), bounds: make([]bounds, len(chunks)),
	}
	for i := range c.chunks {
		if values := c.chunks[i].Dictionary; values != nil {
			c.bounds[i].add(values)
			c.chunks[i].Dictionary = nil
		}
	}
	return c
}

// check refuses chunks that are not of the column or not of so many rows.
func (c *copiedChunk) check() error {
	if len(c.chunks) != len(c.leaves) {
		return fmt.Errorf("%w: %d chunks for %d leaves", formats.ErrSchema, len(c.chunks), len(c.leaves))
	}
	for i, leaf := range c.leaves {
		if entries := c.chunks[i].Entries; entries < int64(c.number) || leaf.repetition == 0 && entries != int64(c.number) {
			return fmt.Errorf("%w: %d entries for %d rows", formats.ErrDamaged, entries, c.number)
		}
	}
	return nil
}

func (c *copiedChunk) append(*formats.Column, int, int) error {
	return fmt.Errorf("%w: rows for a column that is copied", formats.ErrSchema)
}

func (c *copiedChunk) rows() int { return c.number }

// pageDescription is what holding the description of a page takes, with its header.
const pageDescription = 256

func (c *copiedChunk) held() int {
	pages := 0
	for i := range c.chunks {
		pages += len(c.chunks[i].Pages)
	}
	return pages * pageDescription
}

func (c *copiedChunk) reset() {}

func (c *copiedChunk) encode(p *pageWriter) ([]chunkMeta, error) {
	var entries []chunkMeta
	for i := range c.chunks {
		entry, err := c.encodeLeaf(p, i)
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry)
	}
	return entries, nil
}

func (c *copiedChunk) encodeLeaf(p *pageWriter, i int) (entry chunkMeta, err error) {
	leaf, chunk := c.leaves[i], &c.chunks[i]
	p.begin(leaf)
	p.chunk.Codec = format.CompressionCodec(chunk.Codec)
	for j := range chunk.Pages {
		page, err := p.copied(&chunk.Pages[j], leaf.definition == 0)
		if err != nil {
			return entry, err
		}
		p.place(page)
	}
	if !c.bounds[i].any {
		return p.end(nil, nil), nil
	}
	form, err := plain.FormOf(c.typ, leaf.element)
	if err != nil {
		return entry, err
	}
	return p.end(c.bounds[i].extremes(form, leaf.element)), nil
}

// copied makes a header for a page that is copied.
func (p *pageWriter) copied(raw *formats.RawPage, required bool) (storedPage, error) {
	page := storedPage{
		kind: format.PageType(raw.Type), encoding: format.Encoding(raw.Encoding), entries: int(raw.Entries), nulls: int(raw.Nulls),
		copied: segment{offset: raw.Offset, size: int64(raw.Stored)},
	}
	if required {
		page.nulls = 0
	}
	h := copiedHeader(raw, page.nulls)
	h.UncompressedPageSize, h.CompressedPageSize, h.CRC = raw.Unpacked, raw.Stored, int32(raw.CRC)
	var header bytes.Buffer
	err := h.encode(&header)
	page.bytes, page.unpacked = header.Bytes(), header.Len()+int(raw.Unpacked)
	return page, err
}

func copiedHeader(raw *formats.RawPage, nulls int) pageHeader {
	switch format.PageType(raw.Type) {
	case format.DictionaryPage:
		return dictionaryHeader(int(raw.Entries))
	case format.DataPageV2:
		return pageHeader{Type: format.DataPageV2, DataPageHeaderV2: thrift.New(dataPageHeaderV2{
			NumValues: raw.Entries, NumNulls: int32(nulls), NumRows: raw.Rows, Encoding: format.Encoding(raw.Encoding),
			DefinitionLevelsByteLength: raw.DefinitionLevels, RepetitionLevelsByteLength: raw.RepetitionLevels,
			IsCompressed: raw.Compressed,
		})}
	}
	return dataHeader(int(raw.Entries), nulls, format.Encoding(raw.Encoding))
}
