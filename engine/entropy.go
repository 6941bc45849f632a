package engine

import "math"

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
