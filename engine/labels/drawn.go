package labels

import (
	"math"
	"math/bits"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/classify"
	"github.com/kcut/kcut/engine/cover"
)

// span is the interval of a label on the number line; its width is not a number if it has none.
type span struct{ lower, width float64 }

// steps is the approximate number of steps that drawn numbers are rounded to, or more: every end
// of an interval starts one.
const steps = 1024

// Drawn returns the features of the labels and of the attribute's own values, in one column. Draw
// takes a number from an interval, and one of the values that another label covers, each with the
// same chance. Labels without information are missing.
func (l Labels) Drawn(covers []cover.Cover) (masked, raw Feature) {
	if l.Mask == engine.Discretize {
		return l.numbers()
	}
	raw = Raw(l.Attribute) // a word of a set may be the null, which is missing
	masked = Feature{Column: raw.Column, words: make([]*cover.Cover, len(l.values))}
	for i := range l.values {
		if l.informs(i) {
			masked.words[i] = &covers[i]
		}
	}
	return masked, raw
}

// numbers returns the features of intervals, from which numbers are drawn, and of the attribute's
// own numbers. Numbers are rounded to the middle of a step, the same steps for all intervals:
// otherwise a number would give away from which of several overlapping intervals it was drawn.
func (l Labels) numbers() (masked, raw Feature) {
	var ends []float64
	for i := range l.values {
		s := span{width: math.NaN()}
		if l.informs(i) {
			lower, upper := l.ends(i)
			s = span{lower, upper - lower}
			ends = append(ends, lower, upper)
		}
		masked.spans = append(masked.spans, s)
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	masked.Numeric = true
	for i, end := range ends {
		parts, next := steps/len(ends)+1, end
		if i+1 < len(ends) {
			next = ends[i+1]
		}
		for part := range parts {
			start := end + (next-end)*float64(part)/float64(parts)
			if part > 0 && start <= masked.starts[len(masked.starts)-1] {
				break // numbers have no more digits
			}
			masked.starts = append(masked.starts, start)
		}
	}
	for i, start := range masked.starts {
		middle := start
		if i+1 < len(masked.starts) {
			middle += (masked.starts[i+1] - start) / 2
		}
		masked.Values = append(masked.Values, middle)
	}
	masked.Domain = len(masked.Values) + 1
	raw.Column = classify.Column{Numeric: true, Values: masked.Values, Domain: masked.Domain}
	for _, x := range l.Positions {
		raw.codes = append(raw.codes, masked.step(x))
	}
	raw.codes = append(raw.codes, uint32(raw.Domain-1))
	return masked, raw
}

// step returns the code of the step that a number is in, the first one for smaller numbers.
func (f *Feature) step(x float64) uint32 {
	at, found := slices.BinarySearch(f.starts, x)
	if !found && at > 0 {
		at--
	}
	return uint32(at)
}

// IsDrawn reports whether values of the feature are drawn.
func (f *Feature) IsDrawn() bool { return f.spans != nil || f.words != nil }

// Draw returns the code of a value for a label, by a random number. Dropped records are missing.
func (f *Feature) Draw(of uint32, random uint64) uint32 {
	switch missing := uint32(f.Domain - 1); {
	case !f.IsDrawn():
		return f.Code(of)
	case of == engine.DroppedLabel:
		return missing
	case f.words != nil:
		if f.words[of] == nil {
			return missing
		}
		number, _ := bits.Mul64(random, f.words[of].Values)
		return f.words[of].Value(number)
	case math.IsNaN(f.spans[of].width):
		return missing
	}
	share := float64(random>>11) / (1 << 53) // below 1
	return f.step(f.spans[of].lower + float64(f.spans[of].width*share))
}
