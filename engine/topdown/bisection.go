package topdown

import (
	"math"

	"github.com/kcut/kcut/engine"
)

// bisection is an interval divided at a code that moves from its start to its end.
type bisection struct {
	*intervals
	span
	at int // the code: the first one on the right

	whole, left, right, null part
	classes                  []uint64 // of the records on either side
	leftClasses              []uint64
	rightClasses             []uint64
}

// bisect returns the bisection at the start of an interval: all is on its right, but for
// the null, which is the code after it.
func (v *intervals) bisect(of span, frequencies []uint64, withNull bool) *bisection {
	b := &bisection{intervals: v, span: of, at: of.lo}
	n := len(frequencies)
	room := make([]uint64, 3*n)
	b.classes, b.leftClasses, b.rightClasses = room[:n], room[n:2*n], room[2*n:]
	copy(b.classes, frequencies)
	for _, f := range frequencies {
		b.whole.size += f
	}
	b.whole.impurity = b.impurity(of, frequencies, b.whole.size)
	if withNull {
		null := make([]uint64, n)
		b.null.size = v.count(null, of.hi, of.hi+1)
		b.null.impurity = b.impurity(span{lo: of.hi, hi: of.hi + 1}, null, b.null.size)
		for class, f := range null {
			b.classes[class] -= f
		}
	}
	b.right.size = b.whole.size - b.null.size
	return b
}

// gain returns the gain of splitting at a code, which is not below the last one.
func (b *bisection) gain(at int) float64 {
	size := b.count(b.leftClasses, b.at, at)
	b.left.size += size
	b.right.size -= size
	b.at = at
	for class, f := range b.classes {
		b.rightClasses[class] = f - b.leftClasses[class]
	}
	b.left.impurity = b.impurity(span{lo: b.lo, hi: at}, b.leftClasses, b.left.size)
	b.right.impurity = b.impurity(span{lo: at, hi: b.hi}, b.rightClasses, b.right.size)
	return b.gainOf(b.whole, b.left, b.right, b.null)
}

// impurity returns the entropy of the classes or, without a class, the penalty.
func (v *intervals) impurity(of span, classes []uint64, size uint64) float64 {
	if v.classes == 0 {
		return v.penalty(of)
	}
	return engine.Entropy(classes, size)
}

// slackOfClass is more than twice what an estimate of a gain, in bits, and the gain itself are
// wrong by, a class. An entropy of c classes is a sum of c products that are rounded to 2⁻⁵³ of
// less than 64; the logarithms of an estimate are wrong by less than 10⁻¹³.
const slackOfClass = 1e-12

// candidates returns the codes at which a split of a bisection at its start may gain most,
// ascending: the gains of all others are estimated to be so much lower that they are. To estimate
// a gain takes a few nanoseconds a class, to compute one takes logarithms whose last bits count.
func (b *bisection) candidates() (codes []int) {
	highest := math.Inf(-1)
	slack := slackOfClass * float64(len(b.classes)) * float64(b.whole.size)
	left, size := make([]uint64, len(b.classes)), uint64(0)
	for at := b.lo; at < b.hi; at++ {
		if size > 0 && b.occurs(at) {
			estimate := b.estimate(left, size)
			if estimate > highest+slack {
				codes = codes[:0]
			}
			if estimate >= highest-slack {
				codes = append(codes, at)
			}
			highest = max(highest, estimate)
		}
		size += b.count(left, at, at+1)
	}
	return codes
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
