package writer

import (
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/rle"
	"github.com/kcut/kcut/formats/internal/schema"
)

// labelChunk collects a column chunk of labels: always by dictionary, and page by page. A page's
// indexes are as wide as the labels met so far need.
type labelChunk struct {
	leaf schema.Leaf
	dict dictionary
	encodedPages
	page  []uint32 // indexes of the page being filled
	nulls bool     // among them
}

func newLabelChunk(c Column, leaf schema.Leaf, p *PageEncoders) (*labelChunk, error) {
	dict, err := newDictionary(c, leaf)
	if err != nil {
		return nil, err
	}
	l := &labelChunk{leaf: leaf, dict: dict, encodedPages: encodedPages{encoders: p}, page: make([]uint32, 0, pageRows)}
	l.reset()
	return l, nil
}

func (c *labelChunk) reset() {
	c.dict.reset()
	c.encodedPages.reset()
	c.page, c.nulls = c.page[:0], false
}

func (c *labelChunk) rows() int { return c.full + len(c.page) }

func (c *labelChunk) held() int { return int(c.stored) + c.dict.bytes }

func (c *labelChunk) append(col *formats.Column, from, to int) error {
	codes, err := c.dict.codes(col, from, to)
	if err != nil {
		return err
	}
	return c.appendCodes(nil, codes)
}

// appendCodes appends rows, whose codes may lead through others.
func (c *labelChunk) appendCodes(through, codes []uint32) error {
	for len(codes) > 0 {
		at := len(c.page)
		n := min(len(codes), pageRows-at)
		c.page = c.page[:at+n]
		_, nulls, err := c.dict.lookUp(c.page[at:], through, codes[:n])
		if err != nil {
			return err
		}
		c.nulls = c.nulls || nulls
		codes = codes[n:]
		if len(c.page) == pageRows {
			if err := c.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush encodes the rows of the open page.
func (c *labelChunk) flush() error {
	if len(c.page) == 0 {
		return nil
	}
	err := c.add(len(c.page), func(e *pageEncoder) (storedPage, error) {
		return e.indexPage(c.page, c.dict.values.Len(), c.dict.nullable, c.nulls)
	})
	c.page, c.nulls = c.page[:0], false
	return err
}

func (c *labelChunk) encode(p *pageWriter) error {
	if err := c.flush(); err != nil {
		return err
	}
	p.begin(c.leaf)
	if c.dict.values.Len() == 0 {
		return c.encodeNulls(p)
	}
	if err := c.dict.encode(p); err != nil {
		return err
	}
	p.place(c.done...)
	var b bounds
	b.add(&c.dict.values)
	p.end(b.extremes(c.dict.form, c.leaf.SchemaElement))
	return nil
}

// encodeNulls writes a chunk that has no label: not every reader takes an empty dictionary.
func (c *labelChunk) encodeNulls(p *pageWriter) error {
	for left := c.full; left > 0; left -= pageRows {
		rows := min(left, pageRows)
		p.body = rle.AppendLevels(p.body[:0], make([]byte, rows), c.leaf.Definition)
		page, err := p.dataPage(rows, rows, format.Plain)
		if err != nil {
			return err
		}
		p.place(page)
	}
	p.end(nil, nil)
	return nil
}
