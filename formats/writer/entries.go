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
)

// entries are the entries of a chunk, in the terms of Parquet, that are in no page yet: levels, and
// the PLAIN bytes of defined entries, with a byte for each boolean.
type entries struct {
	size       int    // bytes of a value; 0: a length of 4 bytes comes first
	number     int    // number of entries, with nulls
	repetition []byte // one per entry, when the leaf can repeat
	definition []byte // one per entry, when the leaf can be null
	plain      []byte
}

func (e *entries) reset() {
	*e = entries{
		size:       e.size,
		repetition: e.repetition[:0],
		definition: e.definition[:0],
		plain:      e.plain[:0],
	}
}

// rows counts the rows that begin.
func (e *entries) rows() int {
	if len(e.repetition) == 0 {
		return e.number
	}
	return bytes.Count(e.repetition, []byte{0})
}

// encodeFull encodes the full pages, or all. Only the next row shows that a page is full.
func (c *chunk) encodeFull(all bool) error {
	if !all && c.number <= pageRows && len(c.plain) < pageBytes {
		return nil
	}
	entry, offset := 0, 0
	for entry < c.number {
		page := c.page(entry, offset)
		if !all && entry+page.entries == c.number {
			break
		}
		err := c.addPage(page.rows, func(e *pageEncoder) (storedPage, error) {
			e.body = rle.AppendLevels(e.body[:0], part(c.repetition, entry, page.entries),
				c.leaf.Repetition)
			e.body = rle.AppendLevels(e.body, part(c.definition, entry, page.entries),
				c.leaf.Definition)
			e.body = c.appendValues(e.body, c.plain[offset:offset+page.bytes])
			return e.dataPage(page.entries, page.entries-page.defined, format.Plain)
		})
		if err != nil {
			return err
		}
		entry += page.entries
		offset += page.bytes
	}
	c.number -= entry
	c.plain = append(c.plain[:0], c.plain[offset:]...)
	c.repetition = append(c.repetition[:0], part(c.repetition, entry, c.number)...)
	c.definition = append(c.definition[:0], part(c.definition, entry, c.number)...)
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
func (c *chunk) page(entry, offset int) plainPage {
	var p plainPage
	for ; entry < c.number; entry++ {
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

// appendValues appends PLAIN bytes in the form of a page: eight booleans to a byte.
func (c *chunk) appendValues(dst, plain []byte) []byte {
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

// appendLeaf appends the entries of rows from to to−1 of a nested column's leaf.
func (c *chunk) appendLeaf(l *formats.Leaf, from, to int) error {
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
		before, inside = bytes.Count(definition[:first], highest),
			bytes.Count(definition[first:last], highest)
	}
	if before+inside > l.Values.Len() {
		return fmt.Errorf("%w: %d defined entries, %d values", formats.ErrDamaged, before+inside,
			l.Values.Len())
	}
	c.number += last - first
	c.repetition = append(c.repetition, part(repetition, first, last-first)...)
	c.definition = append(c.definition, part(definition, first, last-first)...)
	for i := range inside {
		if c.plain, err = plain.AppendRaw(c.plain, l.Values.Bytes(before+i), c.size); err != nil {
			return err
		}
	}
	return c.encodeFull(false)
}

// levelsOf returns the levels of some entries, which the schema must allow: those given, or equal
// ones when there are none, or none when only level 0 is possible.
func levelsOf(levels []byte, entries, highest int, same byte) ([]byte, error) {
	switch {
	case levels == nil && highest > 0:
		return bytes.Repeat([]byte{same}, entries), nil
	case levels != nil && len(levels) != entries:
		return nil, fmt.Errorf("%w: %d entries, %d levels", formats.ErrDamaged, entries,
			len(levels))
	case len(levels) > 0 && int(slices.Max(levels)) > highest:
		return nil, fmt.Errorf("%w: level above %d", formats.ErrDamaged, highest)
	case highest == 0:
		return nil, nil
	}
	return levels, nil
}

// entriesOf returns the range of entries of a leaf for rows from to to−1.
func entriesOf(l *formats.Leaf, from, to int) (first, last int, err error) {
	first, last = from, to
	if l.Repetition != nil {
		first = skipRows(l.Repetition, 0, from)
		last = skipRows(l.Repetition, first, to-from)
	}
	if last > l.Entries {
		return 0, 0, fmt.Errorf("%w: %d entries have fewer than %d rows", formats.ErrDamaged,
			l.Entries, to)
	}
	return first, last, nil
}

// skipRows returns the entry behind a number of rows, the first of which begins with an entry. It
// is beyond all entries when there are fewer rows.
func skipRows(repetition []byte, entry, rows int) int {
	for ; rows > 0 && entry < len(repetition); rows-- {
		more := bytes.IndexByte(repetition[entry+1:], 0)
		if more < 0 {
			more = len(repetition) - entry - 1
		}
		entry += 1 + more
	}
	return entry + rows
}
