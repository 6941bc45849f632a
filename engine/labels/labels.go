// Package labels measures the information in released labels: as features for classifiers, and as a
// penalty relative to raw values.
//
//	Recoding ──Of──▶ Labels ──Feature──▶ a column of package classify: intervals are numbers,
//	                      │              labels without information are missing
//	                      ├──Drawn─────▶ the same with values that are drawn from the labels
//	                      └──Penalties──▶ the normalized certainty penalty of every label
//	Recoding, Table ──Penalty──▶ that of all records
package labels

import (
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/classify"
	"github.com/kcut/kcut/engine/cover"
)

// Labels are the released values of an attribute.
type Labels struct {
	*engine.Attribute
	Roots bool // the widest labels count as labels, not as missing values

	values    []engine.Label
	intervals []engine.Interval
	global    bool // labels depend only on the attribute's own values
}

// Of returns the labels that a recoding gives an attribute, which is given by its number.
func Of(a *engine.Attribute, recoding engine.Recoding, attribute int) Labels {
	a = a.Even()
	return Labels{
		Attribute: a, values: recoding.Labels(attribute), intervals: recoding.Intervals(attribute),
		global: recoding.Codes(attribute) != nil,
	}
}

// informs reports whether a label has information: it is not the null and does not cover all
// values.
// The mark of suppressed values excludes those that are always disclosed; the mark of suppressed
// records has no information.
func (l Labels) informs(label int) bool {
	v := l.values[label]
	switch {
	case v.Null:
		return false
	case l.Roots:
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

// Feature is a column for classifiers.
type Feature struct {
	classify.Column
	codes []uint32 // of every code of the attribute, or of every label number

	spans  []span    // by label number, if numbers are drawn
	starts []float64 // if numbers are drawn: the starts of the steps that are the codes

	words []*cover.Cover // by label number, if words are drawn; nil: missing
}

// Code returns the feature's code. Dropped records are missing.
func (f *Feature) Code(of uint32) uint32 {
	if of == engine.DroppedLabel {
		return uint32(f.Domain - 1)
	}
	return f.codes[of]
}

// Raw returns the feature of an attribute's own values; nulls are missing.
func Raw(a *engine.Attribute) Feature {
	all := engine.Identity(len(a.Texts) + 1)
	f := Feature{Column: classify.Column{Domain: all.Domain}, codes: all.Codes}
	if a.Mask == engine.Discretize {
		f.Numeric, f.Values = true, a.Even().Positions
	}
	return f
}

// numeric returns a feature of the numbers that are on an ascending scale; others are missing.
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

// Feature returns the feature of an attribute's labels. Intervals become numbers, their midpoints,
// unless nominal. Labels without information are missing.
func (l Labels) Feature(nominal bool) Feature {
	if l.Mask == engine.Discretize && !nominal {
		return numeric(l.midpoints())
	}
	f := Feature{codes: make([]uint32, len(l.values))}
	next := uint32(0)
	for i := range l.values {
		if l.informs(i) {
			f.codes[i] = next
			next++
		}
	}
	f.Domain = int(next) + 1
	for i := range l.values {
		if !l.informs(i) {
			f.codes[i] = next
		}
	}
	return f
}

// midpoints returns the midpoints of intervals, NaN for other labels, and the scale of all
// midpoints.
func (l Labels) midpoints() (middles, scale []float64) {
	for i := range l.values {
		middle := math.NaN()
		if l.informs(i) {
			lower, upper := l.ends(i)
			middle = lower + (upper-lower)/2
			scale = append(scale, middle)
		}
		middles = append(middles, middle)
	}
	slices.Sort(scale)
	return middles, slices.Compact(scale)
}

// BesideRaw returns the features of the labels and of the attribute's own values in one column:
// values lie among the midpoints of intervals, or have the code of the label with the same text,
// else a code that no label has.
func (l Labels) BesideRaw(nominal bool) (masked, raw Feature) {
	if l.Mask == engine.Discretize && !nominal {
		middles, scale := l.midpoints()
		scale = slices.Compact(slices.Sorted(slices.Values(slices.Concat(scale, l.Positions))))
		return numeric(middles, scale), numeric(append(slices.Clone(l.Positions), math.NaN()),
			scale)
	}
	masked = l.Feature(nominal)
	other, missing := uint32(masked.Domain-1), uint32(masked.Domain)
	masked.Domain++
	said := make(map[string]uint32, len(l.values))
	for i, v := range l.values {
		if l.informs(i) {
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
