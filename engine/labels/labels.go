// Package labels is what released labels tell: to classifiers, as features, and how much less they tell than values.
//
//	Recoding ──Of──▶ Labels ──Feature──▶ a column of package classify: intervals are numbers, what tells nothing is missing
//	                      └──Penalties──▶ the normalized certainty penalty of every label
//	Recoding, Table ──Penalty──▶ that of all records
package labels

import (
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/classify"
)

// Labels are the released values of an attribute.
type Labels struct {
	*engine.Attribute
	Roots bool // the widest labels are labels like any other, instead of missing values

	values    []engine.Label
	intervals []engine.Interval
	global    bool // labels depend on the attribute's own values alone
}

// Of returns the labels that a recoding gives an attribute, by its number.
func Of(a *engine.Attribute, recoding engine.Recoding, attribute int) Labels {
	a = a.Even()
	return Labels{
		Attribute: a, values: recoding.Labels(attribute), intervals: recoding.Intervals(attribute),
		global: recoding.Codes(attribute) != nil,
	}
}

// tells reports whether a label tells anything: it is neither the null nor covers everything.
// The mark of suppressed values tells that a value is none of those that are always disclosed, that of suppressed
// records nothing.
func (l Labels) tells(label int) bool {
	v := l.values[label]
	switch {
	case v.Null:
		return false
	case l.Roots && l.Mask != engine.Suppress:
		return true
	case v.Mark:
		return false
	case l.Mask == engine.Discretize:
		i := l.intervals[label]
		return i.Lo > 0 || i.Hi < len(l.Texts)
	case l.Mask == engine.Generalize:
		return v.Text != l.Tree.Name(0)
	}
	return l.global || v.Text != engine.Suppressed
}

// ends returns the ends of an interval on the number line; a mark covers all of it.
func (l Labels) ends(label int) (lower, upper float64) {
	if l.values[label].Mark {
		return l.Lower, l.Upper
	}
	return l.Ends(l.intervals[label].Lo, l.intervals[label].Hi)
}

// Feature is a column as classifiers see it.
type Feature struct {
	classify.Column
	codes []uint32 // of every code of the attribute, or of every number of a label
}

// Code returns the feature's code. What was dropped is missing.
func (f *Feature) Code(of uint32) uint32 {
	if of == engine.DroppedLabel {
		return uint32(f.Domain - 1)
	}
	return f.codes[of]
}

// Raw returns an attribute's own values; nulls are missing.
func Raw(a *engine.Attribute) Feature {
	all := engine.Identity(len(a.Texts) + 1)
	f := Feature{Column: classify.Column{Domain: all.Domain}, codes: all.Codes}
	if a.Mask == engine.Discretize {
		f.Numeric, f.Values = true, a.Even().Positions
	}
	return f
}

// numeric returns a feature of numbers that are on a scale, which ascends; others are missing.
func numeric(numbers, scale []float64) Feature {
	f := Feature{Column: classify.Column{Numeric: true, Values: scale, Domain: len(scale) + 1}}
	for _, x := range numbers {
		at, found := slices.BinarySearch(scale, x)
		if !found {
			at = len(scale)
		}
		f.codes = append(f.codes, uint32(at))
	}
	return f
}

// Feature returns an attribute's labels: those of intervals are numbers, their midpoints,
// unless they are to be nominal. Labels that tell nothing are missing.
func (l Labels) Feature(nominal bool) Feature {
	if l.Mask == engine.Discretize && !nominal {
		return numeric(l.midpoints())
	}
	f := Feature{codes: make([]uint32, len(l.values))}
	next := uint32(0)
	for i := range l.values {
		if l.tells(i) {
			f.codes[i] = next
			next++
		}
	}
	f.Domain = int(next) + 1
	for i := range l.values {
		if !l.tells(i) {
			f.codes[i] = next
		}
	}
	return f
}

// midpoints returns those of intervals, or no number, and the scale of all.
func (l Labels) midpoints() (middles, scale []float64) {
	for i := range l.values {
		middle := math.NaN()
		if l.tells(i) {
			lower, upper := l.ends(i)
			middle = lower + (upper-lower)/2
			scale = append(scale, middle)
		}
		middles = append(middles, middle)
	}
	slices.Sort(scale)
	return middles, slices.Compact(scale)
}

// BesideRaw returns the feature of the labels and that of the attribute's own values as one
// column: values lie among the midpoints of intervals, or have the code of the label that
// says the same, else one that no label has.
func (l Labels) BesideRaw(nominal bool) (masked, raw Feature) {
	if l.Mask == engine.Discretize && !nominal {
		middles, scale := l.midpoints()
		scale = slices.Compact(slices.Sorted(slices.Values(slices.Concat(scale, l.Positions))))
		return numeric(middles, scale), numeric(append(slices.Clone(l.Positions), math.NaN()), scale)
	}
	masked = l.Feature(nominal)
	other, missing := uint32(masked.Domain-1), uint32(masked.Domain)
	masked.Domain++
	said := make(map[string]uint32, len(l.values))
	for i, v := range l.values {
		if l.tells(i) {
			said[v.Text] = masked.codes[i]
		} else {
			masked.codes[i] = missing
		}
	}
	raw.Column = masked.Column
	for _, text := range l.Texts {
		code, ok := said[text]
		if !ok {
			code = other
		}
		raw.codes = append(raw.codes, code)
	}
	raw.codes = append(raw.codes, missing)
	return masked, raw
}
