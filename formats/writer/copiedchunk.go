package writer

import (
	"fmt"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/plain"
	"github.com/kcut/kcut/formats/internal/schema"
)

// copiedChunk is a column whose pages are copied from another file, each under a header of
// our own.
//
// Statistics of the source are not repeated: nothing here could tell whether they are true,
// exact or truncated, a wrong one hides rows from readers, and one that is wider than the
// values may tell of rows that were filtered out. Bounds are those of the dictionary where
// every value is in it, and nulls are counted where somebody had to count them anyway.
type copiedChunk struct {
	number int // of rows
	leaves []copiedLeaf
}

type copiedLeaf struct {
	schema.Leaf
	formats.RawChunk
	low, high []byte // of the values, if the dictionary has them all
}

// newCopiedChunk makes a column a copy of chunks. What it needs of their dictionaries it takes
// at once: those of all columns together may be large.
func newCopiedChunk(column Column, rows int, chunks []formats.RawChunk) (*copiedChunk, error) {
	leaves, err := column.elements().Leaves()
	if err != nil {
		return nil, err
	}
	if len(chunks) != len(leaves) {
		return nil, fmt.Errorf("%w: %d chunks for %d leaves", formats.ErrSchema, len(chunks), len(leaves))
	}
	c := &copiedChunk{number: rows}
	for i, leaf := range leaves {
		if entries := chunks[i].Entries; entries < int64(rows) || leaf.Repetition == 0 && entries != int64(rows) {
			return nil, fmt.Errorf("%w: %d entries for %d rows", formats.ErrDamaged, entries, rows)
		}
		l := copiedLeaf{Leaf: leaf, RawChunk: chunks[i]}
		if l.Dictionary != nil {
			form, err := plain.FormOf(column.Field.Type, *leaf.SchemaElement)
			if err != nil {
				return nil, err
			}
			var b bounds
			b.add(l.Dictionary)
			l.low, l.high = b.extremes(form, leaf.SchemaElement)
			l.Dictionary = nil
		}
		c.leaves = append(c.leaves, l)
	}
	return c, nil
}

func (c *copiedChunk) append(*formats.Column, int, int) error {
	return fmt.Errorf("%w: rows for a column that is copied", formats.ErrSchema)
}

func (c *copiedChunk) rows() int { return c.number }

// pageDescription is what holding the description of a page takes, with its header.
const pageDescription = 256

func (c *copiedChunk) held() (bytes int) {
	for i := range c.leaves {
		bytes += pageDescription * len(c.leaves[i].Pages)
	}
	return bytes
}

func (c *copiedChunk) reset() {}

func (c *copiedChunk) encode(p *pageWriter) error {
	for i := range c.leaves {
		l := &c.leaves[i]
		p.begin(l.Leaf)
		p.chunk.Codec = format.CompressionCodec(l.RawChunk.Codec)
		for j := range l.Pages {
			if err := p.copy(&l.Pages[j], l.Definition == 0); err != nil {
				return err
			}
		}
		p.end(l.low, l.high)
	}
	return nil
}
