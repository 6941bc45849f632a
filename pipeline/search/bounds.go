package search

import (
	"context"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/masking"
)

// setBounds chooses new bounds of intervals if records are taken away: the roundest values that
// separate released ones. A bound that separates values of the removed records from others would
// disclose something about them. The counts no longer have the values, since values that no search
// separates are one code: so the rows are read once more. Bounds of an earlier cut do not change.
func (s *Search) setBounds(ctx context.Context, counts *count.Counts,
	recoding engine.Recoding) error {
	t := counts.Table
	suppressed, dropped := recoding.Lost()
	if s.given != nil || suppressed+dropped == 0 {
		return nil
	}
	var spans []masking.Spans
	for a := range t.Attributes {
		if starts := StartsOf(&t.Attributes[a], recoding, a); len(starts) > 0 {
			spans = append(spans, masking.Spans{Attribute: a, Starts: starts})
		}
	}
	if len(spans) == 0 {
		return nil
	}
	held := s.Budget.Part(s.Budget.Limit())
	defer func() { held.Return(held.Used()) }()
	recoder, err := s.recoder(recoding, counts, held)
	if err != nil {
		return err
	}
	var names []string
	for _, field := range s.Counted() {
		names = append(names, s.Dataset.Schema().Fields[field].Name)
	}
	table, requests := tableWith(s.Dataset, names)
	recoder.Tuples = requests
	alone := Widest(t.Attributes, recoding, suppressed)
	if err := masking.FindExtremes(ctx, table, &recoder, alone, spans, s.Threads,
		held); err != nil {
		return err
	}
	for i := range spans {
		a := spans[i].Attribute
		field := s.Masked[a]
		if err := Round(&t.Attributes[a], &spans[i], recoding, s.Specs[field],
			s.Dataset.Schema().Fields[field].Type); err != nil {
			return err
		}
	}
	return nil
}

// tableWith returns the table that has columns with some names, and requests for these: among
// several tables of counts, one has all columns that are searched together.
func tableWith(d *dataset.Dataset, names []string) (*dataset.Dataset, []formats.Request) {
	for _, table := range d.Tables() {
		var requests []formats.Request
		for _, name := range names {
			if at := table.Schema().Index(name); at >= 0 {
				requests = append(requests, formats.Request{Column: at, Coded: true})
			}
		}
		if len(requests) == len(names) {
			return table, requests
		}
	}
	panic("no table has all columns that were searched together")
}

// StartsOf returns the codes at which intervals of an attribute start or end, without its ends,
// ascending.
func StartsOf(a *engine.Attribute, recoding engine.Recoding, attribute int) (starts []uint32) {
	for _, i := range recoding.Intervals(attribute) {
		for _, at := range []int{i.Lo, i.Hi} {
			if 0 < at && at < len(a.Texts) {
				starts = append(starts, uint32(at))
			}
		}
	}
	slices.Sort(starts)
	return slices.Compact(starts)
}

// Widest returns the labels that only suppressed records have; nil: there are none, or some
// attribute has no such label.
func Widest(
	attributes []engine.Attribute, recoding engine.Recoding, suppressed uint64,
) (labels []uint32) {
	if cut, ok := recoding.(*engine.Cut); ok {
		return cut.Suppression.Marks
	}
	for a := range attributes {
		text := attributes[a].Widest()
		is := func(l engine.Label) bool { return !l.Null && l.Text == text }
		at := slices.IndexFunc(recoding.Labels(a), is)
		if at < 0 || suppressed == 0 {
			return nil
		}
		labels = append(labels, uint32(at))
	}
	return labels
}

// Round gives the intervals of an attribute, a column of a type, bounds between the values next to
// them.
func Round(
	a *engine.Attribute, s *masking.Spans, recoding engine.Recoding, spec *job.Column,
	t formats.Type,
) error {
	rounding, err := domain.NewRounding(spec, t)
	if err != nil {
		return err
	}
	a.Bounds = slices.Clone(a.Bounds)
	lower, upper := make(map[int]int), make(map[int]int) // codes of bounds, by their former codes
	last := 0
	for i, start := range s.Starts {
		at, next := int(start), len(a.Texts)
		if i+1 < len(s.Starts) {
			next = int(s.Starts[i+1])
		}
		below, from := s.Around(i)
		switch {
		case below == nil: // no value is released there, and so no label ends there
			lower[at] = 0
			continue
		case from == nil:
			upper[at] = len(a.Texts)
			continue
		}
		lower[at], upper[at] = at, at
		a.Bounds[at] = boundBetween(rounding, below, from, a.Bounds[at],
			func(bound engine.Bound) bool {
				a.Bounds[at] = bound
				return a.Splits(last, at, next)
			})
		last = at
	}
	relabel(a, recoding, s.Attribute, lower, upper)
	return nil
}

// boundBetween returns the roundest bound above one value and not above another one that fits: the
// job may want bounds to be further apart. If it does not fit, the value itself is tried, and
// otherwise the bound stays the same, which fits.
func boundBetween(
	rounding *formats.Rounding, below, from *formats.Values, was engine.Bound,
	fits func(engine.Bound) bool,
) engine.Bound {
	if roundest, ok := rounding.Between(below, from); ok {
		if bound := boundAt(roundest); fits(bound) {
			return bound
		}
	}
	if bound := boundAt(from); rounding.Admits(from) && fits(bound) {
		return bound
	}
	return was
}

func boundAt(value *formats.Values) engine.Bound {
	return engine.Bound{Text: value.Text(0), Position: value.Float(0)}
}

// relabel gives the intervals of an attribute its bounds at the new codes of their own.
func relabel(
	a *engine.Attribute, recoding engine.Recoding, attribute int, lower, upper map[int]int,
) {
	labels, intervals := recoding.Labels(attribute), recoding.Intervals(attribute)
	for label := range intervals {
		i := &intervals[label]
		if labels[label].Mark {
			continue
		}
		hi, inner := upper[i.Hi]
		if !inner {
			hi = len(a.Texts)
		}
		*i = a.Interval(lower[i.Lo], hi)
		labels[label].Text = i.Label
	}
	if regions, ok := recoding.(*engine.Regions); ok {
		regions.JoinLabels(attribute)
	}
}
