package writer

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/plain"
	"github.com/kcut/kcut/formats/internal/rle"
	"github.com/kcut/kcut/formats/internal/schema"
)

// plainChunk collects a column chunk as Parquet sees it: levels, and the PLAIN bytes of
// the defined entries, a boolean in a byte of its own. Pages that are full are encoded at
// once.
type plainChunk struct {
	leaf schema.Leaf
	size int // bytes of a value; 0: a length of 4 bytes comes first
	encodedPages

	entries    int    // number of entries that are in no page yet, nulls too
	repetition []byte // one per entry, when the leaf can repeat
	definition []byte // one per entry, when the leaf can be null
	plain      []byte
}

func newPlainChunk(leaf schema.Leaf, p *PageEncoders) *plainChunk {
	return &plainChunk{leaf: leaf, size: plain.SizeOf(leaf.SchemaElement), encodedPages: encodedPages{encoders: p}}
}

func (c *plainChunk) reset() {
	c.encodedPages.reset()
	c.entries = 0
	c.repetition, c.definition, c.plain = c.repetition[:0], c.definition[:0], c.plain[:0]
}

func (c *plainChunk) held() int {
	return int(c.stored) + cap(c.repetition) + cap(c.definition) + cap(c.plain)
}

// rows counts the rows collected so far.
func (c *plainChunk) rows() int {
	if len(c.repetition) == 0 {
		return c.full + c.entries
	}
	n := c.full
	for _, level := range c.repetition {
		if level == 0 {
			n++
		}
	}
	return n
}

// flush encodes the pages that are full, which only the row behind them shows.
func (c *plainChunk) flush() error {
	if c.entries <= pageRows && len(c.plain) < pageBytes {
		return nil
	}
	entry, offset := 0, 0
	for {
		page := c.page(entry, offset)
		if entry+page.entries == c.entries {
			break
		}
		if err := c.store(page, entry, offset); err != nil {
			return err
		}
		entry += page.entries
		offset += page.bytes
	}
	c.drop(entry, offset)
	return nil
}

// store encodes a page that starts at an entry and an offset into plain.
func (c *plainChunk) store(page plainPage, entry, offset int) error {
	return c.add(page.rows, func(e *pageEncoder) (storedPage, error) {
		e.body = rle.AppendLevels(e.body[:0], part(c.repetition, entry, page.entries), c.leaf.Repetition)
		e.body = rle.AppendLevels(e.body, part(c.definition, entry, page.entries), c.leaf.Definition)
		e.body = c.appendValues(e.body, c.plain[offset:offset+page.bytes])
		return e.dataPage(page.entries, page.entries-page.defined, format.Plain)
	})
}

// drop forgets the first entries and their bytes.
func (c *plainChunk) drop(entries, bytes int) {
	c.entries -= entries
	c.plain = append(c.plain[:0], c.plain[bytes:]...)
	if len(c.repetition) > 0 {
		c.repetition = append(c.repetition[:0], c.repetition[entries:]...)
	}
	if len(c.definition) > 0 {
		c.definition = append(c.definition[:0], c.definition[entries:]...)
	}
}

// encodePages writes the chunk as PLAIN pages, each starting at a row.
func (c *plainChunk) encodePages(p *pageWriter) error {
	if err := c.flush(); err != nil {
		return err
	}
	if c.entries > 0 {
		if err := c.store(c.page(0, 0), 0, 0); err != nil {
			return err
		}
	}
	p.place(c.done...)
	return nil
}

// part returns n of the levels, or none when there are none.
func part(levels []byte, from, n int) []byte {
	if len(levels) == 0 {
		return nil
	}
	return levels[from : from+n]
}

// plainPage is the extent of a page.
type plainPage struct{ rows, entries, defined, bytes int }

