package engine

import (
	"math"
	"slices"
)

// NLog returns n × log2 n, 0 for 0, which is what entropies of counts are sums of.
func NLog(n uint64) float64 {
	if n == 0 {
		return 0
	}
	return float64(n) * math.Log2(float64(n))
}

// Entropy returns I(R), in bits, of a set of n records with the given class frequencies.
// Its last bits decide ties and are part of the product's promise: plain float64
// arithmetic in the order written. The conversion around the product forbids the compiler
// to fuse it with the addition.
func Entropy(frequencies []uint64, n uint64) float64 {
	sum, size := 0.0, float64(n)
	for _, f := range frequencies {
		if f > 0 {
			p := float64(f) / size
			sum += float64(p * math.Log2(p))
		}
	}
	return -sum
}

// Best finds the first of the candidates that are as good as the best one. Structural ties are
// common, and the last bits of a sum depend on its order, so 1e-9 more decides nothing.
type Best[T any] struct {
	scale float64
	list  []scored[T] // each better than those before it, but not by more than counts
}

type scored[T any] struct {
	loss      float64
	candidate T
}

// Reset forgets all candidates. Differences count by how much of their size, or of a scale, they are.
func (b *Best[T]) Reset(scale float64) { b.scale, b.list = scale, b.list[:0] }

// Offer adds a candidate: the less loss, the better.
func (b *Best[T]) Offer(loss float64, candidate T) {
	if n := len(b.list); n > 0 {
		last := b.list[n-1].loss
		if loss >= last {
			return
		}
		if last > AsGoodAs(loss, b.scale) { // nor do those before it count
			b.list = b.list[:0]
		}
	}
	b.list = append(b.list, scored[T]{loss, candidate})
}

// First returns the first of the best candidates. Not ok: there is none.
func (b *Best[T]) First() (candidate T, ok bool) {
	if len(b.list) == 0 {
		return candidate, false
	}
	limit := AsGoodAs(b.list[len(b.list)-1].loss, b.scale)
	return b.list[slices.IndexFunc(b.list, func(s scored[T]) bool { return s.loss <= limit })].candidate, true
}

// AsGoodAs returns the greatest loss that counts as the same.
func AsGoodAs(loss, scale float64) float64 { return loss + 1e-9*max(scale, math.Abs(loss)) }
