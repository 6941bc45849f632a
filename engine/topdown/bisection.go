package topdown

import "github.com/kcut/kcut/engine"

// bisection is an interval divided at a code that moves from its start to its end.
type bisection struct {
	*intervals
	span

	whole, left, right, null part
	leftClasses              []uint64
	rightClasses             []uint64
}

// bisect returns the bisection at the start of an interval: all is on its right, but for
// the null, which is the code after it.
func (v *intervals) bisect(of span, frequencies []uint64, withNull bool) *bisection {
	b := &bisection{intervals: v, span: of}
	b.leftClasses = make([]uint64, len(frequencies))
	b.rightClasses = append([]uint64(nil), frequencies...)
	for _, f := range frequencies {
		b.whole.size += f
	}
	b.whole.impurity = b.impurity(of, frequencies, b.whole.size)
	if withNull {
		null := make([]uint64, len(frequencies))
		b.null.size = v.count(null, of.hi, of.hi+1)
		b.null.impurity = b.impurity(span{lo: of.hi, hi: of.hi + 1}, null, b.null.size)
		for class, f := range null {
			b.rightClasses[class] -= f
		}
	}
	b.right.size = b.whole.size - b.null.size
	return b
}

// pass moves the records of a code from the right to the left.
func (b *bisection) pass(code int) {
	h := b.histogram
	for i := h.Start[code]; i < h.Start[code+1]; i++ {
		b.leftClasses[h.Class[i]] += h.Count[i]
		b.rightClasses[h.Class[i]] -= h.Count[i]
		b.left.size += h.Count[i]
		b.right.size -= h.Count[i]
	}
}

// gainAt returns the gain of splitting at a code when all before it have passed.
func (b *bisection) gainAt(code int) float64 {
	b.left.impurity = b.impurity(span{lo: b.lo, hi: code}, b.leftClasses, b.left.size)
	b.right.impurity = b.impurity(span{lo: code, hi: b.hi}, b.rightClasses, b.right.size)
	return b.gainOf(b.whole, b.left, b.right, b.null)
}

// impurity returns the entropy of the classes or, without a class, the penalty.
func (v *intervals) impurity(of span, classes []uint64, size uint64) float64 {
	if v.classes == 0 {
		return v.penalty(of)
	}
	return engine.Entropy(classes, size)
}
