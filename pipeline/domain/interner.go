package domain

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// ErrManyValues ends the numbering of values that should be counted in another way.
var ErrManyValues = errors.New("a column has many values")

// nullCode is the provisional code of the null; values are numbered from 1.
const nullCode = 0

// Interner numbers the distinct values of one column over all batches of a run, in the order in
// which they come. These provisional codes depend on which worker came first; the release must not
// depend on them.
type Interner struct {
	Column    string
	nanIsNull bool   // an interval cannot contain a value without an order
	what      string // name of the values in messages
	budget    *spill.Budget
	Most      int // largest number of values; 0: any number
	// largest number of values to number, and one more: all others become nulls; 0: any number
	Longest int

	mu     sync.Mutex
	values formats.Values
	known  *formats.Distinct // provisional code c ≥ 1 is entry c−1 of values
}

// NewInterner returns an interner of a column's values. NaNs may count as nulls.
func NewInterner(field formats.Field, nanIsNull bool, budget *spill.Budget) *Interner {
	in := newInterner(field.Type, "the distinct values of column "+field.Name, budget)
	in.Column, in.nanIsNull = field.Name, nanIsNull
	return in
}

// NewWords returns an interner of words; what names them in messages about memory.
func NewWords(what string, budget *spill.Budget) *Interner {
	return newInterner(formats.Type{Kind: formats.Int, Bits: 64}, what, budget)
}

func newInterner(t formats.Type, what string, budget *spill.Budget) *Interner {
	in := &Interner{what: what, budget: budget, values: formats.Values{Type: t}}
	in.known = formats.NewDistinct(&in.values)
	return in
}

// Len returns the number of provisional codes, with the null's.
func (in *Interner) Len() int { return in.values.Len() + 1 }

// Values returns the values: provisional code c ≥ 1 is entry c−1.
func (in *Interner) Values() *formats.Values { return &in.values }

// Null returns the null's provisional code.
func (in *Interner) Null() uint32 { return nullCode }

// Encode numbers the new values and appends the provisional codes of all.
func (in *Interner) Encode(values *formats.Values, from int, codes []uint32) (_ []uint32,
	domain int, err error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	codes = slices.Grow(codes, values.Len()-from)
	for to := from; from < values.Len(); from = to {
		to = min(from+numberedValues, values.Len())
		before, data := in.values.Len(), len(in.values.Data)
		if codes, err = in.number(values, from, to, codes); err != nil {
			return nil, 0, err
		}
		if err := in.draw(before, data); err != nil {
			return nil, 0, err
		}
		if in.Most > 0 && in.values.Len() > in.Most {
			return nil, 0, ErrManyValues
		}
	}
	return codes, in.Len(), nil
}

// numberText returns the provisional code of any bytes as a text.
func (in *Interner) numberText(text []byte) (uint32, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	before, data := in.values.Len(), len(in.values.Data)
	code, _ := in.known.CodeOfText(text, func(values *formats.Values, text []byte) error {
		values.AppendBytes(text)
		return nil
	})
	return code, in.draw(before, data)
}

// numberedValues is the number of values that are numbered before their memory is drawn: a
// dictionary may have millions.
const numberedValues = 4096

// number appends the numbers of the entries from ≤ i < to of values.
func (in *Interner) number(values *formats.Values, from, to int, codes []uint32) ([]uint32, error) {
	if values.Type.InWords() && values.Type.Kind != formats.Float && in.Longest == 0 {
		return in.known.AppendCodes(codes, values.Words[from:to]), nil
	}
	for i := from; i < to; i++ {
		code, err := in.code(values, i)
		if err != nil {
			return nil, err
		}
		codes = append(codes, code)
	}
	return codes, nil
}

// numberedBytes is the memory of a number, without three times the bytes of a text.
const numberedBytes = 160

// draw draws the memory for the growth since there were values values with data bytes of text.
func (in *Interner) draw(values, data int) error {
	// Slots of the table take up to 24 bytes for each value, and the range of words that lie close
	// together 32, in addition to its word, or its text with an end. The rest is for tables and
	// lists while they grow, and for the domain's data of a value: a text, its pairs.
	grown := int64(in.values.Len()-values)*numberedBytes + 3*int64(len(in.values.Data)-data)
	return in.budget.Draw(in.what, grown)
}

