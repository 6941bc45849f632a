package masking

import (
	"bytes"
	"cmp"
	"errors"
	"math/bits"
	"slices"
	"sync"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/spill"
)

// keptValues are the distinct values of the kept columns, numbered from 1 as they appear, while they are few.
type keptValues struct {
	form   *rowForm
	mu     sync.Mutex
	of     []*formats.Distinct // by kept field
	newest *coding             // nil: there are values that it does not know
	budget *spill.Budget
	most   int64 // bytes that they may take
	drawn  int64
}

const (
	// fewValues is how many distinct values a kept column has at most for rows to have their numbers.
	fewValues = 1<<numberBits - 1
	// numberBits are what a number takes in a row that is stored.
	numberBits = 16
	// keptValueBytes is what a value takes beside its bytes: with its place in codings and in the tables of readers.
	keptValueBytes = 128
)

// errManyValues is returned when the values of kept columns are not few.
var errManyValues = errors.New("many distinct values")

func newKeptValues(form *rowForm, budget *spill.Budget, most int64) *keptValues {
	v := &keptValues{form: form, budget: budget, most: most}
	for i := range form.kept {
		v.of = append(v.of, formats.NewDistinct(&formats.Values{Type: form.kept[i].typ}))
	}
	return v
}

// number appends the numbers of the values of a kept column that are not among those that numbers has, behind that of the null.
func (v *keptValues) number(i int, values *formats.Values, numbers []uint32) ([]uint32, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	known := v.of[i]
	before, bytesBefore := known.Values.Len(), len(known.Values.Data)
	for at := len(numbers) - 1; at < values.Len() && known.Values.Len() <= fewValues; at++ {
		if !values.Type.InWords() && int64(2*(len(known.Values.Data)-bytesBefore+len(values.Bytes(at)))) > v.most {
			v.newest = nil
			return nil, errManyValues
		}
		numbers = append(numbers, known.CodeOf(values, at))
	}
	if fresh := known.Values.Len() - before; fresh > 0 {
		v.newest = nil // also where the values are many now: rows so far are turned into bytes by a coding of all
		need := int64(keptValueBytes*fresh + 2*(len(known.Values.Data)-bytesBefore))
		if v.drawn += need; v.drawn > v.most || v.budget.Draw("values of kept columns", need) != nil {
			v.drawn -= need
			return nil, errManyValues
		}
	}
	if known.Values.Len() > fewValues {
		return nil, errManyValues
	}
	return numbers, nil
}

// coding returns the coding of all values so far.
func (v *keptValues) coding() *coding {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.newest == nil {
		c := &coding{}
		for i, known := range v.of {
			values := known.Values
			f := codedField{codes: make([]uint32, values.Len()+1), ranks: make([]uint32, values.Len()+1)}
			ranked := f.codes[:values.Len()]
			for rank := range ranked {
				ranked[rank] = uint32(rank + 1)
			}
			slices.SortFunc(ranked, func(a, b uint32) int {
				if values.Type.InWords() {
					return cmp.Compare(values.Words[a-1], values.Words[b-1])
				}
				return bytes.Compare(values.Bytes(int(a-1)), values.Bytes(int(b-1)))
			})
			for rank, code := range f.codes {
				f.ranks[code] = uint32(rank)
			}
			f.bits = bits.Len(uint(values.Len()))
			f.lengths = v.form.kept[i].lengths(values, f.codes)
			c.fields = append(c.fields, f)
		}
		c.place(v.form)
		v.newest = c
	}
	return v.newest
}

// stored returns the coding of rows in a store, whose numbers stay what they are.
func (v *keptValues) stored() *coding {
	v.mu.Lock()
	defer v.mu.Unlock()
	c := &coding{}
	for _, known := range v.of {
		f := codedField{codes: make([]uint32, known.Values.Len()+1), bits: numberBits}
		for code := range f.codes {
			f.codes[code] = uint32(code)
		}
		f.ranks = f.codes
		c.fields = append(c.fields, f)
	}
	c.place(v.form)
	return c
}

// appendRow appends the bytes of a row of a coding.
func (v *keptValues) appendRow(to []byte, c *coding, row []uint64) []byte {
	to = v.form.appendHead(to, row[:v.form.words])
	if v.form.used%8 > 0 {
		to[len(to)-1] &^= 0xff >> (v.form.used % 8)
	}
	for i := range v.form.kept {
		f := &c.fields[i]
		to = v.form.kept[i].appendValue(to, v.of[i].Values, f.codes[f.rank(row)])
	}
	return to
}

func (v *keptValues) close() { v.budget.Return(v.drawn) }

// coding is how rows are words, so many each: labels as in their form, and behind these for each kept field, from the
// highest bit down, the rank of its value among those that are known. They compare as rows do, and the null comes last. A coding
// knows all values of those that were made before it.
type coding struct {
	words  int
	labels uint64 // the bits that labels have in the last of their words
	fields []codedField
}

