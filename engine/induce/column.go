package induce

import "github.com/kcut/kcut/engine"

// Column is what a tree knows of a column of codes, 0 ≤ code < Domain.
type Column struct {
	Domain  int  // the null's code included
	Numeric bool // codes ascend as the values do
	Null    bool // the last code is the null's
}

// ColumnOf returns the column of an attribute. Of a taxonomy only the leaves are looked at.
func ColumnOf(a *engine.Attribute) Column {
	return Column{Domain: a.Len(), Numeric: a.Mask == engine.Discretize, Null: a.HasNull}
}

// The branches of a test of a numeric column.
const (
	Below   = 0 // codes below the split
	AtLeast = 1 // the split's code and those above it
	Null    = 2
)

// branches returns how many branches a test of the column has.
func (c Column) branches() uint32 {
	switch {
	case !c.Numeric:
		return uint32(c.Domain)
	case c.Null:
		return 3
	}
	return 2
}

// isNull reports whether a code is the null's.
func (c Column) isNull(code uint32) bool { return c.Null && int(code) == c.Domain-1 }

// branch returns the branch that a code takes: of a nominal column the code itself.
func (c Column) branch(code, split uint32) uint32 {
	switch {
	case !c.Numeric:
		return code
	case c.isNull(code):
		return Null
	case code < split:
		return Below
	}
	return AtLeast
}