// code returns the number of a value, which may be new.
func (in *Interner) code(values *formats.Values, i int) (uint32, error) {
	switch {
	case in.Exceeded():
		return nullCode, nil
	case !values.Type.InWords():
		return in.known.CodeOfText(values.Bytes(i), in.admit)
	case in.nanIsNull && IsNaN(values, i):
		return nullCode, nil
	}
	return in.known.CodeOfWord(CanonicalWord(values, i)), nil
}

// admit appends a value that is new.
func (in *Interner) admit(values *formats.Values, value []byte) error {
	if values.Type.Kind == formats.String && !utf8.Valid(value) {
		return fmt.Errorf("read column %s: a text is not UTF-8: %w", in.Column, formats.ErrDamaged)
	}
	if uint64(len(values.Data))+uint64(len(value)) > math.MaxUint32 {
		return fmt.Errorf("hold the distinct values of column %s: more than 4 GiB of text: %w",
			in.Column, formats.ErrUnsupported)
	}
	values.AppendBytes(value)
	return nil
}

// Codes returns the codes by a coder of all provisional codes, and whether some of those that the
// pairs count share one.
func (in *Interner) Codes(c Coder, pairs partition.Pairs) (codes []uint32, merges bool, err error) {
	codes, below, err := c.Encode(&in.values, 0, []uint32{c.Null()})
	taken := make([]bool, below)
	for i, pair := range pairs {
		if i == 0 || pair.Code != pairs[i-1].Code {
			code := codes[pair.Code]
			merges, taken[code] = merges || taken[code], true
		}
	}
	return codes, merges, err
}

// ClassOrder returns the class number of every provisional code of a class column, in label order:
// by text, bytewise, the null last; and the labels of the classes that occur.
func (in *Interner) ClassOrder(pairs partition.Pairs) (order []uint32, names []engine.Label) {
	occurs := make([]bool, in.Len())
	for _, pair := range pairs {
		occurs[pair.Class] = true
	}
	order = make([]uint32, in.Len())
	for _, code := range append(in.byText(), nullCode) {
		if occurs[code] {
			order[code] = uint32(len(names))
			names = append(names, engine.Label{Null: code == nullCode})
			if code != nullCode {
				names[order[code]].Text = in.values.Text(int(code) - 1)
			}
		}
	}
	return order, names
}

// byText returns the provisional codes of the values in the order of their texts.
func (in *Interner) byText() []uint32 {
	codes, texts := make([]uint32, in.values.Len()), make([]string, in.values.Len())
	for i := range codes {
		codes[i], texts[i] = uint32(i+1), in.values.Text(i)
	}
	slices.SortFunc(codes, func(a, b uint32) int { return strings.Compare(texts[a-1], texts[b-1]) })
	return codes
}

// Places returns the place of every provisional code among the values, in the order of numbers and
// times, with the null last; nil for a type that has no order.
func (in *Interner) Places() []uint32 {
	v := &in.values
	if !v.Type.Ordered() {
		return nil
	}
	codes := make([]int, v.Len())
	for i := range codes {
		codes[i] = i
	}
	slices.SortFunc(codes, func(a, b int) int {
		if v.Type.InWords() {
			return cmp.Compare(v.Words[a], v.Words[b])
		}
		return bytes.Compare(v.Bytes(a), v.Bytes(b))
	})
	places := make([]uint32, in.Len())
	for place, i := range codes {
		places[i+1] = uint32(place)
	}
	places[nullCode] = uint32(len(codes))
	return places
}

// MaxClasses is the largest number of classes in a search: a class column with more is nearly
// always an identifier that was named by mistake.
const MaxClasses = 10_000

// CheckClasses refuses a class column, or a sensitive one, with too many labels: domain exceeds all
// its codes, including the null's.
func CheckClasses(column string, domain int) error {
	if domain <= MaxClasses+1 {
		return nil
	}
	return &fault.Error{
		Class: fault.Input,
		Hint:  "name a column with few distinct values",
		Err:   fmt.Errorf("count classes: %s has more than %d distinct values", column, MaxClasses),
	}
}

// Exceeded reports whether the column has more values than Longest.
func (in *Interner) Exceeded() bool { return in.Longest > 0 && in.values.Len() > in.Longest }
