package writer

import (
	"fmt"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/plain"
)

// labelChunk collects a column chunk of labels: always by dictionary, and page by page, so
// that of a row group of any size only compressed pages are held. A page's indexes are as
// wide as the labels met so far need.
type labelChunk struct {
	leaf     leafElement
	form     plain.Form
	nullable bool
	presses  *Presses

	dict   dictionary
	labels *formats.Values // what codes point into
	own    []uint32        // code → index + 2, 1 for null; 0: not met yet
	joined []uint32        // the same for codes that lead to codes
	page   []uint32        // indexes of the page being filled
	nulls  bool            // among them
	done   []storedPage
	stored int64 // bytes of done
	full   int   // rows of done
	pages  indexPages
	codes  []uint32 // scratch
}

func newLabelChunk(c Column, leaf leafElement, p *Presses) (*labelChunk, error) {
	form, err := plain.FormOf(c.Field.Type, leaf.element)
	if err != nil {
		return nil, err
	}
	l := &labelChunk{leaf: leaf, form: form, nullable: leaf.definition > 0, presses: p, page: make([]uint32, 0, pageRows)}
	l.reset()
	return l, nil
}

func (c *labelChunk) reset() {
	c.dict.reset(c.form.Type)
	c.labels, c.own = nil, c.own[:0]
	c.page, c.nulls, c.done, c.stored, c.full = c.page[:0], false, nil, 0, 0
}

func (c *labelChunk) rows() int { return c.full + len(c.page) }

func (c *labelChunk) held() int { return int(c.stored) + c.dict.bytes }

func (c *labelChunk) append(col *formats.Column, from, to int) error {
	if col.Values == nil || col.Values.Type.InWords() != c.form.Type.InWords() {
		return fmt.Errorf("%w: values of another type", formats.ErrSchema)
	}
	if col.Codes != nil {
		c.follow(col.Values)
		return c.appendCodes(c.own, nil, col.Codes[from:to])
	}
	first, valid := count(col.Valid[:from]), col.Valid[from:to]
	if n := first + count(valid); n > col.Values.Len() {
		return fmt.Errorf("%w: %d valid rows, %d values", formats.ErrDamaged, n, col.Values.Len())
	}
	c.codes = c.codes[:0]
	for _, ok := range valid {
		code := uint32(0)
		if ok {
			first++
			code = uint32(first)
		}
		c.codes = append(c.codes, code)
	}
	c.labels = nil // values of that shape change under their pointer
	c.follow(col.Values)
	return c.appendCodes(c.own, nil, c.codes)
}

// appendThrough appends rows whose labels are through[code].
func (c *labelChunk) appendThrough(labels *formats.Values, through, codes []uint32) error {
	c.follow(labels)
	if len(through) > len(codes) { // not worth a table of its own
		c.codes = c.codes[:0]
		for _, code := range codes {
			if int(code) >= len(through) {
				return errCode
			}
			c.codes = append(c.codes, through[code])
		}
		return c.appendCodes(c.own, nil, c.codes)
	}
	c.joined = c.joined[:0]
	for _, code := range through {
		own := uint32(0)
		if int(code) < len(c.own) { // a code that no row has may lead nowhere
			own = c.own[code]
		}
		c.joined = append(c.joined, own)
	}
	return c.appendCodes(c.joined, through, codes)
}

// follow makes own cover every code of labels.
func (c *labelChunk) follow(labels *formats.Values) {
	if c.labels != labels {
		c.labels, c.own = labels, c.own[:0]
	}
	for len(c.own) <= labels.Len() {
		c.own = append(c.own, 0)
	}
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
		if own == 0 {
			if own, err = c.meet(code, through); err != nil {
				return err
			}
			table[code] = own
		}
		lowest = min(lowest, own)
		indexes[i] = own - 2
	}
	c.nulls = c.nulls || lowest == 1
	return nil
}

// meet gives the label of a code its place in the dictionary.
func (c *labelChunk) meet(code uint32, through []uint32) (uint32, error) {
	if through != nil {
		code = through[code]
	}
	switch {
	case int(code) >= len(c.own):
		return 0, errCode
	case c.own[code] != 0:
	case code > 0:
		c.own[code] = c.dict.code(c.labels, int(code-1), c.form) + 1
	case !c.nullable:
		return 0, errRequired
	default:
		c.own[code] = 1
	}
	return c.own[code], nil
}

// flush encodes the rows of the open page.
func (c *labelChunk) flush() error {
	if len(c.page) == 0 {
		return nil
	}
	p, err := c.presses.take()
	if err != nil {
		return err
	}
	defer c.presses.leave(p)
	page, err := c.pages.encode(p, c.page, c.dict.values.Len(), c.nullable, c.nulls)
	c.done = append(c.done, page)
	c.stored += page.size()
	c.full += len(c.page)
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
	if err := c.dict.encode(p, c.form); err != nil {
		return nil, err
	}
	for _, page := range c.done {
		p.place(page)
	}
	var b bounds
	b.add(&c.dict.values)
	return []chunkMeta{p.end(b.extremes(c.form, c.leaf.element))}, nil
}

// encodeNulls writes a chunk that has no label: not every reader takes an empty dictionary.
func (c *labelChunk) encodeNulls(p *pageWriter) ([]chunkMeta, error) {
	for left := c.full; left > 0; left -= pageRows {
		rows := min(left, pageRows)
		p.body = appendLevelRuns(p.body[:0], make([]byte, rows), c.leaf.definition)
		if err := p.data(rows, rows, format.Plain); err != nil {
			return nil, err
		}
	}
	return []chunkMeta{p.end(nil, nil)}, nil
}
