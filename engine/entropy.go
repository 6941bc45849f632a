package engine

import "math"

// sectionBits is the logarithm of the number of sections between a power of two and the next.
const sectionBits = 8

// section is a part of the numbers from 1 to 2.
type section struct {
	inverse float64 // of its middle
	log     float64 // to the base 2, of its middle
}

var sections = newSections()

func newSections() *[1 << sectionBits]section {
	var s [1 << sectionBits]section
	for i := range s {
		middle := 1 + (float64(i)+0.5)/float64(len(s))
		s[i] = section{1 / middle, math.Log2(middle)}
	}
	return &s
}

// NLog returns n × log2 n, 0 for 0, which is what entropies of counts are sums of, with an error
// below n × 10⁻¹³: the logarithm of the middle of n's section, and what the first four terms of
// a series add to it.
func NLog(n uint64) float64 {
	const mantissaBits, bias = 52, 1023
	x := float64(n)
	bits := math.Float64bits(x)
	s := &sections[bits>>(mantissaBits-sectionBits)&(1<<sectionBits-1)]
	exponent := int(bits>>mantissaBits) - bias
	mantissa := math.Float64frombits(bits&(1<<mantissaBits-1) | bias<<mantissaBits)
	d := mantissa*s.inverse - 1
	series := d * (1 - d*(1.0/2-d*(1.0/3-d*(1.0/4))))
	return x * (float64(exponent) + s.log + series*math.Log2E)
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