// codedField is a kept field of a coding.
type codedField struct {
	codes   []uint32 // by rank: the number of the value, 0 for null
	ranks   []uint32 // by number
	lengths []uint32 // by rank: of the bytes that a row has of it
	bits    int
	word    int
	shift   int
}

// rank returns the rank that a row has in the field.
func (f *codedField) rank(row []uint64) uint64 { return row[f.word] >> f.shift & (1<<f.bits - 1) }

// held returns about how many bytes it takes.
func (c *coding) held() (bytes int64) {
	for i := range c.fields {
		bytes += 12 * int64(len(c.fields[i].codes))
	}
	return bytes
}

func (c *coding) place(form *rowForm) {
	c.labels = ^(1<<(64-form.used) - 1)
	word, used := form.words-1, form.used
	for i := range c.fields {
		f := &c.fields[i]
		if used+f.bits > 64 {
			word, used = word+1, 0
		}
		used += f.bits
		f.word, f.shift = word, 64-used
	}
	c.words = word + 1
}

// lengths returns the lengths of the bytes of values by their ranks.
func (f *keptField) lengths(values *formats.Values, codes []uint32) []uint32 {
	var room []byte
	lengths := make([]uint32, len(codes))
	for rank, code := range codes {
		room = f.appendValue(room[:0], values, code)
		lengths[rank] = uint32(len(room))
	}
	return lengths
}

// appendValue appends the bytes of a value by its code.
func (f *keptField) appendValue(to []byte, values *formats.Values, code uint32) []byte {
	switch {
	case code == 0:
		return append(to, nullTag)
	case values.Type.InWords():
		return appendWord(to, values.Words[code-1], f.base)
	}
	return appendText(to, values.Bytes(int(code-1)))
}

// recoding turns rows of one coding into those of another.
type recoding struct {
	form     *rowForm
	from, to *coding
	tables   [][]uint64 // by kept field and rank: the other rank in its place
	row      []uint64
}

// newRecoding returns nil for rows that stay as they are.
func newRecoding(form *rowForm, from, to *coding) *recoding {
	if from == to {
		return nil
	}
	r := &recoding{form: form, from: from, to: to, row: make([]uint64, to.words)}
	for i := range from.fields {
		table := make([]uint64, len(from.fields[i].codes))
		for rank, code := range from.fields[i].codes {
			table[rank] = uint64(to.fields[i].ranks[code]) << to.fields[i].shift
		}
		r.tables = append(r.tables, table)
	}
	return r
}

// recode turns rows into others, in room where they are longer.
func (r *recoding) recode(rows, room []uint64) []uint64 {
	if r == nil {
		return rows
	}
	out, n := rows, len(rows)/r.from.words
	if r.to.words > r.from.words {
		out = slices.Grow(room[:0], n*r.to.words)[:n*r.to.words]
	}
	for i := range n {
		row := rows[i*r.from.words : (i+1)*r.from.words]
		clear(r.row)
		copy(r.row, row[:r.form.words])
		r.row[r.form.words-1] &= r.from.labels
		for k, table := range r.tables {
			r.row[r.to.fields[k].word] |= table[r.from.fields[k].rank(row)]
		}
		copy(out[i*r.to.words:], r.row)
	}
	return out[:n*r.to.words]
}

// keptNumbers are the numbers of one kept column's values in a batch.
type keptNumbers struct {
	values  *formats.Values   // whose numbers are known
	own     *formats.Distinct // of values that the reader has no codes of
	numbers []uint32          // by code
	codes   []uint32          // of the batch's rows
	room    []uint32
}

// learn finds the numbers of a batch's values.
func (k *keptNumbers) learn(known *keptValues, i int, c *formats.Column, rows int) (err error) {
	values := c.Values
	if k.codes = c.Codes; c.Codes == nil {
		if values, err = k.code(c, rows); err != nil {
			return err
		}
	}
	if values != k.values {
		k.values, k.numbers = values, append(k.numbers[:0], 0)
	}
	if k.numbers, err = known.number(i, values, k.numbers); err != nil {
		k.values, k.own = nil, nil
	}
	return err
}

// code gives the batch's rows codes of values that stay known.
func (k *keptNumbers) code(c *formats.Column, rows int) (*formats.Values, error) {
	if k.own == nil {
		k.own = formats.NewDistinct(&formats.Values{Type: c.Values.Type})
	}
	k.room = k.room[:0]
	at := 0
	for _, ok := range c.Valid[:rows] {
		code := uint32(0)
		if ok {
			code = k.own.CodeOf(c.Values, at)
			if at++; code > fewValues {
				return nil, errManyValues
			}
		}
		k.room = append(k.room, code)
	}
	k.codes = k.room
	return k.own.Values, nil
}
