package engine

import (
	"math"
	"slices"
)

// NLog returns n × log2 n, or 0 for 0: entropies of counts are sums of it.
func NLog(n uint64) float64 {
	if n == 0 {
		return 0
	}
	return float64(n) * math.Log2(float64(n))
}

// Entropy returns I(R), in bits, of a set of n records with the given class frequencies. Its last
// bits decide ties and are part of the product's promise: it uses plain float64 arithmetic in the
// order written. The conversion around the product forbids the compiler to fuse it with the
// addition.
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

// Best finds the first of several candidates that are equally good. Ties by structure are common,
// and the last bits of a sum depend on its order, so a relative difference of 1e-9 decides nothing.
type Best[T any] struct {
	scale float64
	list  []scored[T] // each is better than those before it, but not by enough to count
}

type scored[T any] struct {
	loss      float64
	candidate T
}

// Reset removes all candidates. Differences are relative to the losses, or to scale if that is
// larger.
func (b *Best[T]) Reset(scale float64) { b.scale, b.list = scale, b.list[:0] }

// Offer adds a candidate. A smaller loss is better.
func (b *Best[T]) Offer(loss float64, candidate T) {
	if n := len(b.list); n > 0 {
		last := b.list[n-1].loss
		if loss >= last {
			return
		}
		if last > AsGoodAs(loss, b.scale) { // the earlier ones are no longer as good, either
			b.list = b.list[:0]
		}
	}
	b.list = append(b.list, scored[T]{loss, candidate})
}

// First returns the first of the best candidates; ok is false if there is none.
func (b *Best[T]) First() (candidate T, ok bool) {
	if len(b.list) == 0 {
		return candidate, false
	}
	limit := AsGoodAs(b.list[len(b.list)-1].loss, b.scale)
	return b.list[slices.IndexFunc(b.list, func(s scored[T]) bool {
		return s.loss <= limit
	})].candidate, true
}

// AsGoodAs returns the greatest loss that counts as equal.
func AsGoodAs(loss, scale float64) float64 { return loss + 1e-9*max(scale, math.Abs(loss)) }
