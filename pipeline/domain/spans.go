package domain

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
)

// Span is a part of the number line with both ends.
type Span struct {
	Lower, Upper *formats.Values // one value each; nil when the end is open
}

// Excludes reports whether a value is outside.
func (s *Span) Excludes(values *formats.Values, i int) bool {
	return s.Lower != nil && CompareValues(values, i, s.Lower, 0) < 0 ||
		s.Upper != nil && CompareValues(values, i, s.Upper, 0) > 0
}

// Bounds are the bounds that the job declares for a discretized column, with the counts at and
// beyond them.
type Bounds struct {
	Span
	Values int       // number of values outside
	At     [2]uint64 // records at the lower and at the upper bound: no others are more extreme

	column  string
	records uint64
}

// NewBounds parses the declared bounds of a column of a type: values of the type, in order.
func NewBounds(spec *job.Column, t formats.Type) (*Bounds, error) {
	d := &Bounds{column: spec.Name}
	var err error
	if d.Lower, err = parseBound(spec, t, spec.Bounds.Lower); err != nil {
		return nil, err
	}
	if d.Upper, err = parseBound(spec, t, spec.Bounds.Upper); err != nil {
		return nil, err
	}
	if d.Lower != nil && d.Upper != nil && CompareValues(d.Lower, 0, d.Upper, 0) > 0 {
		return nil, &fault.Error{
			Class: fault.Usage,
			Err: fmt.Errorf("read the declared bounds of column %s: the lower one is above the "+
				"upper one", spec.Name),
		}
	}
	return d, nil
}

// Check counts a value with a number of records.
func (d *Bounds) Check(values *formats.Values, at int, records uint64) {
	if d.Excludes(values, at) {
		d.Values++
		d.records += records
	}
	for i, end := range []*formats.Values{d.Lower, d.Upper} {
		if end != nil && CompareValues(values, at, end, 0) == 0 {
			d.At[i] += records
		}
	}
}

