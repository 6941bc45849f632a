package topdown

import (
	"math"

	"github.com/kcut/kcut/engine"
)

// splitCandidates are the codes at which a split of an interval may gain most, ascending: the
// gains of all others are estimated to be so much lower that they are. To estimate a gain takes a
// few nanoseconds a class, to compute one takes logarithms whose last bits count.
type splitCandidates struct {
	codes   []int
	highest float64 // estimate
	slack   float64 // two estimates differ by more only if the gains differ, too
}

// slackOfClass is more than twice what an estimate of a gain, in bits, and the gain itself are
// wrong by, a class. An entropy of c classes is a sum of c products that are rounded to 2⁻⁵³ of
// less than 64; the logarithms of an estimate are wrong by less than 10⁻¹³.
const slackOfClass = 1e-12

// shareCodes are at least looked at by every goroutine that shares in an interval.
const shareCodes = 2048

// candidates returns the codes at which a split may gain most, of a bisection at its start.
func (b *bisection) candidates() []int {
	n := min(b.threads, (b.hi-b.lo)/shareCodes)
	if n <= 1 {
		return b.candidatesAmong(b.lo, b.hi).codes
	}
	shares := make([]splitCandidates, n)
	bound := func(share int) int { return b.lo + share*(b.hi-b.lo)/n }
	each(n, n, func(i int) { shares[i] = b.candidatesAmong(bound(i), bound(i+1)) })
	all := shares[0]
	for _, share := range shares[1:] {
		all.admit(share.highest, share.codes...)
	}
	return all.codes
}

// candidatesAmong returns those among the codes lo ≤ code < hi, and only reads.
func (b *bisection) candidatesAmong(lo, hi int) splitCandidates {
	r := splitCandidates{highest: math.Inf(-1), slack: slackOfClass * float64(len(b.classes)) * float64(b.whole.size)}
	left := make([]uint64, len(b.classes))
	size := b.count(left, b.lo, lo)
	for at := lo; at < hi; at++ {
		if size > 0 && b.occurs(at) {
			r.admit(b.estimate(left, size), at)
		}
		size += b.count(left, at, at+1)
	}
	return r
}

// admit adds codes that come after those it has, the best of which is estimated to gain so much.
func (r *splitCandidates) admit(estimate float64, codes ...int) {
	if estimate > r.highest+r.slack {
		r.codes = r.codes[:0]
	}
	if estimate >= r.highest-r.slack {
		r.codes = append(r.codes, codes...)
	}
	r.highest = max(r.highest, estimate)
}

// estimate returns about the gain of splitting where so many records of the classes are on the
// left, in bits times records, less what is the same for every split. Without a class any may
// be the best.
func (b *bisection) estimate(left []uint64, size uint64) float64 {
	if b.intervals.classes == 0 {
		return 0
	}
	sum := -engine.NLog(size) - engine.NLog(b.right.size-size)
	for class, f := range left {
		sum += engine.NLog(f) + engine.NLog(b.classes[class]-f)
	}
	return sum
}
