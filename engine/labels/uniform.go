package labels

import (
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/classify"
)

// span is the interval of a label on the number line; its width is not a number if it has none.
type span struct{ lower, width float64 }

// steps is the approximate number of steps that drawn numbers are rounded to, or more: every end
// of an interval starts one.
const steps = 1024

// Uniform returns the features of the labels of a discretized attribute and of its own values, in
// one column. An interval is a number that Draw draws uniformly from it; other labels are missing.
// Numbers are rounded to the middle of a step, the same steps for all intervals: otherwise a number
// would give away from which of several overlapping intervals it was drawn.
func (l Labels) Uniform() (masked, raw Feature) {
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
func (f *Feature) IsDrawn() bool { return f.spans != nil }

// Draw returns the code of a value for a label, by a random number. Dropped records are missing.
func (f *Feature) Draw(of uint32, random uint64) uint32 {
	if !f.IsDrawn() {
		return f.Code(of)
	}
	if of == engine.DroppedLabel || math.IsNaN(f.spans[of].width) {
		return uint32(f.Domain - 1)
	}
	share := float64(random>>11) / (1 << 53) // below 1
	return f.step(f.spans[of].lower + float64(f.spans[of].width*share))
}
