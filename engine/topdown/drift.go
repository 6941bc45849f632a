package topdown

import "math"

// drift bounds how far the gains of a suppressed column rise while its values are disclosed. Each
// disclosure changes the gains of all remaining values, and computing all of them at each step
// takes time that grows with the square of their number. With the bound, only gains that may be the
// best are computed.
//
// Let R be the suppressed records, N of them, r_c of class c, and v_c, n in all, those of a value.
// With ψ(x) = x log2 x the value's gain, times N, is
//
//	G(R) = a(N, n) − Σ a(r_c, v_c) + ψ(v) terms without R,   a(x, m) = ψ(x) − ψ(x−m).
//
// When R shrinks to R′, which still has the value's records, a(x, m) − a(x′, m) is the integral of
// f(s) = log2 (x−s)/(x′−s) over 0 ≤ s ≤ m. f is not negative, ascending and convex. So
//
//	G(R′) − G(R) ≤ Σ v_c (e_c − log2 N/N′),
//
// where e_c is at least the mean of f over 0 ≤ s ≤ M, for x = r_c, x′ = r′_c, and M ≥ v_c: the mean
// of f(0) and f(M), as f is convex, or the value of the integral for M = r′_c. The sums add up over
// disclosures.
//
// A bound may be computed with a horizon instead, which is above the sum of every class. It holds
// until the sum of a class exceeds its horizon.
type drift struct {
	most    []uint64  // by class: the largest number of records of a value
	rise    []float64 // by class: Σ e_c − log2 N/N′
	horizon []float64 // by class: bounds hold until rise exceeds it
	beyond  bool      // a rise has exceeded its horizon
	ahead   float64   // distance of new horizons from the rise
	spent   int       // number of gains computed since the last renewal
}

// rounding exceeds the error of a step, or of a product, in float arithmetic.
const rounding = 1e-14

// boundsOfGain is the number of bounds that can be renewed in the time for one gain: taking a group
// out of the heap, computing its gain, and putting it back.
const boundsOfGain = 4

func newDrift(classes int) drift {
	return drift{
		most:    make([]uint64, classes),
		rise:    make([]float64, classes),
		horizon: make([]float64, classes),
		ahead:   1,
	}
}

// advance adds the disclosure of a value, given the number of suppressed records and their classes
// before and after it.
func (d *drift) advance(before, after uint64, classesBefore, classesAfter []uint64) {
	if after == 0 || len(classesAfter) < 2 {
		return
	}
	size := logRatio(after, before-after)
	for class, left := range classesAfter {
		if left == 0 {
			continue
		}
		d.rise[class] += rounding - size
		if fewer := classesBefore[class] - left; fewer > 0 {
			d.rise[class] += meanRise(left, fewer, d.most[class])
		}
		d.beyond = d.beyond || d.rise[class] > d.horizon[class]
	}
}

// logRatio returns log2 (n + more)/n.
func logRatio(n, more uint64) float64 { return math.Log1p(float64(more)/float64(n)) / math.Ln2 }

// meanRise returns an upper bound of e_c: left records of a class remain after fewer were
// disclosed, and a value has at most most of them.
func meanRise(left, fewer, most uint64) float64 {
	x, d := float64(left), float64(fewer)
	all := logRatio(left, fewer) + d/x*math.Log1p(x/d)/math.Ln2
	if most >= left {
		return all
	}
	return min(all, (logRatio(left, fewer)+logRatio(left-most, fewer))/2)
}

// renew sets the horizons ahead of the rise; for rare classes farther, since their sums rise in
// larger steps. The distance shrinks if computing gains since the last renewal cost more than
// renewing the bounds of the groups, and grows otherwise.
func (d *drift) renew(groups int, classes []uint64) {
	if d.spent > groups/boundsOfGain {
		d.ahead /= 2
	} else {
		d.ahead *= 2
	}
	for class, n := range classes {
		d.horizon[class] = d.rise[class] + d.ahead/math.Sqrt(float64(max(1, n)))
	}
	d.spent, d.beyond = 0, false
}
