package domain

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/spill"
)

// ErrManyValues ends the numbering of values that are better counted in another way.
var ErrManyValues = errors.New("a column has many values")

// nullCode is the provisional code of the null; values are numbered from 1.
const nullCode = 0

// Interner numbers the distinct values of one column over all batches of a run, in the
// order in which it meets them. These provisional codes depend on which worker came first;
// nothing that is released may depend on them (see domain.go, which orders them).
type Interner struct {
	Column    string
	nanIsNull bool // an interval cannot hold a value that has no order
	budget    *spill.Budget
	Most      int // values that it takes; 0: any number

	mu     sync.Mutex
	frozen bool // every value is known: a new one means that the input has changed
	values formats.Values
	known  *formats.Distinct // provisional code c ≥ 1 is values' entry c−1
}

// NewInterner returns an interner of a column's values. NaNs may be nulls to it.
func NewInterner(field formats.Field, nanIsNull bool, budget *spill.Budget) *Interner {
	in := &Interner{Column: field.Name, nanIsNull: nanIsNull, budget: budget}
	in.values.Type = field.Type
	in.known = formats.NewDistinct(&in.values)
	return in
}

// Len returns the number of provisional codes given out, the null's included.
func (in *Interner) Len() int { return in.values.Len() + 1 }

// Null returns the null's provisional code.
func (in *Interner) Null() uint32 { return nullCode }

// Encode numbers the values that are new and appends the provisional codes of all.
func (in *Interner) Encode(values *formats.Values, from int, codes []uint32) (_ []uint32, domain int, err error) {
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

// numberedValues are numbered before what they take is drawn: a dictionary may have millions.
const numberedValues = 4096

// number appends the numbers of the entries from ≤ i < to of values.
func (in *Interner) number(values *formats.Values, from, to int, codes []uint32) ([]uint32, error) {
	if values.Type.InWords() && values.Type.Kind != formats.Float {
		before := in.values.Len()
		codes = in.known.AppendCodes(codes, values.Words[from:to])
		return codes, in.unchanged(before)
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

// nearBytes are what a table takes at most, once, to find words that lie close together.
const nearBytes = 256 << 10

// draw draws what has come since there were so many values, of so many bytes of text.
func (in *Interner) draw(values, data int) error {
	// Slots of the table take up to 24 bytes a value, beside its word, or its text and where that
	// ends. The rest is for tables and lists that are being grown, and for what the domain makes
	// of a value: a text, its pairs.
	grown := int64(in.values.Len()-values)*160 + 3*int64(len(in.values.Data)-data)
	if grown > 0 && values == 0 && in.values.Type.InWords() {
		grown += nearBytes
	}
	return in.budget.Draw("the distinct values of column "+in.Column, grown)
}

// code returns the number of a value, which may be new.
func (in *Interner) code(values *formats.Values, i int) (uint32, error) {
	if values.Type.InWords() {
		return in.word(values.Words[i])
	}
	return in.known.CodeOfText(values.Bytes(i), in.admit)
}

func (in *Interner) word(word uint64) (uint32, error) {
	if in.values.Type.Kind == formats.Float {
		if word = CanonicalFloat(word); word == CanonicalNaN && in.nanIsNull {
			return nullCode, nil
		}
	}
	before := in.values.Len()
	code := in.known.CodeOfWord(word)
	return code, in.unchanged(before)
}

// unchanged returns an error when a value has come since there were so many, and none may.
func (in *Interner) unchanged(values int) error {
	if in.frozen && in.values.Len() > values {
		return in.changed()
	}
	return nil
}

// admit appends a value that is new.
func (in *Interner) admit(values *formats.Values, value []byte) error {
	if in.frozen {
		return in.changed()
	}
	if values.Type.Kind == formats.String && !utf8.Valid(value) {
		return fmt.Errorf("read column %s: a text is not UTF-8: %w", in.Column, formats.ErrDamaged)
	}
	if uint64(len(values.Data))+uint64(len(value)) > math.MaxUint32 {
		return fmt.Errorf("hold the distinct values of column %s: more than 4 GiB of text: %w", in.Column, formats.ErrUnsupported)
	}
	values.AppendBytes(value)
	return nil
}

// ordered is the coder of a domain whose values were interned. A value that was not met before
// is an error: the input has changed.
type ordered struct {
	Renumbered
	in *Interner
}

// NewOrdered returns the coder of a domain. The interner takes no new values from now on.
func NewOrdered(in *Interner, d *Domain) Coder {
	in.frozen = true
	return ordered{Renumbered{in, d.Codes, d.Attribute.Len()}, in}
}

func (in *Interner) changed() error {
	return fmt.Errorf("read column %s again: it has a value it did not have before, the input was changed during the run: %w", in.Column, formats.ErrDamaged)
}
