package writer

import (
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
)

// labelChunk collects a column chunk of labels: always by dictionary, and page by page. A page's
// indexes are as wide as the labels met so far need.
type labelChunk struct {
	leaf leafElement
	dict dictionary
	encodedPages
	page   []uint32 // indexes of the page being filled
	nulls  bool     // among them
	joined []uint32 // of dict.indexes, for codes that lead to codes
	codes  []uint32 // scratch
}

func newLabelChunk(c Column, leaf leafElement, p *PageEncoders) (*labelChunk, error) {
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
	if err := c.dict.checkType(col.Values); err != nil {
		return err
	}
	if col.Codes != nil {
		c.dict.follow(col.Values)
		return c.appendCodes(c.dict.indexes, nil, col.Codes[from:to])
	}
	c.codes, _ = appendPositions(c.codes[:0], col.Valid[from:to], lastCode(col.Valid[:from]))
	c.dict.source = nil // values of that shape change under their pointer
	c.dict.follow(col.Values)
	return c.appendCodes(c.dict.indexes, nil, c.codes)
}

// appendThrough appends rows whose labels are through[code].
func (c *labelChunk) appendThrough(labels *formats.Values, through, codes []uint32) error {
	c.dict.follow(labels)
	if len(through) > len(codes) { // not worth a table of its own
		c.codes = c.codes[:0]
		for _, code := range codes {
			if int(code) >= len(through) {
				return errCode
			}
			c.codes = append(c.codes, through[code])
		}
		return c.appendCodes(c.dict.indexes, nil, c.codes)
	}
	c.joined = c.joined[:0]
	for _, code := range through {
		own := uint32(unmet)
		if int(code) < len(c.dict.indexes) { // a code that no row has may lead nowhere
			own = c.dict.indexes[code]
		}
		c.joined = append(c.joined, own)
	}
	return c.appendCodes(c.joined, through, codes)
}

// appendCodes appends rows whose indexes are in a table, those of labels not met yet excepted.
func (c *labelChunk) appendCodes(table, through, codes []uint32) error {
	for len(codes) > 0 {
		at := len(c.page)
		n := min(len(codes), pageRows-at)
		c.page = c.page[:at+n]
		if err := c.lookUp(c.page[at:], table, through, codes[:n]); err != nil {
			return err
		}
		codes = codes[n:]
		if len(c.page) == pageRows {
			if err := c.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// lookUp fills the indexes of some rows.
func (c *labelChunk) lookUp(indexes, table, through, codes []uint32) (err error) {
	lowest := uint32(absent)
	indexes = indexes[:len(codes)]
	for i, code := range codes {
		if int(code) >= len(table) {
			return errCode
		}
		own := table[code]
		if own == unmet {
			if own, err = c.meet(code, through); err != nil {
				return err
			}
			table[code] = own
		}
		lowest = min(lowest, own)
		indexes[i] = own - firstIndex
	}
	c.nulls = c.nulls || lowest == nullIndex
	return nil
}

// meet gives the label of a code its place in the dictionary.
func (c *labelChunk) meet(code uint32, through []uint32) (own uint32, err error) {
	if through == nil {
		return c.dict.meet(c.dict.source, code)
	}
	if code = through[code]; int(code) >= len(c.dict.indexes) {
		return unmet, errCode
	}
	if c.dict.indexes[code] == unmet {
		c.dict.indexes[code], err = c.dict.meet(c.dict.source, code)
	}
	return c.dict.indexes[code], err
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

func (c *labelChunk) encode(p *pageWriter) ([]chunkMeta, error) {
	if err := c.flush(); err != nil {
		return nil, err
	}
	p.begin(c.leaf)
	if c.dict.values.Len() == 0 {
		return c.encodeNulls(p)
	}
	if err := c.dict.encode(p); err != nil {
		return nil, err
	}
	for _, page := range c.done {
		p.place(page)
	}
	var b bounds
	b.add(&c.dict.values)
	return []chunkMeta{p.end(b.extremes(c.dict.form, c.leaf.element))}, nil
}

// encodeNulls writes a chunk that has no label: not every reader takes an empty dictionary.
func (c *labelChunk) encodeNulls(p *pageWriter) ([]chunkMeta, error) {
	for left := c.full; left > 0; left -= pageRows {
		rows := min(left, pageRows)
		p.body = appendLevels(p.body[:0], make([]byte, rows), c.leaf.definition)
		page, err := p.dataPage(rows, rows, format.Plain)
		if err != nil {
			return nil, err
		}
		p.place(page)
	}
	return []chunkMeta{p.end(nil, nil)}, nil
}
