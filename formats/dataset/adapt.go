package dataset

import (
	"fmt"

	"github.com/kcut/kcut/formats"
)

// adapter makes values of a file's column values of the type that the column has in all files.
type adapter struct {
	to      formats.Type
	name    string
	out     formats.Column
	values  *formats.Values // the coded values that were made wider last, a list that only grows
	holding formats.Holding
}

// adapt returns a column with values of the type. It is valid until the next call.
func (a *adapter) adapt(c *formats.Column) (*formats.Column, error) {
	a.out.Codes, a.out.Valid = c.Codes, c.Valid
	switch {
	case c.Codes == nil && a.out.Values != nil: // other values in each batch
		v := a.out.Values
		v.Clear()
	case a.values != c.Values:
		a.values, a.out.Values = c.Values, &formats.Values{Type: a.to}
	}
	if c.Values.Type.SameWords(a.to) {
		a.out.Values.Words = c.Values.Words
		return &a.out, nil
	}
	if err := a.holding.Hold(a.out.Values.MemoryBytes() + c.Values.MemoryBytes()); err != nil {
		return nil, err
	}
	for i := a.out.Values.Len(); i < c.Values.Len(); i++ {
		if !a.out.Values.Widen(c.Values, i) {
			return nil, fmt.Errorf("column %q: a value of type %s is none of %s, which it has in other files: %w", a.name, c.Values.Type, a.to, formats.ErrSchema)
		}
	}
	return &a.out, nil
}
