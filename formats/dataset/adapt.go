package dataset

import (
	"fmt"

	"github.com/kcut/kcut/formats"
)

// adapter converts values of a file's column to the type that the column has in all files.
type adapter struct {
	name    string
	out     formats.Column  // scratch: values of that type
	values  *formats.Values // the last widened values, in a list that only grows
	holding formats.Holding
}

// adapt returns a column with values of the type. It is valid until the next call.
func (a *adapter) adapt(c *formats.Column) (*formats.Column, error) {
	if a.out.Codes = c.Codes; a.values != c.Values {
		a.values, a.out.Values = c.Values, &formats.Values{Type: a.out.Values.Type}
	}
	to := a.out.Values.Type
	if c.Values.Type.SameWords(to) {
		a.out.Values.Words = c.Values.Words
		return &a.out, nil
	}
	if err := a.holding.Hold(a.out.Values.MemoryBytes() + c.Values.MemoryBytes()); err != nil {
		return nil, err
	}
	for i := a.out.Values.Len(); i < c.Values.Len(); i++ {
		if !a.out.Values.Widen(c.Values, i) {
			return nil, fmt.Errorf("column %q: a value of type %s is none of %s, which it has in "+
				"other files: %w", a.name, c.Values.Type, to, formats.ErrSchema)
		}
	}
	return &a.out, nil
}
