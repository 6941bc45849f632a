package topdown

import "github.com/kcut/kcut/engine"

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
		null := make([]uint64, len(frequencies))
		b.null.size = v.count(null, of.hi, of.hi+1)
		b.null.impurity = b.impurity(span{lo: of.hi, hi: of.hi + 1}, null, b.null.size)
		for class, f := range null {
			b.classes[class] -= f
		}
	}
	b.right.size = b.whole.size - b.null.size
	return b
}

// moveTo moves the records of the codes before the given one to the left.
func (b *bisection) moveTo(at int) {
	size := b.count(b.leftClasses, b.at, at)
	b.left.size += size
	b.right.size -= size
	b.at = at
}

// gain returns the gain of splitting where it is.
func (b *bisection) gain() float64 {
	for class, f := range b.classes {
		b.rightClasses[class] = f - b.leftClasses[class]
	}
	b.left.impurity = b.impurity(span{lo: b.lo, hi: b.at}, b.leftClasses, b.left.size)
	b.right.impurity = b.impurity(span{lo: b.at, hi: b.hi}, b.rightClasses, b.right.size)
	return b.gainOf(b.whole, b.left, b.right, b.null)
}

// impurity returns the entropy of the classes or, without a class, the penalty.
func (v *intervals) impurity(of span, classes []uint64, size uint64) float64 {
	if v.classes == 0 {
		return v.penalty(of)
	}
	return engine.Entropy(classes, size)
}
