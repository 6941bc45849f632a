package writer

import (
	"errors"
	"fmt"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/plain"
	"github.com/kcut/kcut/formats/internal/schema"
)

// Limits of a dictionary that is not forced: beyond them PLAIN pages are smaller or faster, and the
// tables of other readers stay small.
const (
	maxDictionaryEntries = 1 << 16
	maxDictionaryBytes   = 1 << 20
)

// dictionary collects the distinct values of one column chunk in order of first appearance.
type dictionary struct {
	*formats.Distinct // the entries; nil: there is no dictionary
	form              plain.Form
	part              *Part // in a column of structs
	highest           int   // definition level of a value
	forced            bool  // it has no limits

	// Codes of batches keep their meaning while the pointer is the same: every value is looked up
	// once. Only values that some row used have an index here.
	source  *formats.Values
	indexes []uint32 // code → index + 1 + highest, or 1 + the level of a null; 0: not seen yet
}

// unmet is the element of indexes for a code that no row had. The index of a null is its level
// minus the highest; in a flat column that is absent.
const unmet = 0

func newDictionary(c Column, part *Part, leaf schema.Leaf) (d dictionary, err error) {
	d = dictionary{part: part, highest: leaf.Definition, forced: c.Masked &&
		leaf.Type.V != format.Boolean}
	of := c.Field.Type
	if part != nil {
		of = part.Values.Type
	}
	d.Distinct = formats.NewDistinct(&formats.Values{Type: of})
	d.form, err = plain.FormOf(of, *leaf.SchemaElement)
	return d, err
}

// reset empties d for another chunk.
func (d *dictionary) reset() {
	if d.Distinct != nil {
		d.Distinct = d.Restarted()
	}
	d.source, d.indexes = nil, d.indexes[:0]
}

// forget releases the entries and their table.
func (d *dictionary) forget() {
	if d.Distinct != nil {
		d.Distinct = formats.NewDistinct(&formats.Values{Type: d.Values.Type})
	}
	d.source, d.indexes = nil, nil
}

// follow makes indexes cover every code of v.
func (d *dictionary) follow(v *formats.Values) {
	if d.source != v {
		d.source, d.indexes = v, d.indexes[:0]
	}
	if have := len(d.indexes); have <= v.Len() {
		d.indexes = slices.Grow(d.indexes, v.Len()+1-have)[:v.Len()+1]
		clear(d.indexes[have:])
	}
}

var (
	// errRequired is returned for a null in a column that is declared without nulls.
	errRequired = errors.New("null in a column declared without nulls")
	// errCode is returned for a code without a value.
	errCode = fmt.Errorf("%w: code without a value", formats.ErrDamaged)
)

// lookUp fills the indexes of rows, absent for null, until the dictionary no longer pays, and
// returns the number of filled ones.
func (d *dictionary) lookUp(indexes, codes []uint32) (n int, err error) {
	table, first := d.indexes, uint32(1+d.highest)
	indexes = indexes[:len(codes)]
	for i, code := range codes {
		if int(code) >= len(table) {
			return i, errCode
		}
		own := table[code]
		if own == unmet {
			if own, err = d.meet(code); err != nil {
				return i, err
			}
			if !d.forced && (d.Values.Len() > maxDictionaryEntries ||
				d.bytes() > maxDictionaryBytes) {
				return i, nil
			}
			table[code] = own
		}
		indexes[i] = own - first
	}
	return len(codes), nil
}

// meet returns the element of indexes for a code. It adds the code's value when it is new.
func (d *dictionary) meet(code uint32) (uint32, error) {
	values := d.source
	switch {
	case code == 0 && d.highest > 0:
		return 1, nil
	case code == 0:
		return unmet, errRequired
	case d.part != nil:
		if code = d.part.Codes[code-1]; code == 0 {
			return 2, nil
		}
		values = d.part.Values
	}
	return d.CodeOf(values, int(code-1)) + uint32(d.highest), nil
}

// bytes returns the PLAIN size of the entries.
func (d *dictionary) bytes() int {
	switch {
	case d.Distinct == nil:
		return 0
	case d.form.Size > 0:
		return d.form.Size * d.Values.Len()
	}
	return 4*d.Values.Len() + len(d.Values.Data)
}

// room returns the number of bytes of the table that finds the entries.
func (d *dictionary) room() int {
	if d.Distinct == nil {
		return 0
	}
	return int(d.MemoryBytes())
}

// encode makes the dictionary page.
func (d *dictionary) encode(e *pageEncoder) (page storedPage, err error) {
	v := d.Values
	if e.body, err = d.form.AppendWords(e.body[:0], v.Words); err != nil {
		return page, err
	}
	for i := range v.Ends {
		if e.body, err = d.form.AppendBytes(e.body, v.Bytes(i)); err != nil {
			return page, err
		}
	}
	page, err = e.store(dictionaryHeader(v.Len()))
	page.entries, page.encoding = v.Len(), format.Plain
	return page, err
}
