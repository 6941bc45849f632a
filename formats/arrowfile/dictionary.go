package arrowfile

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/kcut/kcut/formats"
)

// dictionary is the dictionary of a column, or of a part of a nested one. It holds values for the
// former and the arrays of the file for the latter.
type dictionary struct {
	field       *field
	inner       bool
	first, last int // of the messages from which it was made
	n           int
	values      *formats.Values
	codes       []uint32 // by entry
	parts       []arrow.Array
	held        int64 // number of bytes
}

// dictionaryWeight is the number of bytes held for each byte of a dictionary in the file: the
// dictionary, and a list of values that has grown to its size.
const dictionaryWeight = 3

// dictionary returns the dictionary of a field. Each record batch updates it.
func (r *reader) dictionary(f *field, inner bool) *dictionary {
	for _, d := range r.dictionaries {
		if d.field == f {
			return d
		}
	}
	d := &dictionary{field: f, inner: inner, first: -1}
	r.dictionaries = append(r.dictionaries, d)
	return d
}

// update makes a dictionary the one of the record batch that is loaded next. Deltas extend the
// values of earlier batches; a replacement makes new ones.
func (r *reader) update(d *dictionary) error {
	id := d.field.id
	first, last := r.src.parts(id, r.next)
	if d.first != first || d.last > last {
		r.held -= d.held
		*d = dictionary{field: d.field, inner: d.inner, first: first, last: first}
		d.values = &formats.Values{Type: d.field.typ}
	}
	for ; d.last < last; d.last++ {
		if err := r.extend(d, r.src.dictionaries[id][d.last].at); err != nil {
			return fmt.Errorf("dictionary %d: %w", id, err)
		}
	}
	return nil
}

// extend adds the entries of the message at a position.
func (r *reader) extend(d *dictionary, at int64) error {
	b, err := r.src.readBatch(at)
	if err != nil {
		return err
	}
	hold := func(bytes int) error {
		d.held += int64(bytes)
		return r.take(int64(bytes))
	}
	c := b.column(d.field.values)
	err = r.load(c, b.codec, r.src.file, func(n int) ([]byte, error) {
		if err := hold(dictionaryWeight * n); err != nil {
			return nil, err
		}
		return make([]byte, n), nil
	})
	if err != nil {
		return err
	}
	if d.n += c.rows.Len(); d.n > mostRows {
		return errLarge
	}
	if d.inner {
		d.parts = append(d.parts, c.rows)
		return nil
	}
	if err := hold(4 * c.rows.Len()); err != nil {
		return err
	}
	d.codes = c.field.appendPositions(d.codes, c.rows, d.values.Len(), 0, c.rows.Len())
	return c.field.appendValues(d.values, c.rows, 0, c.rows.Len(), (*formats.Values).Room)
}

// entry returns the array with an entry of a dictionary, and its row there.
func (d *dictionary) entry(i int) (arrow.Array, int) {
	for _, p := range d.parts {
		if i < p.Len() {
			return p, i
		}
		i -= p.Len()
	}
	return nil, 0
}

// appendCodes appends the codes of the entries with the indexes of rows from one on. A negative
// index is out of range; the index of a null has no meaning.
func (d *dictionary) appendCodes(dst []uint32, indexes []uint64, valid validity,
	from int) ([]uint32, error) {
	for i, index := range indexes {
		code := uint32(0)
		if valid.at(from + i) {
			if index >= uint64(len(d.codes)) {
				return dst, errIndex(from + i)
			}
			code = d.codes[index]
		}
		dst = append(dst, code)
	}
	return dst, nil
}

func errIndex(row int) error {
	return fmt.Errorf("%w: a dictionary index out of range at row %d", formats.ErrDamaged, row)
}
