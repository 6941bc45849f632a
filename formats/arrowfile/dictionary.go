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
	codes       []uint32 // of each entry
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
		d = &dictionary{first: first, last: first, values: &formats.Values{Type: f.typ}}
		r.dictionaries[f] = d
	}
	for ; d.last < last; d.last++ {
		if err := r.extend(d, f, r.src.dictionaries[f.id][d.last].at); err != nil {
			return nil, fmt.Errorf("dictionary %d: %w", f.id, err)
		}
	}
	return d, nil
}

// extend adds the entries of the message at a position.
func (r *reader) extend(d *dictionary, f *field, at int64) error {
	b, err := r.src.readBatch(at)
	if err != nil {
		return err
	}
	part, err := b.column(f.values)
	if err != nil {
		return err
	}
	hold := func(bytes int) error {
		d.held += int64(bytes)
		return r.take(int64(bytes))
	}
	err = r.load(part, b.codec, r.src.file, func(n int) ([]byte, error) {
		if err := hold(dictionaryWeight * n); err != nil {
			return nil, err
		}
		return make([]byte, n), nil
	})
	if d.n += part.n; err == nil && d.n > mostRows {
		err = errLarge
	}
	if err != nil || f.inner || f.typ.Kind == formats.Nested {
		d.parts = append(d.parts, part)
		return err
	}
	if err := hold(4 * part.n); err != nil {
		return err
	}
	d.codes = part.appendPositions(d.codes, d.values.Len(), 0, part.n)
	return part.appendValues(d.values, 0, part.n, (*formats.Values).Room)
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
	codes, start := c.dictionary.codes, len(dst)
	dst = slices.Grow(dst, to-from)[:start+to-from]
	out := dst[start:]
	for i, index := range rowsOf[T](c, 1)[from:to] {
		out[i] = 0
		if c.valid(from + i) {
			if uint64(index) >= uint64(len(codes)) {
				return dst, errIndex(from + i)
			}
			out[i] = codes[index]
		}
	}
	return dst, nil
}

func errIndex(row int) error {
	return fmt.Errorf("%w: a dictionary index out of range at row %d", formats.ErrDamaged, row)
}
