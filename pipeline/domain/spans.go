package domain

import (
	"cmp"
	"fmt"
	"math"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/cutfile"
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

// spans is the labeler of a discretized column: intervals, one after the other. A value
// beyond the declared bounds is unmapped, as is one beyond the outer intervals.
type spans struct {
	labelSpace
	Span
	starts formats.Values // of all intervals but the first
}

func (s *spans) find(values *formats.Values, i int) (uint32, error) {
	switch {
	case IsNaN(values, i):
		return s.Null(), nil
	case s.Excludes(values, i):
		return s.Unmapped(), nil
	}
	return uint32(countUpTo(&s.starts, values, i)), nil
}

// Domain has the intervals for its values, each with its lower end for a text.
func (s *spans) Domain(records []uint64) (Domain, error) {
	a := engine.Attribute{Mask: engine.Discretize, HasNull: s.nulls(records), Texts: []string{""}, Positions: []float64{0}}
	for i := range s.starts.Len() {
		a.Texts, a.Positions = append(a.Texts, s.starts.Text(i)), append(a.Positions, s.starts.Float(i))
	}
	if intervals := s.intervals(); len(intervals) > 0 {
		a.LowerText, _ = cutfile.EndText(intervals[0].Lower)
		a.UpperText, _ = cutfile.EndText(intervals[len(intervals)-1].Upper)
		for i, interval := range intervals[1:] {
			a.Texts[i+1], _ = cutfile.EndText(interval.Lower)
		}
		a.Texts[0] = a.LowerText
	}
	s.place(&a)
	return s.domain(a, records), nil
}

func (s *spans) intervals() (intervals []cutfile.Label) {
	for _, label := range s.column.Cut {
		if label.Interval {
			intervals = append(intervals, label)
		}
	}
	return intervals
}

// place puts the ends of the number line at the bounds, and an open end as far away as the
// inner intervals are wide on average: what the data reaches to is not in the cut.
func (s *spans) place(a *engine.Attribute) {
	last := len(a.Positions) - 1
	width := 1.0
	if last > 1 {
		width = (a.Positions[last] - a.Positions[1]) / float64(last-1)
	}
	a.Lower, a.Upper = a.Positions[min(1, last)]-width, a.Positions[last]+width
	if s.Lower != nil {
		a.Lower = s.Lower.Float(0)
	}
	if s.Upper != nil {
		a.Upper = s.Upper.Float(0)
	}
	a.Positions[0] = a.Lower
}

// spans checks that the intervals lie one behind the other, and takes up all there is.
func (g *Cut) spans(spec *job.Column, column *cutfile.Column, t formats.Type) (*spans, error) {
	s := &spans{labelSpace: newLabelSpace(column), starts: formats.Values{Type: t}}
	s.begin = func() find { return s.find }
	intervals := s.intervals()
	if len(intervals) != s.n || s.n == 0 {
		return nil, g.mismatch("column %s: its labels are no intervals", spec.Name)
	}
	for i, interval := range intervals {
		lower, closed := cutfile.EndText(interval.Lower)
		upper, bounded := cutfile.EndText(interval.Upper)
		if i > 0 && (!closed || s.starts.Parse(lower) != nil || s.starts.Len() > 1 && CompareValues(&s.starts, i-2, &s.starts, i-1) >= 0) ||
			i < s.n-1 && (!bounded || string(interval.Upper) != string(intervals[i+1].Lower)) {
			return nil, g.mismatch("column %s: its intervals are no cut of a column of type %s", spec.Name, t)
		}
		var err error
		if i == 0 {
			if s.Lower, err = g.end(spec, t, spec.Bounds.Lower, lower); err != nil {
				return nil, err
			}
		}
		if i == s.n-1 {
			if s.Upper, err = g.end(spec, t, spec.Bounds.Upper, upper); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// end returns an end of the number line: what the job declares or the cut has. If both say
// something, they must say the same.
func (g *Cut) end(spec *job.Column, t formats.Type, declared, of string) (*formats.Values, error) {
	bound, err := parseBound(spec, t, cmp.Or(declared, of))
	if err != nil || bound == nil || declared == "" || of == "" {
		return bound, err
	}
	other := &formats.Values{Type: t}
	if other.Parse(of) != nil || CompareValues(bound, 0, other, 0) != 0 {
		return nil, g.mismatch("column %s: the job declares other bounds", spec.Name)
	}
	return bound, nil
}
