package arrowfile

import (
	"fmt"
	"slices"

	"github.com/kcut/kcut/formats"
)

// dictionary is the dictionary of a column: the values of a flat one, of others the parts
// that their file has.
type dictionary struct {
	first, last int // of the messages that it was made of
	n           int
	values      *formats.Values
	codes       []uint32 // of each entry when some are null; nil: index+1
	parts       []*column
	held        int64 // bytes
}

// dictionaryWeight is how many bytes are held for one of a dictionary in the file: it, and a
// list of values that has grown to it.
const dictionaryWeight = 3

// dictionaryOf returns the dictionary of a field as the record batch being loaded sees it.
// Deltas extend the values that earlier batches saw; a replacement makes new ones.
func (r *reader) dictionaryOf(f *field) (*dictionary, error) {
	first, last := r.src.parts(f.id, r.next)
	d := r.dictionaries[f]
	if d == nil || d.first != first || d.last > last {
		if d != nil {
			r.held -= d.held
		}
		d = &dictionary{first: first, last: first}
		if !f.inner && f.typ.Kind != formats.Nested {
			d.values = &formats.Values{Type: f.typ}
		}
		r.dictionaries[f] = d
	}
	for ; d.last < last; d.last++ {
		part, err := r.entries(f, d, r.src.dictionaries[f.id][d.last].at)
		if err == nil {
			err = d.extend(part)
		}
		if err != nil {
			return nil, fmt.Errorf("dictionary %d: %w", f.id, err)
		}
	}
	return d, nil
}

// entries loads one message of a dictionary.
func (r *reader) entries(f *field, d *dictionary, at int64) (*column, error) {
	b, err := r.src.readBatch(at)
	if err != nil {
		return nil, err
	}
	part, err := b.column(f.values)
	if err != nil {
		return nil, err
	}
	return part, r.load(part, b.codec, r.src.file, func(n int) ([]byte, error) {
		bytes := dictionaryWeight * int64(n)
		if err := r.take(bytes); err != nil {
			return nil, err
		}
		d.held += bytes
		return make([]byte, n), nil
	})
}

// extend adds the entries of a message.
func (d *dictionary) extend(part *column) error {
	if d.n > mostRows-part.n {
		return errLarge
	}
	d.n += part.n
	if d.values == nil {
		d.parts = append(d.parts, part)
		return nil
	}
	code := uint32(d.values.Len())
	if err := part.appendValues(d.values, 0, part.n); err != nil {
		return err
	}
	if d.values.Len() == d.n { // none was null
		return nil
	}
	for i := len(d.codes); i < d.n-part.n; i++ {
		d.codes = append(d.codes, uint32(i+1))
	}
	for i := range part.n {
		entry := uint32(0)
		if part.valid(i) {
			code++
			entry = code
		}
		d.codes = append(d.codes, entry)
	}
	return nil
}

// entry returns the entry of a dictionary that index i, which is in range, means.
func (d *dictionary) entry(i int) (*column, int) {
	for _, p := range d.parts {
		if i < p.n {
			return p, i
		}
		i -= p.n
	}
	return nil, 0
}

// appendCodes appends the codes of rows [from, to) of a dictionary column of indexes T. A
// negative index is beyond all dictionaries; that of a null means nothing.
func appendCodes[T whole](dst []uint32, c *column, from, to int) ([]uint32, error) {
	d := c.dictionary
	start, entries := len(dst), uint64(d.n)
	dst = slices.Grow(dst, to-from)[:start+to-from]
	out := dst[start:]
	for i, index := range rowsOf[T](c, 1)[from:to] {
		code := uint32(0)
		if uint64(index) < entries {
			code = uint32(index) + 1
		} else if c.valid(from + i) {
			return dst, errIndex(from + i)
		}
		out[i] = code
	}
	if d.codes != nil {
		for i, code := range out {
			if code > 0 {
				out[i] = d.codes[code-1]
			}
		}
	}
	if c.validity != nil {
		for i := range out {
			if !c.valid(from + i) {
				out[i] = 0
			}
		}
	}
	return dst, nil
}

func errIndex(row int) error {
	return fmt.Errorf("%w: a dictionary index out of range at row %d", formats.ErrDamaged, row)
}
