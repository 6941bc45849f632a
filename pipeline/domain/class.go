package domain

import (
	"fmt"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/partition"
)

// ClassCoder is the coder of the class column: classes in label order. The zero value is that
// of no class.
type ClassCoder struct {
	In      *Interner // nil without a class
	Numbers []uint32  // of every provisional class
	Classes int
}

// NewClassCoder returns the coder of the classes that records of some values have, and their
// labels. The interner takes no new classes from now on.
func NewClassCoder(in *Interner, pairs partition.Pairs) (ClassCoder, []engine.Label) {
	in.frozen = true
	numbers, names := ClassOrder(in, pairs)
	return ClassCoder{In: in, Numbers: numbers, Classes: len(names)}, names
}

// Null returns any class when no record is without one.
func (c ClassCoder) Null() uint32 { return c.renumbered().Null() }

// Encode appends the classes of values.
func (c ClassCoder) Encode(values *formats.Values, from int, codes []uint32) ([]uint32, int, error) {
	return c.renumbered().Encode(values, from, codes)
}

func (c ClassCoder) renumbered() Renumbered { return Renumbered{c.In, c.Numbers, c.Classes} }

// ClassOrder returns the class number of every provisional code of the class column, in
// label order: by text, bytewise, the null last; and the labels of the classes that occur.
func ClassOrder(in *Interner, pairs partition.Pairs) (order []uint32, names []engine.Label) {
	occurs := make([]bool, in.Len())
	for _, pair := range pairs {
		occurs[pair.Class] = true
	}
	var found []occurrence
	for code := 1; code < len(occurs); code++ {
		if occurs[code] {
			found = append(found, occurrence{provisional: uint32(code)})
		}
	}
	order = make([]uint32, in.Len())
	for _, o := range withTexts(in, found) {
		order[o.provisional] = uint32(len(names))
		names = append(names, engine.Label{Text: o.text})
	}
	if occurs[nullCode] {
		order[nullCode] = uint32(len(names))
		names = append(names, engine.Label{Null: true})
	}
	return order, names
}

// InOrder returns the values in the order of their texts, and of every provisional code the number
// that its value has there, from 1 on; the null's is 0.
func (in *Interner) InOrder() (values formats.Values, numbers []uint32) {
	found := make([]occurrence, in.values.Len())
	for i := range found {
		found[i].provisional = uint32(i + 1)
	}
	values.Type, numbers = in.values.Type, make([]uint32, in.Len())
	for i, o := range withTexts(in, found) {
		numbers[o.provisional] = uint32(i + 1)
		if values.Type.InWords() {
			values.Words = append(values.Words, in.values.Words[o.provisional-1])
		} else {
			values.AppendBytes(in.values.Bytes(int(o.provisional) - 1))
		}
	}
	return values, numbers
}

// MaxClasses is the most class labels a search works with: a class column with more is
// nearly always an identifier named by mistake.
const MaxClasses = 10_000

// CheckClasses refuses a class column with too many labels: domain is above the codes of all
// that were met, the null's included.
func CheckClasses(column string, domain int) error {
	if domain <= MaxClasses+1 {
		return nil
	}
	return &fault.Error{
		Class: fault.Input,
		Hint:  "name a column with few distinct values as class",
		Err:   fmt.Errorf("count classes: class column %s has more than %d distinct values", column, MaxClasses),
	}
}
