package writer

import (
	"errors"
	"fmt"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/plain"
)

// Limits of a dictionary that is not forced: beyond them PLAIN pages are smaller or
// faster, and other readers' tables stay small.
const (
	maxDictionaryEntries = 1 << 16
	maxDictionaryBytes   = 1 << 20
)

// dictionary collects the distinct values of one column chunk in order of first appearance.
type dictionary struct {
	form     plain.Form
	nullable bool
	values   formats.Values    // the entries
	bytes    int               // their PLAIN size
	words    map[uint64]uint32 // value → index
	texts    map[string]uint32

	// Codes of a batch mean what they mean as long as the pointer stays: every value is
	// looked up once. Only values that some row used have an index here.
	source  *formats.Values
	indexes []uint32 // code → index + 2, 1 for null; 0: not met yet
}

// What indexes holds. Less firstIndex, a null becomes absent.
const (
	unmet      = 0
	nullIndex  = 1
	firstIndex = 2
)

func newDictionary(c Column, leaf leafElement) (d dictionary, err error) {
	d = dictionary{nullable: leaf.definition > 0, words: map[uint64]uint32{}, texts: map[string]uint32{}}
	d.form, err = plain.FormOf(c.Field.Type, leaf.element)
	return d, err
}

// reset empties d for another chunk.
func (d *dictionary) reset() {
	d.values = formats.Values{Type: d.form.Type, Words: d.values.Words[:0], Ends: d.values.Ends[:0], Data: d.values.Data[:0]}
	d.bytes = 0
	clear(d.words)
	clear(d.texts)
	d.source, d.indexes = nil, d.indexes[:0]
}

// checkType refuses the values of a column that are kept otherwise than the entries.
func (d *dictionary) checkType(v *formats.Values) error {
	if v == nil || v.Type.InWords() != d.form.Type.InWords() {
		return fmt.Errorf("%w: values of another type", formats.ErrSchema)
	}
	return nil
}

// follow makes indexes cover every code of v.
func (d *dictionary) follow(v *formats.Values) {
	if d.source != v {
		d.source, d.indexes = v, d.indexes[:0]
	}
	for len(d.indexes) <= v.Len() {
		d.indexes = append(d.indexes, unmet)
	}
}

var (
	// errRequired is returned for a null in a column that was declared to have none.
	errRequired = errors.New("null in a column declared without nulls")
	// errCode is returned for a code that stands for no value.
	errCode = fmt.Errorf("%w: code without a value", formats.ErrDamaged)
)

// meet returns the index of code's value in v, and adds the value when it is new. It is plus 2, as
// in indexes.
func (d *dictionary) meet(v *formats.Values, code uint32) (uint32, error) {
	switch {
	case int(code) > v.Len():
		return unmet, errCode
	case code > 0:
		return d.index(v, int(code-1)) + firstIndex, nil
	case !d.nullable:
		return unmet, errRequired
	}
	return nullIndex, nil
}

// index returns the index of value i of v, which it adds when it is new.
func (d *dictionary) index(v *formats.Values, i int) uint32 {
	if v.Type.InWords() {
		word := v.Words[i]
		if index, ok := d.words[word]; ok {
			return index
		}
		index := uint32(len(d.values.Words))
		d.values.Words = append(d.values.Words, word)
		d.words[word] = index
		d.bytes += d.form.Size
		return index
	}
	text := v.Bytes(i)
	if index, ok := d.texts[string(text)]; ok {
		return index
	}
	index := uint32(len(d.values.Ends))
	d.values.AppendBytes(text)
	d.texts[string(text)] = index
	d.bytes += d.form.Size
	if d.form.Size == 0 {
		d.bytes += 4 + len(text)
	}
	return index
}

// full reports whether d has outgrown what pays.
func (d *dictionary) full() bool {
	return d.values.Len() > maxDictionaryEntries || d.bytes > maxDictionaryBytes
}

// encode writes the dictionary page.
func (d *dictionary) encode(p *pageWriter) (err error) {
	v := &d.values
	if p.body, err = d.form.AppendWords(p.body[:0], v.Words); err != nil {
		return err
	}
	for i := range v.Ends {
		if p.body, err = d.form.AppendBytes(p.body, v.Bytes(i)); err != nil {
			return err
		}
	}
	return p.dictionary(v.Len())
}
