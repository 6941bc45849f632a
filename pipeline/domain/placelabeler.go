package domain

import (
	"slices"
	"sort"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/recheck"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// placeLabeler is the labeler of a column of intervals of a cut of regions: several of them may
// contain a value. There are no codes of single labels: behind them follow those of places on the
// number line, which are the ends of all intervals and the gaps between two. The values of a gap
// are in the same intervals, so that no list of these is needed.
type placeLabeler struct {
	labelSpace
	regional
	within Span
	ends   *formats.Values // ascending, each once
	spans  []placeSpan     // by label

	codes []recheck.Span // by label: its codes of the domain, once that exists
	null  uint32         // the null's code there
}

// placeSpan is the range of places of an interval, with both ends; low is above high for a label
// that is none.
type placeSpan struct{ low, high int32 }

func (l *placeLabeler) find(values *formats.Values, i int) (uint32, error) {
	switch {
	case l.nanIsNull && IsNaN(values, i):
		return l.Null(), nil
	case l.within.Excludes(values, i):
		return l.Unmapped(), nil
	}
	return l.code(newLabel) + uint32(l.place(values, i)), nil
}

// place numbers the ends and the gaps between them.
func (l *placeLabeler) place(values *formats.Values, i int) int32 {
	at, is := sort.Find(l.ends.Len(), func(e int) int {
		return CompareValues(values, i, l.ends, e)
	})
	if is {
		return 2*int32(at) + 1
	}
	return 2 * int32(at)
}

// Domain returns a domain whose values are the places, in their order.
func (l *placeLabeler) Domain(records []uint64) (Domain, error) {
	first, in := int(l.code(newLabel)), make([]int, l.places+1)
	for _, s := range l.spans {
		if s.low <= s.high {
			in[s.low]++
			in[s.high+1]--
		}
	}
	var outside uint64
	below := make([]uint32, l.places+1) // by place: the number of codes of lower ones
	var codes []int                     // the codes of places that have records
	intervals := 0                      // that contain the place
	for place := range l.places {
		intervals += in[place]
		below[place+1] = below[place]
		if code := first + place; code < len(records) && records[code] > 0 {
			below[place+1]++
			codes = append(codes, code)
			if l.isOutside(l.column, intervals > 0) {
				outside += records[code]
			}
		}
	}
	l.null = uint32(len(codes))
	out := l.domain(engine.Attribute{
		Mask:    engine.Suppress,
		Texts:   make([]string, len(codes)),
		HasNull: true,
	}, records)
	for i, code := range codes {
		out.Codes[code] = uint32(i)
	}
	if out.Outside = outside; l.isOutside(l.column, len(l.ofNull) > 0) {
		out.Outside += out.Nulls
	}
	l.codes = make([]recheck.Span, l.labels)
	for label, s := range l.spans {
		if s.low > s.high {
			continue
		}
		if low, end := below[s.low], below[s.high+1]; low < end {
			l.codes[label] = recheck.Span{Low: low, High: end - 1, Codes: end - low}
		}
	}
	for _, label := range l.ofNull {
		l.codes[label].AddNull(l.null)
	}
	for _, mark := range l.marks {
		l.codes[mark] = recheck.Span{High: l.null, Codes: l.null + 1}
	}
	return out, nil
}

// Coverage returns the labels that cover the codes of the domain.
func (l *placeLabeler) Coverage() recheck.Coverage {
	return recheck.CoverageOfIntervals(l.codes, l.null)
}

// placeBytes is the memory of a place.
const placeBytes = 40

// placeLabeler returns the labeler of a column whose intervals may overlap.
func (c *CutColumn) placeLabeler(budget *spill.Budget) (*placeLabeler, error) {
	bounds, err := NewBounds(c.Spec, c.Type)
	if err != nil {
		return nil, err
	}
	least, err := NewMinWidth(c.Spec, c.Type)
	if err != nil {
		return nil, err
	}
	regional, numbers := c.regional()
	l := &placeLabeler{regional: regional, within: bounds.Span}
	l.labelSpace = labelSpace{column: c}
	l.begin = func() find { return l.find }
	spans, ends := make([]Span, len(c.Cut)), []*formats.Values(nil)
	for i, label := range c.Cut {
		if label.Null {
			l.ofNull = append(l.ofNull, numbers[i])
			continue
		}
		span, ok := &spans[i], label.Interval
		for _, end := range []struct {
			text []byte
			to   **formats.Values
		}{{label.Lower, &span.Lower}, {label.Upper, &span.Upper}} {
			if text, closed := cutfile.EndText(end.text); closed {
				*end.to = &formats.Values{Type: c.Type}
				ok = ok && (*end.to).Parse(text) == nil
				ends = append(ends, *end.to)
				if ok && !isAllOf(*end.to, bounds.Lower) && !isAllOf(*end.to, bounds.Upper) {
					if err := c.checkStep(end.text); err != nil {
						return nil, err
					}
				}
			}
		}
		if !ok {
			return nil, c.mismatch("its labels are no intervals of a column of type %s", c.Type)
		}
		whole := isAllOf(span.Lower, bounds.Lower) && isAllOf(span.Upper, bounds.Upper)
		null := label.Ends().HasNull()
		if whole || null {
			l.ofNull = append(l.ofNull, numbers[i])
		}
		if null && c.Spec.Render != job.RenderLabel {
			return nil, c.mismatch("its labels name the null, which render: %s does not show",
				c.Spec.Render)
		}
		if !whole && span.Lower != nil && span.Upper != nil {
			width := span.Upper.Float(0) - span.Lower.Float(0)
			if err := c.checkWidth(width, least); err != nil {
				return nil, err
			}
		}
	}
	compare := func(a, b *formats.Values) int { return CompareValues(a, 0, b, 0) }
	slices.SortFunc(ends, compare)
	l.ends = &formats.Values{Type: c.Type}
	for _, end := range slices.CompactFunc(ends, func(a, b *formats.Values) bool {
		return compare(a, b) == 0
	}) {
		l.ends.Widen(end, 0)
	}
	l.places = 2*l.ends.Len() + 1
	l.cover(spans, numbers)
	return l, budget.Draw("places of column "+c.Spec.Name, placeBytes*int64(l.places))
}

// cover finds the places of all labels.
func (l *placeLabeler) cover(spans []Span, numbers []uint32) {
	l.spans = slices.Repeat([]placeSpan{{low: 1}}, l.labels)
	all := placeSpan{high: int32(l.places) - 1}
	for i, label := range l.column.Cut {
		if label.Null {
			continue
		}
		s := all
		if lower := spans[i].Lower; lower != nil {
			s.low = l.place(lower, 0)
		}
		if upper := spans[i].Upper; upper != nil {
			if s.high = l.place(upper, 0); !label.Ends().Closed() {
				s.high--
			}
		}
		l.spans[numbers[i]] = s
	}
}

// isAllOf reports whether an end is the end of the number line.
func isAllOf(end, bound *formats.Values) bool {
	return end == nil || bound != nil && CompareValues(end, 0, bound, 0) == 0
}
