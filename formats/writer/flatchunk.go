package writer

import (
	"errors"
	"fmt"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/plain"
)

// flatChunk collects a column chunk of a flat column that is kept: as dictionary codes while
// that pays, else as PLAIN bytes. Which of the two is decided by the values of all its rows.
type flatChunk struct {
	plainChunk
	form     plain.Form
	typ      formats.Type
	nullable bool

	coded   bool     // the rows are in indexes, not yet in plainChunk
	indexes []uint32 // one a row: index into the dictionary, or absent
	dict    dictionary
	bounds

	pages indexPages
	words []uint64 // scratch
}

// errRequired is returned for a null in a column that was declared to have none.
var errRequired = errors.New("null in a column declared without nulls")

func newFlatChunk(c Column, leaf leafElement, p *Presses) (*flatChunk, error) {
	form, err := plain.FormOf(c.Field.Type, leaf.element)
	if err != nil {
		return nil, err
	}
	f := &flatChunk{
		plainChunk: plainChunk{leaf: leaf, size: form.Size, presses: p},
		form:       form, typ: c.Field.Type, nullable: leaf.definition > 0,
	}
	f.reset()
	return f, nil
}

func (c *flatChunk) reset() {
	c.plainChunk.reset()
	c.coded = c.leaf.element.Type.V != format.Boolean // a dictionary of booleans is not allowed
	c.indexes = c.indexes[:0]
	c.dict.reset(c.typ)
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
	if col.Values == nil || col.Values.Type.InWords() != c.typ.InWords() {
		return fmt.Errorf("%w: values of another type", formats.ErrSchema)
	}
	if col.Codes != nil {
		for codes := range slices.Chunk(col.Codes[from:to], stepRows) {
			if err := c.appendCodes(col.Values, codes); err != nil {
				return err
			}
			if err := c.flush(); err != nil {
				return err
			}
		}
		return nil
	}
	first := count(col.Valid[:from])
	for valid := range slices.Chunk(col.Valid[from:to], stepRows) {
		n := count(valid)
		if err := c.appendValid(col.Values, first, n, valid); err != nil {
			return err
		}
		if err := c.flush(); err != nil {
			return err
		}
		first += n
	}
	return nil
}

func count(valid []bool) int {
	n := 0
	for _, v := range valid {
		if v {
			n++
		}
	}
	return n
}

// appendCodes appends rows given as codes into v.
func (c *flatChunk) appendCodes(v *formats.Values, codes []uint32) (err error) {
	if !c.nullable && slices.Contains(codes, 0) {
		return errRequired
	}
	if c.coded {
		if codes, err = c.translate(v, codes); err != nil || len(codes) == 0 {
			return err
		}
		if err := c.unfold(); err != nil {
			return err
		}
	}
	if len(codes) > 0 && int(slices.Max(codes)) > v.Len() {
		return errCode
	}
	return c.expand(v, codes)
}

// errCode is returned for a code that stands for no value.
var errCode = fmt.Errorf("%w: code without a value", formats.ErrDamaged)

// translate appends rows to indexes until the dictionary is full, and returns the rest.
func (c *flatChunk) translate(v *formats.Values, codes []uint32) ([]uint32, error) {
	c.dict.follow(v)
	translated := c.dict.translated
	done := len(c.indexes)
	c.indexes = slices.Grow(c.indexes, len(codes))[:done+len(codes)]
	indexes := c.indexes[done:]
	for i, code := range codes {
		if int(code) >= len(translated) {
			return nil, errCode
		}
		own := translated[code]
		if own == 0 && code != 0 {
			own = c.dict.code(v, int(code-1), c.form)
			if c.dict.full() {
				c.indexes = c.indexes[:done+i]
				return codes[i:], nil
			}
			translated[code] = own
		}
		indexes[i] = own - 1
	}
	return nil, nil
}

// appendValid appends rows of which n are valid: values first, first+1, … of v.
func (c *flatChunk) appendValid(v *formats.Values, first, n int, valid []bool) error {
	if first+n > v.Len() {
		return fmt.Errorf("%w: %d valid rows, %d values", formats.ErrDamaged, first+n, v.Len())
	}
	if n < len(valid) && !c.nullable {
		return errRequired
	}
	if c.coded {
		c.dict.forget()
		done, used := c.lookUp(v, first, valid)
		if valid = valid[done:]; len(valid) == 0 {
			return nil
		}
		first, n = first+used, n-used
		if err := c.unfold(); err != nil {
			return err
		}
	}
	c.entries += len(valid)
	if c.nullable {
		c.definition = appendLevelsOf(c.definition, valid)
	}
	return c.addValues(v, first, first+n)
}

// lookUp appends rows to indexes until the dictionary is full, and returns how many, and
// how many of them were valid.
func (c *flatChunk) lookUp(v *formats.Values, first int, valid []bool) (rows, used int) {
	for i, ok := range valid {
		own := uint32(0)
		if ok {
			own = c.dict.code(v, first+used, c.form)
			if c.dict.full() {
				return i, used
			}
			used++
		}
		c.indexes = append(c.indexes, own-1)
	}
	return len(valid), used
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
	c.entries += len(codes)
	c.addLevels(codes)
	if !v.Type.InWords() {
		for _, code := range codes {
			if code != 0 {
				if err = c.addText(v.Bytes(int(code - 1))); err != nil {
					return err
				}
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
	return c.addWordValues(c.words)
}

// addLevels appends the definition levels of codes.
func (c *flatChunk) addLevels(codes []uint32) {
	if !c.nullable {
		return
	}
	for _, code := range codes {
		level := byte(1)
		if code == 0 {
			level = 0
		}
		c.definition = append(c.definition, level)
	}
}

func appendLevelsOf(dst []byte, valid []bool) []byte {
	for _, ok := range valid {
		level := byte(0)
		if ok {
			level = 1
		}
		dst = append(dst, level)
	}
	return dst
}

// addValues appends the PLAIN bytes of values first to last−1.
func (c *flatChunk) addValues(v *formats.Values, first, last int) error {
	if v.Type.InWords() {
		return c.addWordValues(v.Words[first:last])
	}
	for i := first; i < last; i++ {
		if err := c.addText(v.Bytes(i)); err != nil {
			return err
		}
	}
	return nil
}

func (c *flatChunk) addWordValues(words []uint64) (err error) {
	c.bounds.addWords(words)
	c.plain, err = c.form.AppendWords(c.plain, words)
	return err
}

func (c *flatChunk) addText(b []byte) (err error) {
	c.bounds.addBytes(b)
	c.plain, err = c.form.AppendBytes(c.plain, b)
	return err
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
	return []chunkMeta{p.end(c.bounds.extremes(c.form, c.leaf.element))}, nil
}

// pays reports whether the dictionary is worth its page.
func (c *flatChunk) pays() bool {
	entries, rows := c.dict.values.Len(), len(c.indexes)
	return entries > 0 && (rows <= 8 || entries <= rows/2)
}

// encodeCodes writes the dictionary page and pages of indexes into it.
func (c *flatChunk) encodeCodes(p *pageWriter) error {
	if err := c.dict.encode(p, c.form); err != nil {
		return err
	}
	for rows := range slices.Chunk(c.indexes, pageRows) {
		page, err := c.pages.encode(p.press, rows, c.dict.values.Len(), c.nullable, slices.Contains(rows, absent))
		if err != nil {
			return err
		}
		p.place(page)
	}
	return nil
}
