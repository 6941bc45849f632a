package sample

import "math/bits"

// random is a SplitMix64 generator (Steele, Lea, Flood, 2014). Each person starts a new one, so
// that any row can be made without those before it.
type random uint64

const goldenGamma = 0x9e3779b97f4a7c15

// randomAt returns the generator of a row. The row is mixed before it is added: generators that
// started one step apart would yield the same numbers, shifted.
func randomAt(seed uint64, row int64) random {
	return random(mix64(seed+goldenGamma) ^ mix64(uint64(row)*0xd1342543de82ef95+1))
}

func (r *random) next() uint64 {
	*r += goldenGamma
	return mix64(uint64(*r))
}

// below returns a number from 0 to n−1; its bias is below n/2^64.
func (r *random) below(n uint64) uint64 {
	high, _ := bits.Mul64(r.next(), n)
	return high
}

// mix64 is SplitMix64's output function, a bijection.
func mix64(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// alias draws from a discrete distribution in constant time (Walker's method in Vose's
// form, in integers so that every machine draws the same).
type alias struct {
	keep  []uint32 // probability, times 2^32, that a slot yields itself
	other []uint32 // the value otherwise
}

// newAlias returns a distribution over 0 to len(weights)−1. The weights' sum is positive.
func newAlias(weights []uint64) alias {
	n := len(weights)
	a := alias{keep: make([]uint32, n), other: make([]uint32, n)}
	var total uint64
	for _, w := range weights {
		total += w
	}
	left := make([]uint64, n) // weight still to be placed, in units where a full slot is total
	var small, large []int
	for i, w := range weights {
		left[i] = w * uint64(n)
		if left[i] < total {
			small = append(small, i)
		} else {
			large = append(large, i)
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		a.keep[s], a.other[s] = fraction32(left[s], total), uint32(l)
		left[l] -= total - left[s]
		if left[l] < total {
			large = large[:len(large)-1]
			small = append(small, l)
		}
	}
	for _, i := range append(small, large...) {
		a.keep[i], a.other[i] = 1<<32-1, uint32(i)
	}
	return a
}

// fraction32 returns part/whole in units of 2^−32, for part < whole.
func fraction32(part, whole uint64) uint32 {
	high, low := bits.Mul64(part, 1<<32)
	quotient, _ := bits.Div64(high, low, whole)
	return uint32(quotient)
}

func (a *alias) draw(r *random) uint32 {
	x := r.next()
	slot := x >> 32 * uint64(len(a.keep)) >> 32
	if uint32(x) < a.keep[slot] {
		return uint32(slot)
	}
	return a.other[slot]
}
