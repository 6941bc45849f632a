package cutfile

import (
	"slices"

	"github.com/kcut/kcut/pipeline/risk"
)

// SmallestK returns the smallest k of the sets.
func (c *File) SmallestK() int {
	k := c.Sets[0].K
	for _, set := range c.Sets {
		k = min(k, set.K)
	}
	return k
}

// Within reports whether another set has all columns of a set.
func (s *Set) Within(other *Set) bool {
	return !slices.ContainsFunc(s.Columns, func(name string) bool { return !slices.Contains(other.Columns, name) })
}

// HidesAll reports whether some set has all masked columns and a k above 1: then nobody is alone on
// them, and nobody is in a class below the smallest k.
func (c *File) HidesAll() bool {
	return slices.ContainsFunc(c.Sets, func(set Set) bool {
		return set.K > 1 && !slices.ContainsFunc(c.Columns, func(column Column) bool { return !slices.Contains(set.Columns, column.Name) })
	})
}

// WithUnion returns the JSON of a cut that says how well rows hide each other on all labels.
func WithUnion(text []byte, union *risk.Union) ([]byte, error) {
	cut, err := Parse(text)
	if err != nil {
		return nil, err
	}
	cut.Union = union
	return Marshal(cut)
}
