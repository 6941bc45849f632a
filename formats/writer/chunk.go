package writer

import (
	"fmt"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/plain"
	"github.com/kcut/kcut/formats/internal/schema"
)

// chunk collects the rows of one column chunk: of a leaf.
//
//	labels                indexes of a dictionary, as wide as the labels so far need; in parts of
//	                      structs, pages before the first value have only levels
//	other flat columns    indexes while they pay, which the values of all rows decide, else PLAIN
//	leaves of nested ones PLAIN
//
// Labels and PLAIN values become a page as soon as it is full.
type chunk struct {
	leaf     schema.Leaf
	encoders *PageEncoders
	dict     dictionary // for a flat column, or a part of structs
	bounds
	// full pages: memory holds a row group of any size in little more than its compressed pages
	done      []storedPage
	full      int        // number of rows of done
	stored    int64      // number of bytes of pages
	entryPage storedPage // page of the dictionary, once the chunk is complete
	completed bool
	coded     bool     // rows are in indexes, else in entries
	indexes   []uint32 // by row that is in no page yet: index into the dictionary, or absent
	entries
	words []uint64 // scratch
}

// newChunk returns the chunk of a leaf of a column, and of a part of its structs if it has these.
func newChunk(c Column, part *Part, leaf schema.Leaf, p *PageEncoders) (_ *chunk, err error) {
	k := &chunk{leaf: leaf, encoders: p, entries: entries{size: plain.SizeOf(leaf.SchemaElement)}}
	if part != nil || c.Field.Type.Kind != formats.Nested {
		k.dict, err = newDictionary(c, part, leaf)
	}
	k.reset()
	return k, err
}

func (c *chunk) reset() {
	c.dict.reset()
	c.bounds.reset()
	c.done, c.full, c.stored, c.entryPage, c.completed = nil, 0, 0, storedPage{}, false
	// booleans may not have a dictionary
	c.coded = c.dict.Distinct != nil && c.leaf.Type.V != format.Boolean
	c.indexes = c.indexes[:0]
	c.entries.reset()
}

// rows counts the rows collected so far.
func (c *chunk) rows() int { return c.full + len(c.indexes) + c.entries.rows() }

// append appends rows of a flat column.
func (c *chunk) append(col *formats.Column, from, to int) error {
	if col.Values == nil || col.Values.Type.InWords() != c.dict.form.Type.InWords() {
		return fmt.Errorf("%w: values of another type", formats.ErrSchema)
	}
	return c.appendCodes(col.Values, col.Codes[from:to])
}

// stepRows is the number of rows that are added as PLAIN values before full pages are encoded. If
// their values are large, stepBytes limits them.
const (
	stepRows  = 1 << 12
	stepBytes = 2 * pageBytes
)

// step returns the number of rows to add at a time.
func step(v *formats.Values, codes []uint32) int {
	codes = codes[:min(len(codes), stepRows)]
	if v.Type.InWords() {
		return len(codes)
	}
	bytes := 0
	for i, code := range codes {
		if 0 < code && int(code) <= v.Len() {
			bytes += len(v.Bytes(int(code - 1)))
		}
		if bytes > stepBytes {
			return i + 1
		}
	}
	return len(codes)
}

// appendCodes appends rows by codes of values.
func (c *chunk) appendCodes(v *formats.Values, codes []uint32) (err error) {
	if c.coded {
		c.dict.follow(v)
	}
	for len(codes) > 0 {
		n := 0
		if c.coded {
			n, err = c.appendIndexes(codes)
		} else {
			n = step(v, codes)
			err = c.expand(v, codes[:n])
		}
		if err != nil {
			return err
		}
		codes = codes[n:]
	}
	return nil
}

// appendIndexes appends the indexes of rows, at most to the end of a page and until the dictionary
// no longer pays, and returns the number of appended rows.
func (c *chunk) appendIndexes(codes []uint32) (n int, err error) {
	at := len(c.indexes)
	rows := min(len(codes), pageRows-at%pageRows)
	c.indexes = slices.Grow(c.indexes, rows)[:at+rows]
	n, err = c.dict.lookUp(c.indexes[at:], codes[:rows])
	c.indexes = c.indexes[:at+n]
	switch {
	case err != nil:
	case n < rows:
		err = c.unfold()
	case c.dict.forced && len(c.indexes) == pageRows:
		err = c.addIndexes()
	}
	return n, err
}

// held returns the approximate number of bytes of the chunk.
func (c *chunk) held() int {
	return int(c.stored) + c.dict.bytes() + c.dict.room() + 4*(cap(c.indexes)+cap(c.dict.indexes)) +
		cap(c.repetition) + cap(c.definition) + cap(c.plain)
}

