package writer

import (
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/schema"
)

// flatChunk collects a column chunk of a flat column that is kept: as dictionary indexes while
// that pays, else as PLAIN bytes. Which of the two is decided by the values of all its rows.
type flatChunk struct {
	plainChunk
	dict dictionary
	bounds

	coded   bool     // the rows are in indexes, not yet in plainChunk
	indexes []uint32 // one a row: index into the dictionary, or absent
	words   []uint64 // scratch
}

func newFlatChunk(c Column, leaf schema.Leaf, p *PageEncoders) (*flatChunk, error) {
	dict, err := newDictionary(c, leaf)
	if err != nil {
		return nil, err
	}
	f := &flatChunk{plainChunk: *newPlainChunk(leaf, p), dict: dict}
	f.reset()
	return f, nil
}

func (c *flatChunk) reset() {
	c.plainChunk.reset()
	c.coded = c.leaf.Type.V != format.Boolean // a dictionary of booleans is not allowed
	c.indexes = c.indexes[:0]
	c.dict.reset()
	c.bounds.reset()
}

func (c *flatChunk) held() int { return c.plainChunk.held() + 4*cap(c.indexes) + c.dict.bytes }

func (c *flatChunk) rows() int {
	if c.coded {
		return len(c.indexes)
	}
	return c.plainChunk.rows()
}

// stepRows is how many rows are taken in before full pages are encoded.
const stepRows = 1 << 12

func (c *flatChunk) append(col *formats.Column, from, to int) error {
	all, err := c.dict.codes(col, from, to)
	if err != nil {
		return err
	}
	for codes := range slices.Chunk(all, stepRows) {
		if c.coded {
			at := len(c.indexes)
			c.indexes = slices.Grow(c.indexes, len(codes))[:at+len(codes)]
			n, _, err := c.dict.lookUp(c.indexes[at:], nil, codes)
			c.indexes = c.indexes[:at+n]
			if err != nil {
				return err
			}
			if codes = codes[n:]; len(codes) == 0 {
				continue
			}
			if err := c.unfold(); err != nil {
				return err
			}
		}
		if err := c.expand(col.Values, codes); err != nil {
			return err
		}
		if err := c.flush(); err != nil {
			return err
		}
	}
	return nil
}

// unfold turns the rows met so far into PLAIN bytes.
func (c *flatChunk) unfold() error {
	c.coded = false
	for i := range c.indexes {
		c.indexes[i]++ // to a code: absent becomes 0
	}
	return c.expand(&c.dict.values, c.indexes)
}

// expand appends the values behind codes.
func (c *flatChunk) expand(v *formats.Values, codes []uint32) (err error) {
	switch {
	case len(codes) > 0 && int(slices.Max(codes)) > v.Len():
		return errCode
	case c.dict.nullable:
		for _, code := range codes {
			c.definition = append(c.definition, byte(min(code, 1)))
		}
	case slices.Contains(codes, 0):
		return errRequired
	}
	c.entries += len(codes)
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
	c.plain, err = c.dict.form.AppendWords(c.plain, c.words)
	return err
}

// encode writes the chunk's pages and statistics. A dictionary is written when it is worth its page.
func (c *flatChunk) encode(p *pageWriter) error {
	p.begin(c.leaf)
	entries, rows := c.dict.values.Len(), len(c.indexes)
	if c.coded && (entries == 0 || rows > 8 && entries > rows/2) {
		if err := c.unfold(); err != nil {
			return err
		}
	}
	write := c.encodePages
	if c.coded {
		c.bounds.add(&c.dict.values)
		write = c.encodeCodes
	}
	if err := write(p); err != nil {
		return err
	}
	p.end(c.bounds.extremes(c.dict.form, c.leaf.SchemaElement))
	return nil
}

// encodeCodes writes the dictionary page and pages of indexes into it.
func (c *flatChunk) encodeCodes(p *pageWriter) error {
	if err := c.dict.encode(p); err != nil {
		return err
	}
	for rows := range slices.Chunk(c.indexes, pageRows) {
		page, err := p.indexPage(rows, c.dict.values.Len(), c.dict.nullable, slices.Contains(rows, absent))
		if err != nil {
			return err
		}
		p.place(page)
	}
	return nil
}