// page returns the extent of the page that starts at an entry and an offset into plain.
func (c *plainChunk) page(entry, offset int) plainPage {
	var p plainPage
	for ; entry < c.entries; entry++ {
		if len(c.repetition) == 0 || c.repetition[entry] == 0 {
			if p.rows == pageRows || p.bytes >= pageBytes {
				break
			}
			p.rows++
		}
		p.entries++
		if len(c.definition) > 0 && int(c.definition[entry]) < c.leaf.Definition {
			continue
		}
		p.defined++
		if c.size > 0 {
			p.bytes += c.size
		} else {
			p.bytes += 4 + int(binary.LittleEndian.Uint32(c.plain[offset+p.bytes:]))
		}
	}
	return p
}

// appendValues appends PLAIN bytes as a page holds them: booleans eight to a byte.
func (c *plainChunk) appendValues(dst, plain []byte) []byte {
	if c.leaf.Type.V != format.Boolean {
		return append(dst, plain...)
	}
	for i, b := range plain {
		if i%8 == 0 {
			dst = append(dst, 0)
		}
		dst[len(dst)-1] |= b << (i % 8)
	}
	return dst
}

// appendLeaf appends the entries of rows from to to−1.
func (c *plainChunk) appendLeaf(l *formats.Leaf, from, to int) error {
	repetition, err := levelsOf(l.Repetition, l.Entries, c.leaf.Repetition, 0)
	if err != nil {
		return err
	}
	definition, err := levelsOf(l.Definition, l.Entries, c.leaf.Definition, byte(c.leaf.Definition))
	if err != nil {
		return err
	}
	first, last, err := entriesOf(l, from, to)
	if err != nil {
		return err
	}
	before, inside := first, last-first
	if c.leaf.Definition > 0 {
		highest := []byte{byte(c.leaf.Definition)}
		before, inside = bytes.Count(definition[:first], highest), bytes.Count(definition[first:last], highest)
	}
	if before+inside > l.Values.Len() {
		return fmt.Errorf("%w: %d defined entries, %d values", formats.ErrDamaged, before+inside, l.Values.Len())
	}
	c.entries += last - first
	c.repetition = append(c.repetition, part(repetition, first, last-first)...)
	c.definition = append(c.definition, part(definition, first, last-first)...)
	for i := range inside {
		if c.plain, err = plain.AppendRaw(c.plain, l.Values.Bytes(before+i), c.size); err != nil {
			return err
		}
	}
	return c.flush()
}

// levelsOf returns the levels of so many entries, which the schema must allow: those given, or all
// the same when there are none, or none when only level 0 is possible.
func levelsOf(levels []byte, entries, highest int, same byte) ([]byte, error) {
	switch {
	case levels == nil && highest > 0:
		return bytes.Repeat([]byte{same}, entries), nil
	case levels != nil && len(levels) != entries:
		return nil, fmt.Errorf("%w: %d entries, %d levels", formats.ErrDamaged, entries, len(levels))
	case len(levels) > 0 && int(slices.Max(levels)) > highest:
		return nil, fmt.Errorf("%w: level above %d", formats.ErrDamaged, highest)
	case highest == 0:
		return nil, nil
	}
	return levels, nil
}

// entriesOf returns the range of entries of a leaf that make up rows from to to−1.
func entriesOf(l *formats.Leaf, from, to int) (first, last int, err error) {
	if l.Repetition == nil {
		if to > l.Entries {
			return 0, 0, fmt.Errorf("%w: %d entries, %d rows", formats.ErrDamaged, l.Entries, to)
		}
		return from, to, nil
	}
	row, first := -1, -1
	for i, level := range l.Repetition {
		if level != 0 {
			continue
		}
		if row++; row == from {
			first = i
		}
		if row == to {
			return first, i, nil
		}
	}
	if row+1 != to {
		return 0, 0, fmt.Errorf("%w: %d rows of entries, %d rows", formats.ErrDamaged, row+1, to)
	}
	if from == to {
		first = len(l.Repetition)
	}
	return first, len(l.Repetition), nil
}
