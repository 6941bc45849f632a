package domain

import (
	"fmt"
	"math"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/job"
)

// Span is a part of the number line, its ends included.
type Span struct {
	Lower, Upper *formats.Values // one value each; nil when the end is open
}

// Excludes reports whether a value lies outside.
func (s *Span) Excludes(values *formats.Values, i int) bool {
	return s.Lower != nil && CompareValues(values, i, s.Lower, 0) < 0 || s.Upper != nil && CompareValues(values, i, s.Upper, 0) > 0
}

// Bounds are the bounds that the job declares for a discretized column, and what
// was found beyond them.
type Bounds struct {
	Span
	Values int // outside

	column  string
	records uint64
}

// NewBounds reads what is declared for a column of a type.
func NewBounds(spec *job.Column, t formats.Type) (*Bounds, error) {
	d := &Bounds{column: spec.Name}
	var err error
	if d.Lower, err = parseBound(spec, t, spec.Bounds.Lower); err != nil {
		return nil, err
	}
	d.Upper, err = parseBound(spec, t, spec.Bounds.Upper)
	return d, err
}

// Check looks at a value that so many records have.
func (d *Bounds) Check(values *formats.Values, i int, records uint64) {
	if d.Excludes(values, i) {
		d.Values++
		d.records += records
	}
}

// Place puts the ends of the number line at the bounds. It is an error if a value lies outside.
func (d *Bounds) Place(a *engine.Attribute) error {
	if d.Values > 0 {
		return &fault.Error{
			Class: fault.Input,
			Hint:  "widen bounds in the job file, or leave them out for open ends",
			Err:   fmt.Errorf("mask column %s: outside the declared bounds: %s of %s", d.column, text.Count(d.Values, "distinct value"), text.Count(d.records, "row")),
		}
	}
	if d.Lower != nil {
		a.Lower, a.LowerText = d.Lower.Float(0), d.Lower.Text(0)
	}
	if d.Upper != nil {
		a.Upper, a.UpperText = d.Upper.Float(0), d.Upper.Text(0)
	}
	return nil
}

// CheckBounds makes sure that the declared bounds are values of the column's type, in order.
func CheckBounds(spec *job.Column, t formats.Type) error {
	b, err := NewBounds(spec, t)
	if err == nil && b.Lower != nil && b.Upper != nil && CompareValues(b.Lower, 0, b.Upper, 0) > 0 {
		return &fault.Error{Class: fault.Usage, Err: fmt.Errorf("read the declared bounds of column %s: the lower one is above the upper one", spec.Name)}
	}
	return err
}

// parseBound reads a declared bound as a value of the column's type. It returns nil when
// nothing is declared, and for a column without a type, which has no value to lie anywhere.
func parseBound(spec *job.Column, t formats.Type, text string) (*formats.Values, error) {
	if text == "" || t.Kind == formats.Null {
		return nil, nil
	}
	bound := &formats.Values{Type: t}
	if err := bound.Parse(text); err != nil {
		return nil, &fault.Error{Class: fault.Usage, Err: fmt.Errorf("read the declared bounds of column %s: %w", spec.Name, err)}
	}
	if math.IsNaN(bound.Float(0)) {
		return nil, &fault.Error{Class: fault.Usage, Err: fmt.Errorf("read the declared bounds of column %s: NaN bounds nothing", spec.Name)}
	}
	return bound, nil
}