// addIndexes makes a page of the rows that are in none yet.
func (c *chunk) addIndexes() error {
	err := c.addPage(len(c.indexes), func(e *pageEncoder) (storedPage, error) {
		if c.dict.part != nil && c.dict.Values.Len() == 0 {
			return e.levelPage(c.indexes, &c.dict)
		}
		return e.indexPage(c.indexes, &c.dict)
	})
	c.indexes = c.indexes[:0]
	return err
}

// addPage makes a page of some rows with an encoder.
func (c *chunk) addPage(rows int, encode func(*pageEncoder) (storedPage, error)) error {
	page, err := c.encodePage(encode)
	c.done = append(c.done, page)
	c.full += rows
	return err
}

// encodePage makes a page with an encoder.
func (c *chunk) encodePage(encode func(*pageEncoder) (storedPage, error)) (page storedPage,
	err error) {
	e, err := c.encoders.acquire()
	if err != nil {
		return page, err
	}
	defer c.encoders.release(e)
	page, err = encode(e)
	c.stored += int64(len(page.bytes))
	return page, err
}

// unfold turns the indexes into PLAIN values.
func (c *chunk) unfold() error {
	c.coded = false
	for i := range c.indexes {
		c.indexes[i]++ // to a code: absent becomes 0
	}
	for codes := c.indexes; len(codes) > 0; {
		n := step(c.dict.Values, codes)
		if err := c.expand(c.dict.Values, codes[:n]); err != nil {
			return err
		}
		codes = codes[n:]
	}
	c.indexes = c.indexes[:0]
	c.dict.forget()
	return nil
}

// expand appends the values of codes, and makes pages of full ones.
func (c *chunk) expand(v *formats.Values, codes []uint32) (err error) {
	switch {
	case len(codes) > 0 && int(slices.Max(codes)) > v.Len():
		return errCode
	case c.dict.highest > 0:
		for _, code := range codes {
			c.definition = append(c.definition, byte(min(code, 1)))
		}
	case slices.Contains(codes, 0):
		return errRequired
	}
	c.number += len(codes)
	c.words = c.words[:0]
	for _, code := range codes {
		switch {
		case code == 0:
		case v.Type.InWords():
			c.words = append(c.words, v.Words[code-1])
		default:
			text := v.Bytes(int(code - 1))
			c.bounds.addBytes(text)
			if c.plain, err = c.dict.form.AppendBytes(c.plain, text); err != nil {
				return err
			}
		}
	}
	c.bounds.addWords(c.words)
	if c.plain, err = c.dict.form.AppendWords(c.plain, c.words); err != nil {
		return err
	}
	return c.encodeFull(false)
}

// complete makes pages of the rows that are in none yet. It makes a dictionary if that is worth its
// page, and has an entry: some readers refuse an empty one.
func (c *chunk) complete() (err error) {
	if c.completed {
		return nil
	}
	c.completed = true
	if rows := c.rows(); c.coded {
		switch distinct := c.dict.Values.Len(); {
		case c.dict.part != nil && distinct == 0 && len(c.indexes) > 0:
			c.coded = false
			err = c.addIndexes()
		case c.dict.part != nil && distinct == 0:
			c.coded = false
		case c.dict.forced && distinct == 0: // no label, only nulls
			c.reset()
			c.completed, c.coded, c.number, c.definition = true, false, rows, make([]byte, rows)
		case !c.dict.forced && (distinct == 0 || rows > 8 && distinct > rows/2):
			err = c.unfold()
		}
	}
	if err == nil && c.coded {
		err = c.completeCoded()
	} else if err == nil {
		err = c.encodeFull(true)
	}
	return err
}

// forget releases the memory of rows that are in pages, and returns that of their indexes.
func (c *chunk) forget() (indexes []uint32) {
	c.dict.forget()
	indexes = c.indexes
	c.indexes, c.words, c.repetition, c.definition, c.plain = nil, nil, nil, nil, nil
	return indexes
}

// completeCoded makes pages of the dictionary and of the remaining indexes.
func (c *chunk) completeCoded() (err error) {
	c.bounds.add(c.dict.Values)
	if c.entryPage, err = c.encodePage(func(e *pageEncoder) (storedPage, error) {
		return c.dict.encode(e)
	}); err != nil {
		return err
	}
	for indexes := range slices.Chunk(c.indexes, pageRows) {
		err := c.addPage(len(indexes), func(e *pageEncoder) (storedPage, error) {
			return e.indexPage(indexes, &c.dict)
		})
		if err != nil {
			return err
		}
	}
	c.indexes = c.indexes[:0]
	return nil
}

// encode lays out the chunk's pages and statistics.
func (c *chunk) encode(p *pageWriter) error {
	if err := c.complete(); err != nil {
		return err
	}
	p.begin(c.leaf)
	if c.coded {
		p.place(c.entryPage)
	}
	p.place(c.done...)
	p.end(c.bounds.extremes(c.dict.form, c.leaf.SchemaElement))
	return nil
}
