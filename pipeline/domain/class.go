package domain

import (
	"fmt"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/partition"
)

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
