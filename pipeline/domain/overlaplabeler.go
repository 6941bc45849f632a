package domain

import (
	"encoding/binary"
	"slices"
	"sort"
	"sync"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/recheck"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// overlapLabeler is the labeler of a column of a cut of regions: several of its labels may cover a
// value, and values that the same labels cover have one code. There are no codes of single labels:
// the added names are sets of them, as the numbers of the labels, four bytes each.
type overlapLabeler struct {
	labelSpace
	of    labelsOf  // for a column whose labels are not intervals
	nulls []uint32  // the labels that cover the null
	spans *overlaps // for a column of intervals
	marks []uint32  // the mark of a suppressed value, which covers everything, if there is one

	mu     sync.Mutex
	places map[int32]uint32 // codes by place among the intervals

	nanIsNull bool

	covers [][]uint32 // by code of the domain, once it exists
}

// labelsOf returns the labels that cover a value, ascending, without the mark. If ok is false, the
// value is unmapped.
type labelsOf func(values *formats.Values, i int) (labels []uint32, ok bool)

// placeBytes is the memory of a place.
const placeBytes = 48

func (c *overlapLabeler) find(values *formats.Values, i int) (uint32, error) {
	if c.nanIsNull && IsNaN(values, i) {
		return c.Null(), nil
	}
	if c.spans != nil {
		return c.findPlace(values, i)
	}
	labels, ok := c.of(values, i)
	if !ok {
		return c.Unmapped(), nil
	}
	return c.addSet(labels)
}

// findPlace is find for intervals. The labels are the same between two neighbouring ends, so they
// are looked up once.
func (c *overlapLabeler) findPlace(values *formats.Values, i int) (code uint32, err error) {
	if c.spans.within.Excludes(values, i) {
		return c.Unmapped(), nil
	}
	place := c.spans.place(values, i)
	c.mu.Lock()
	defer c.mu.Unlock()
	if code, ok := c.places[place]; ok {
		return code, nil
	}
	if code, err = c.addSet(c.spans.intervals.Holding(place, place)); err != nil {
		return 0, err
	}
	if err := c.added.budget.Draw(c.added.what, placeBytes); err != nil {
		return 0, err
	}
	c.places[place] = code
	return code, nil
}

// addSet returns the code of a set of labels, to which the mark is added.
func (c *overlapLabeler) addSet(labels []uint32) (uint32, error) {
	name := make([]byte, 0, 4*(len(labels)+len(c.marks)))
	for _, of := range [][]uint32{labels, c.marks} {
		for _, label := range of {
			name = binary.BigEndian.AppendUint32(name, label)
		}
	}
	return c.add(name)
}

// Domain returns a domain whose values are the sets of labels, in the order of their labels.
func (c *overlapLabeler) Domain(records []uint64) (Domain, error) {
	names, codes := c.occurring(records)
	out := c.domain(engine.Attribute{
		Mask:    engine.Suppress,
		Texts:   make([]string, len(names)),
		HasNull: true,
	}, records)
	out.Outside = 0
	note := func(labels []uint32, n uint64) {
		if len(labels) == 0 || len(labels) == 1 && c.column.Suppressed != "" && c.column.Tells() {
			out.Outside += n
		}
		c.covers = append(c.covers, labels)
	}
	for code, name := range names {
		out.Codes[codes[code]] = uint32(code)
		note(labelsIn(name), records[codes[code]])
	}
	note(c.nulls, out.Nulls)
	return out, nil
}

// labelsIn returns the labels of a set.
func labelsIn(name string) []uint32 {
	labels := make([]uint32, len(name)/4)
	for i := range labels {
		labels[i] = binary.BigEndian.Uint32([]byte(name[4*i:]))
	}
	return labels
}

// overlapLabeler returns the labeler of a column whose labels may overlap.
func (c *CutColumn) overlapLabeler(budget *spill.Budget) (*overlapLabeler, error) {
	l := &overlapLabeler{places: make(map[int32]uint32), nanIsNull: NaNIsNull(c.Spec, c.Taxonomy)}
	l.labelSpace = labelSpace{
		column: c,
		added: newInterner(formats.Type{Kind: formats.String},
			"sets of labels of column "+c.Spec.Name, budget),
	}
	l.begin = func() find { return l.find }
	_, numbers := c.labels(true)
	var err error
	switch {
	case c.Is(engine.Generalize):
		err = l.coverNodes(numbers)
	case c.Is(engine.Discretize):
		err = l.coverIntervals(numbers)
	default:
		l.coverValues(numbers)
	}
	if err != nil {
		return nil, err
	}
	if c.Suppressed != "" {
		l.marks = numbers[len(c.Cut):]
		l.nulls = append(l.nulls, l.marks...)
	}
	return l, nil
}

// coverValues finds the labels that contain a value.
func (c *overlapLabeler) coverValues(numbers []uint32) {
	by := make(map[string][]uint32)
	for i, label := range c.column.Cut {
		for _, value := range label.Values() {
			if value.Null {
				c.nulls = append(c.nulls, numbers[i])
			} else {
				by[value.Text] = append(by[value.Text], numbers[i])
			}
		}
	}
	c.of = func(values *formats.Values, i int) ([]uint32, bool) {
		text := values.Text(i)
		return by[text], text != engine.Suppressed
	}
}

// coverNodes finds the labels on the path to a value. A value that the taxonomy does not have is
// unmapped, or directly below the root.
func (c *overlapLabeler) coverNodes(numbers []uint32) error {
	taxonomy := c.column.Taxonomy
	generator, err := job.GeneratorOf(taxonomy)
	if err != nil {
		return Untreed(c.column.Spec, err)
	}
	unknown := c.column.Spec.Unknown == job.UnknownRoot
	number := make(map[string]uint32)
	for i, label := range c.column.Cut {
		switch {
		case label.Null:
			c.nulls = append(c.nulls, numbers[i])
		case !unknown && !engine.Takes(generator, label.Label):
			return c.column.mismatch("its taxonomy lacks a node of the cut")
		default:
			if err := c.column.checkLevel(generator, label.Label); err != nil {
				return err
			}
			number[label.Label] = numbers[i]
		}
	}
	root := engine.Ancestry(generator, "")[0]
	if all, ok := number[root]; ok {
		c.nulls = append(c.nulls, all)
	}
	c.of = func(values *formats.Values, i int) (labels []uint32, ok bool) {
		text := values.Text(i)
		path := []string{root, text}
		if ok = engine.Fits(generator, text) || taxonomy.Tree == nil &&
			engine.Takes(generator, text); ok {
			path = engine.Ancestry(generator, text)
		}
		for _, name := range path {
			if label, ok := number[name]; ok {
				labels = append(labels, label)
			}
		}
		slices.Sort(labels)
		return labels, ok || unknown
	}
	return nil
}

// coverIntervals finds the intervals that contain a value.
func (c *overlapLabeler) coverIntervals(numbers []uint32) error {
	column, t := c.column, c.column.Type
	bounds, err := NewBounds(column.Spec, t)
	if err != nil {
		return err
	}
	least, err := NewMinWidth(column.Spec, t)
	if err != nil {
		return err
	}
	o := &overlaps{within: bounds.Span}
	spans := make([]Span, len(column.Cut))
	for i, label := range column.Cut {
		if label.Null {
			c.nulls = append(c.nulls, numbers[i])
			continue
		}
		span, ok := &spans[i], label.Interval
		for _, end := range []struct {
			text []byte
			to   **formats.Values
		}{{label.Lower, &span.Lower}, {label.Upper, &span.Upper}} {
			if text, closed := cutfile.EndText(end.text); closed {
				*end.to = &formats.Values{Type: t}
				ok = ok && (*end.to).Parse(text) == nil
				o.ends = append(o.ends, *end.to)
				if ok && !isAllOf(*end.to, bounds.Lower) && !isAllOf(*end.to, bounds.Upper) {
					if err := column.checkStep(end.text); err != nil {
						return err
					}
				}
			}
		}
		if !ok {
			return column.mismatch("its labels are no intervals of a column of type %s", t)
		}
		if isAllOf(span.Lower, bounds.Lower) && isAllOf(span.Upper, bounds.Upper) {
			c.nulls = append(c.nulls, numbers[i])
		} else if span.Lower != nil && span.Upper != nil {
			width := span.Upper.Float(0) - span.Lower.Float(0)
			if err := column.checkWidth(width, least); err != nil {
				return err
			}
		}
	}
	slices.SortFunc(o.ends, func(a, b *formats.Values) int { return CompareValues(a, 0, b, 0) })
	var list []recheck.Interval
	for i, label := range column.Cut {
		if !label.Null {
			list = append(list, o.interval(&spans[i], numbers[i], label.Ends().Closed()))
		}
	}
	o.intervals, c.spans = recheck.NewIntervals(list), o
	return nil
}

// overlaps are intervals that may overlap.
type overlaps struct {
	within    Span
	ends      []*formats.Values // ascending
	intervals *recheck.Intervals
}

// interval returns the places of a span; its upper end belongs to it if closed.
func (o *overlaps) interval(s *Span, label uint32, closed bool) recheck.Interval {
	of := recheck.Interval{High: 2 * int32(len(o.ends)), Label: label}
	if s.Lower != nil {
		of.Low = o.place(s.Lower, 0)
	}
	if s.Upper != nil {
		if of.High = o.place(s.Upper, 0); !closed {
			of.High--
		}
	}
	return of
}

// place numbers the ends and the gaps between them.
func (o *overlaps) place(values *formats.Values, i int) int32 {
	at, is := sort.Find(len(o.ends), func(e int) int {
		return CompareValues(values, i, o.ends[e], 0)
	})
	if is {
		return 2*int32(at) + 1
	}
	return 2 * int32(at)
}

// isAllOf reports whether an end is the end of the number line.
func isAllOf(end, bound *formats.Values) bool {
	return end == nil || bound != nil && CompareValues(end, 0, bound, 0) == 0
}