// Place puts the ends of the number line at the bounds. It returns an error if a value is outside.
func (d *Bounds) Place(a *engine.Attribute) error {
	if d.Values > 0 {
		return &fault.Error{
			Class: fault.Input,
			Hint:  "widen bounds in the job file, or leave them out for open ends",
			Err: fmt.Errorf("mask column %s: outside the declared bounds: %s of %s", d.column,
				text.Count(d.Values, "distinct value"), text.Count(d.records, "row")),
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

// NewRounding returns the rounding of the bounds of a discretized column of a type.
func NewRounding(spec *job.Column, t formats.Type) (*formats.Rounding, error) {
	step := spec.Round
	if t.Kind == formats.Null {
		step = "" // there is no value to round
	}
	r, err := formats.NewRounding(t, step)
	if err != nil {
		return nil, &fault.Error{
			Class: fault.Usage,
			Err:   fmt.Errorf("round the bounds of column %s: %w", spec.Name, err),
		}
	}
	return r, nil
}

// NewMinWidth returns the smallest width of intervals of a discretized column of a type, in the
// measure of positions; 0: the job declares none.
func NewMinWidth(spec *job.Column, t formats.Type) (float64, error) {
	return newWidth(spec, "at_most", spec.AtMost, t)
}

// NewMaxWidth returns the largest width; 0: the job declares none.
func NewMaxWidth(spec *job.Column, t formats.Type) (float64, error) {
	return newWidth(spec, "at_least", spec.AtLeast, t)
}

// newWidth parses a width in a key of the job.
func newWidth(spec *job.Column, key, text string, t formats.Type) (float64, error) {
	if !spec.Is(engine.Discretize) { // for a generalized column it is a level
		return 0, nil
	}
	number := strings.TrimRight(text, "dhms")
	unit := text[len(number):]
	width, _ := strconv.ParseFloat(number, 64) // the job was checked
	wants := ""
	switch t.Kind {
	case formats.Null:
		return 0, nil
	case formats.Date:
		wants = "d"
	case formats.Time, formats.Timestamp:
		wants = "dhms"
	}
	seconds, timed := map[string]float64{"d": 86400, "h": 3600, "m": 60, "s": 1}[unit]
	switch {
	case number == "" || wants == "" && !timed:
		return width, nil
	case wants == "" || !timed || !strings.Contains(wants, unit):
		units := map[string]string{"": "no unit", "d": "the unit d",
			"dhms": "one of the units d, h, m and s"}[wants]
		return 0, &fault.Error{
			Class: fault.Usage,
			Err: fmt.Errorf("read %s: %s of column %s: a width of %s has %s", key, text,
				spec.Name, t, units),
		}
	}
	return t.Width(width * seconds), nil
}

// parseBound parses a declared bound as a value of the column's type. It returns nil when none is
// declared, and for a column without a type, which has no values.
func parseBound(spec *job.Column, t formats.Type, text string) (*formats.Values, error) {
	if text == "" || t.Kind == formats.Null {
		return nil, nil
	}
	bound := &formats.Values{Type: t}
	if err := bound.Parse(text); err != nil {
		return nil, &fault.Error{
			Class: fault.Usage,
			Err:   fmt.Errorf("read the declared bounds of column %s: %w", spec.Name, err),
		}
	}
	if math.IsNaN(bound.Float(0)) {
		return nil, &fault.Error{
			Class: fault.Usage,
			Err: fmt.Errorf("read the declared bounds of column %s: NaN bounds nothing",
				spec.Name),
		}
	}
	return bound, nil
}

// intervalLabeler is the labeler of a discretized column: adjacent intervals. A value beyond the
// declared bounds is unmapped, and so is one beyond the outer intervals.
type intervalLabeler struct {
	labelSpace
	Span
	intervals []cutfile.Label
	starts    formats.Values // of all intervals except the first
}

func (s *intervalLabeler) find(values *formats.Values, i int) (uint32, error) {
	switch {
	case IsNaN(values, i):
		return s.Null(), nil
	case s.Excludes(values, i):
		return s.Unmapped(), nil
	}
	return uint32(countUpTo(&s.starts, values, i)), nil
}

// Domain uses the intervals as values, with their lower ends as texts. The ends of the number line
// are at the bounds, an open end at a distance of the average width of the inner intervals: the cut
// does not contain the extremes of the data.
func (s *intervalLabeler) Domain(records []uint64) (Domain, error) {
	a := engine.Attribute{
		Mask:      engine.Discretize,
		Spacing:   s.starts.Type.Spacing(),
		HasNull:   s.nulls(records),
		Positions: []float64{0},
	}
	for i, interval := range s.intervals {
		lower, _ := cutfile.EndText(interval.Lower)
		a.Texts = append(a.Texts, lower)
		if i > 0 {
			a.Positions = append(a.Positions, s.starts.Float(i-1))
		}
	}
	last := len(a.Positions) - 1
	a.LowerText = a.Texts[0]
	a.UpperText, _ = cutfile.EndText(s.intervals[last].Upper)
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
	return s.domain(a, records), nil
}

// intervalLabeler returns the labeler of a discretized column, and checks that the intervals are
// adjacent and cover everything.
func (c *CutColumn) intervalLabeler() (_ *intervalLabeler, err error) {
	s := &intervalLabeler{labelSpace: newLabelSpace(c), starts: formats.Values{Type: c.Type}}
	s.begin = func() find { return s.find }
	for _, label := range c.Cut {
		if label.Interval {
			s.intervals = append(s.intervals, label)
		}
	}
	if len(s.intervals) != s.n || s.n == 0 {
		return nil, c.mismatch("its labels are no intervals")
	}
	for i, interval := range s.intervals {
		if i > 0 {
			if err := c.checkStep(interval.Lower); err != nil {
				return nil, err
			}
		}
		lower, closed := cutfile.EndText(interval.Lower)
		_, bounded := cutfile.EndText(interval.Upper)
		if i > 0 && (!closed || s.starts.Parse(lower) != nil ||
			s.starts.Len() > 1 && CompareValues(&s.starts, i-2, &s.starts, i-1) >= 0) ||
			i < s.n-1 && (!bounded || string(interval.Upper) != string(s.intervals[i+1].Lower)) {
			return nil, c.mismatch("its intervals are no cut of a column of type %s", c.Type)
		}
	}
	if s.Lower, err = c.end(c.Spec.Bounds.Lower, s.intervals[0].Lower); err == nil {
		s.Upper, err = c.end(c.Spec.Bounds.Upper, s.intervals[s.n-1].Upper)
	}
	if err == nil {
		err = c.checkWidths(s)
	}
	return s, err
}

// checkWidths refuses parts of a split interval that are narrower than the job allows.
func (c *CutColumn) checkWidths(s *intervalLabeler) error {
	var ends []float64
	if s.Lower != nil {
		ends = append(ends, s.Lower.Float(0))
	}
	for i := range s.starts.Len() {
		ends = append(ends, s.starts.Float(i))
	}
	if s.Upper != nil {
		ends = append(ends, s.Upper.Float(0))
	}
	least, err := NewMinWidth(c.Spec, c.Type)
	for i := 1; i < len(ends) && s.n > 1 && err == nil; i++ {
		err = c.checkWidth(ends[i]-ends[i-1], least)
	}
	return err
}

// checkWidth refuses an interval that is narrower than the job allows.
func (c *CutColumn) checkWidth(width, least float64) error {
	if width < least {
		return c.mismatch("an interval is narrower than the job's at_most: %s", c.Spec.AtMost)
	}
	return nil
}

// checkStep refuses an inner bound of the cut that is not rounded as the job demands. It ignores
// one that is no value of the column's type, which others check.
func (c *CutColumn) checkStep(end json.RawMessage) error {
	rounding, err := NewRounding(c.Spec, c.Type)
	if err != nil {
		return err
	}
	text, _ := cutfile.EndText(end)
	bound := &formats.Values{Type: c.Type}
	if bound.Parse(text) == nil && !rounding.Admits(bound) {
		return c.mismatch("a bound is no multiple of the job's round: %s", c.Spec.Round)
	}
	return nil
}

// end returns an end of the number line, from the job or the cut. If both have one, they must
// agree.
func (c *CutColumn) end(declared string, end json.RawMessage) (*formats.Values, error) {
	of, _ := cutfile.EndText(end)
	bound, err := parseBound(c.Spec, c.Type, cmp.Or(declared, of))
	if err != nil || bound == nil || declared == "" || of == "" {
		return bound, err
	}
	other := &formats.Values{Type: c.Type}
	if other.Parse(of) != nil || CompareValues(bound, 0, other, 0) != 0 {
		return nil, c.mismatch("the job declares other bounds")
	}
	return bound, nil
}
