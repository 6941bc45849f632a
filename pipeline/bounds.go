package pipeline

import (
	"fmt"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/fault"
	"github.com/kcut/kcut/pipeline/jobfile"
)

// declaredBounds are the bounds that the job declares for a discretized column, and what
// was found beyond them.
type declaredBounds struct {
	column       string
	lower, upper *formats.Values // one value each; nil when the end is open
	values       int             // outside
	records      uint64
}

func newDeclaredBounds(spec *jobfile.Column, t formats.Type) (*declaredBounds, error) {
	d := &declaredBounds{column: spec.Name}
	var err error
	if d.lower, err = parseBound(spec, t, spec.Bounds.Lower); err != nil {
		return nil, err
	}
	d.upper, err = parseBound(spec, t, spec.Bounds.Upper)
	return d, err
}

// check looks at a value that so many records have.
func (d *declaredBounds) check(values *formats.Values, i int, records uint64) {
	below := d.lower != nil && compareValues(values, i, d.lower, 0) < 0
	above := d.upper != nil && compareValues(values, i, d.upper, 0) > 0
	if below || above {
		d.values++
		d.records += records
	}
}

// place puts the ends of the number line at the bounds. It is an error if a value lies outside.
func (d *declaredBounds) place(a *engine.Attribute) error {
	if d.values > 0 {
		return &fault.Error{
			Class: fault.Input,
			Hint:  "widen bounds in the job file, or leave them out for open ends",
			Err:   fmt.Errorf("mask column %s: %d distinct values of %d rows lie outside the declared bounds", d.column, d.values, d.records),
		}
	}
	if d.lower != nil {
		a.Lower, a.LowerText = d.lower.Float(0), d.lower.Text(0)
	}
	if d.upper != nil {
		a.Upper, a.UpperText = d.upper.Float(0), d.upper.Text(0)
	}
	return nil
}
