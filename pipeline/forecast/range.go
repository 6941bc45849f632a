package forecast

import "math"

// Range is what a number is expected to lie in, both ends included.
type Range struct {
	AtLeast int64 `json:"at_least"`
	AtMost  int64 `json:"at_most"`
}

// Exactly returns the range of one number.
func Exactly(n int64) Range { return Range{n, n} }

// within returns the part of a range that lies in another, or the end nearest to it.
func (r Range) within(other Range) Range {
	clamp := func(n int64) int64 { return min(max(n, other.AtLeast), other.AtMost) }
	return Range{clamp(r.AtLeast), clamp(r.AtMost)}
}

// plus returns the range of a sum.
func (r Range) plus(other Range) Range {
	return Range{add(r.AtLeast, other.AtLeast), add(r.AtMost, other.AtMost)}
}

// times returns the range of a product with numbers that are at least 0.
func (r Range) times(low, high float64) Range {
	return Range{toInt(float64(r.AtLeast) * low), toInt(float64(r.AtMost) * high)}
}

// Verdict is whether something will be.
type Verdict string

// The verdicts.
const (
	No    Verdict = "no"
	Maybe Verdict = "maybe"
	Yes   Verdict = "yes"
)

// above returns whether a number that lies in a range is above another.
func (r Range) above(n int64) Verdict {
	switch {
	case r.AtMost <= n:
		return No
	case r.AtLeast > n:
		return Yes
	}
	return Maybe
}

// See makes the range of a number of values or tuples what an excerpt shows, within the bounds
// that are known.
func (r *Range) See(s Sighting, rows int64) {
	*r = s.Extrapolate(rows).within(Range{s.Distinct, max(s.Distinct, r.AtMost)})
}

// add and multiply stop at the largest number. They take none below 0.
func add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func multiply(a, b int64) int64 {
	if a > 0 && b > math.MaxInt64/a {
		return math.MaxInt64
	}
	return a * b
}

// toInt rounds a number that is at least 0.
func toInt(x float64) int64 {
	if x >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(math.Round(x))
}
