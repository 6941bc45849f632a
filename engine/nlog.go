package engine

import "math"

// NLog knows n × log2 n of small n, which is what entropies of counts are sums of.
type NLog []float64

// NewNLog returns one that knows 65,536 of them.
func NewNLog() NLog {
	l := make(NLog, 1<<16)
	for n := range l {
		l[n] = nLog(uint64(n))
	}
	return l
}

// Of returns n × log2 n, which is 0 for 0.
func (l NLog) Of(n uint64) float64 {
	if n < uint64(len(l)) {
		return l[n]
	}
	return nLog(n)
}

func nLog(n uint64) float64 {
	if n == 0 {
		return 0
	}
	return float64(n) * math.Log2(float64(n))
}
