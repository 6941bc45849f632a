package writer

import (
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
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
	codes   []uint32 // scratch
}

func newFlatChunk(c Column, leaf leafElement, p *PageEncoders) (*flatChunk, error) {
	dict, err := newDictionary(c, leaf)
	if err != nil {
		return nil, err
	}
	f := &flatChunk{plainChunk: newPlainChunk(leaf, p), dict: dict}
	f.reset()
	return f, nil
}

func (c *flatChunk) reset() {
	c.plainChunk.reset()
	c.coded = c.leaf.element.Type.V != format.Boolean // a dictionary of booleans is not allowed
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
	if err := c.dict.checkType(col.Values); err != nil {
		return err
	}
	if col.Codes != nil {
		c.dict.follow(col.Values)
		for codes := range slices.Chunk(col.Codes[from:to], stepRows) {
			if err := c.appendCodes(col.Values, c.dict.indexes, codes); err != nil {
				return err
			}
		}
		return nil
	}
	last := lastCode(col.Valid[:from])
	for valid := range slices.Chunk(col.Valid[from:to], stepRows) {
		c.codes, last = appendPositions(c.codes[:0], valid, last)
		if err := c.appendCodes(col.Values, nil, c.codes); err != nil {
			return err
		}
	}
	return nil
}

// appendPositions appends codes for rows whose values have none: their positions among the values,
// after those of the rows before. It returns the last one.
func appendPositions(codes []uint32, valid []bool, last uint32) ([]uint32, uint32) {
	for _, ok := range valid {
		code := uint32(0)
		if ok {
			last++
			code = last
		}
		codes = append(codes, code)
	}
	return codes, last
}

// lastCode returns the last code that appendPositions gives to rows.
func lastCode(valid []bool) (code uint32) {
	for _, ok := range valid {
		if ok {
			code++
		}
	}
	return code
}

// appendCodes appends rows given as codes into v, whose indexes are in a table, if there is one.
func (c *flatChunk) appendCodes(v *formats.Values, table, codes []uint32) (err error) {
	if c.coded {
		if codes, err = c.lookUp(v, table, codes); err != nil || len(codes) == 0 {
			return err
		}
		if err := c.unfold(); err != nil {
			return err
		}
	}
	if err := c.expand(v, codes); err != nil {
		return err
	}
	return c.flush()
}

// lookUp appends rows to indexes until the dictionary is full, and returns the rest.
func (c *flatChunk) lookUp(v *formats.Values, table, codes []uint32) (rest []uint32, err error) {
	for i, code := range codes {
		own := uint32(unmet)
		if int(code) < len(table) {
			own = table[code]
		}
		if own == unmet {
			if own, err = c.dict.meet(v, code); err != nil {
				return nil, err
			}
			if c.dict.full() {
				return codes[i:], nil
			}
			if table != nil {
				table[code] = own
			}
		}
		c.indexes = append(c.indexes, own-firstIndex)
	}
	return nil, nil
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
		c.definition = appendDefined(c.definition, codes)
	case slices.Contains(codes, 0):
		return errRequired
	}
	c.entries += len(codes)
	if !v.Type.InWords() {
		for _, code := range codes {
			if code == 0 {
				continue
			}
			text := v.Bytes(int(code - 1))
			c.bounds.addBytes(text)
			if c.plain, err = c.dict.form.AppendBytes(c.plain, text); err != nil {
				return err
			}
		}
		return nil
	}
	c.words = c.words[:0]
	for _, code := range codes {
		if code != 0 {
			c.words = append(c.words, v.Words[code-1])
		}
	}
	c.bounds.addWords(c.words)
	c.plain, err = c.dict.form.AppendWords(c.plain, c.words)
	return err
}

// appendDefined appends the definition levels of codes.
func appendDefined(levels []byte, codes []uint32) []byte {
	for _, code := range codes {
		level := byte(1)
		if code == 0 {
			level = 0
		}
		levels = append(levels, level)
	}
	return levels
}

// encode writes the chunk's pages and statistics.
func (c *flatChunk) encode(p *pageWriter) ([]chunkMeta, error) {
	p.begin(c.leaf)
	if c.coded && !c.pays() {
		if err := c.unfold(); err != nil {
			return nil, err
		}
	}
	write := c.plainChunk.encode
	if c.coded {
		c.bounds.add(&c.dict.values)
		write = c.encodeCodes
	}
	if err := write(p); err != nil {
		return nil, err
	}
	return []chunkMeta{p.end(c.bounds.extremes(c.dict.form, c.leaf.element))}, nil
}

// pays reports whether the dictionary is worth its page.
func (c *flatChunk) pays() bool {
	entries, rows := c.dict.values.Len(), len(c.indexes)
	return entries > 0 && (rows <= 8 || entries <= rows/2)
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
