package domain

import (
	"slices"
	"sort"
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
)

// coverIntervals finds the intervals that a value lies in.
func (g *Cut) coverIntervals(c *cover, spec *job.Column, column *cutfile.Column, t formats.Type, numbers []uint32) error {
	bounds, err := NewBounds(spec, t)
	if err != nil {
		return err
	}
	o := &overlaps{within: bounds.Span}
	for i, label := range column.Cut {
		if label.Null {
			c.nulls = append(c.nulls, numbers[i])
			continue
		}
		span, ok := newOverlap(label, t, numbers[i])
		if !ok {
			return g.mismatch("column %s: its labels are no intervals of a column of type %s", spec.Name, t)
		}
		if isAllOf(span.lower, bounds.Lower) && isAllOf(span.upper, bounds.Upper) {
			c.nulls = append(c.nulls, numbers[i])
		}
		o.add(span)
	}
	slices.SortFunc(o.ends, func(a, b *formats.Values) int { return CompareValues(a, 0, b, 0) })
	c.of, c.spans = o.of, o
	return nil
}

// overlaps are intervals that may overlap.
type overlaps struct {
	within Span
	spans  []overlap
	ends   []*formats.Values // ascending
}

// overlap is an interval with a label. A nil end is open.
type overlap struct {
	lower, upper *formats.Values
	closed       bool // the upper end belongs to it
	label        uint32
}

func (o *overlaps) add(span overlap) {
	o.spans = append(o.spans, span)
	for _, end := range []*formats.Values{span.lower, span.upper} {
		if end != nil {
			o.ends = append(o.ends, end)
		}
	}
}

// of returns the labels of the intervals that a value lies in.
func (o *overlaps) of(values *formats.Values, i int) (labels []uint32, ok bool) {
	if o.within.Excludes(values, i) {
		return nil, false
	}
	for s := range o.spans {
		if o.spans[s].has(values, i) {
			labels = append(labels, o.spans[s].label)
		}
	}
	return labels, true
}

// place numbers the ends and what lies between them.
func (o *overlaps) place(values *formats.Values, i int) int {
	at, is := sort.Find(len(o.ends), func(e int) int { return CompareValues(values, i, o.ends[e], 0) })
	if is {
		return 2*at + 1
	}
	return 2 * at
}

// newOverlap reads the interval of a label.
func newOverlap(label cutfile.Label, t formats.Type, number uint32) (o overlap, ok bool) {
	if !label.Interval {
		return o, false
	}
	o.label = number
	for _, end := range []struct {
		text []byte
		to   **formats.Values
	}{{label.Lower, &o.lower}, {label.Upper, &o.upper}} {
		if text, closed := cutfile.EndText(end.text); closed {
			*end.to = &formats.Values{Type: t}
			if (*end.to).Parse(text) != nil {
				return o, false
			}
		}
	}
	o.closed = strings.HasSuffix(label.Label, "]")
	return o, true
}

// has reports whether a value lies in the interval.
func (o *overlap) has(values *formats.Values, i int) bool {
	if o.lower != nil && CompareValues(values, i, o.lower, 0) < 0 {
		return false
	}
	if o.upper == nil {
		return true
	}
	order := CompareValues(values, i, o.upper, 0)
	return order < 0 || order == 0 && o.closed
}

// isAllOf reports whether an end is the end of the number line.
func isAllOf(end, bound *formats.Values) bool {
	return end == nil || bound != nil && CompareValues(end, 0, bound, 0) == 0
}
