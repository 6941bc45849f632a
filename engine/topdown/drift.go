package topdown

import "math"

// drift bounds how far the gains of a suppressed column rise while its values are disclosed. Each disclosure changes
// the gains of all values that are left, and to compute them all at each step takes a time that grows with the square
// of their number. With the bound only those are computed that may be the best.
//
// Let R be the suppressed records, N of them, r_c of class c, and v_c, n in all, those of a value. With ψ(x) = x log2 x
// the value's gain, times N, is
//
//	G(R) = a(N, n) − Σ a(r_c, v_c) + ψ(v) terms that do not depend on R,   a(x, m) = ψ(x) − ψ(x−m).
//
// When R shrinks to R′, which still has the value's records, a(x, m) − a(x′, m) is the integral of
// f(s) = log2 (x−s)/(x′−s) over 0 ≤ s ≤ m. f is not negative, ascends and is convex. So
//
//	G(R′) − G(R) ≤ Σ v_c (e_c − log2 N/N′),
//
// where e_c is at least the mean of f over 0 ≤ s ≤ M, for x = r_c, x′ = r′_c, and M ≥ v_c: the mean of f(0) and f(M),
// as f is convex, or what the integral is for M = r′_c. The sums add up over disclosures.
//
// A bound that is computed with a horizon instead, which is above the sum of every class, holds until one is above it.
type drift struct {
	most    []uint64  // by class: records of a value at most
	rise    []float64 // by class: Σ e_c − log2 N/N′
	horizon []float64 // by class: until it rises above this, bounds hold
	beyond  bool      // it has
	ahead   float64   // how far horizons are put above the rise
	spent   int       // gains that were computed since then
}

// rounding is more than what a step, or a product, is wrong by for the arithmetic of floats.
const rounding = 1e-14

// boundsOfGain is how many bounds are renewed in the time in which a group is taken out of the heap, its gain is
// computed, and it is put back.
const boundsOfGain = 4

func newDrift(classes int) drift {
	return drift{
		most: make([]uint64, classes), rise: make([]float64, classes), horizon: make([]float64, classes), ahead: 1,
	}
}

// advance adds the disclosure of a value. It takes the number of suppressed records, and their
// classes, before and after it.
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

// meanRise returns the upper limit of e_c where left records of a class remain, after fewer were
// disclosed, and a value has at most most of them.
func meanRise(left, fewer, most uint64) float64 {
	x, d := float64(left), float64(fewer)
	all := logRatio(left, fewer) + d/x*math.Log1p(x/d)/math.Ln2
	if most >= left {
		return all
	}
	return min(all, (logRatio(left, fewer)+logRatio(left-most, fewer))/2)
}

// renew puts the horizons ahead, those of rare classes farther, which rise in larger steps: less
// far than before if the gains that were computed since then cost more than to renew the bounds of
// the groups, else farther.
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
