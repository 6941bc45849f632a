package formats

import "math"

// The functions of this file are the two directions of the encoding that Values
// describes: unsigned order of words is the order of values, and nothing is lost.

const signBit = 1 << 63

// intWord returns the word of a signed number.
func intWord(x int64) uint64 { return uint64(x) ^ signBit }

// wordInt returns the signed number of a word.
func wordInt(w uint64) int64 { return int64(w ^ signBit) }

// floatWord returns the word of the float64 with these bits.
func floatWord(bits uint64) uint64 {
	if bits&signBit != 0 {
		return ^bits
	}
	return bits | signBit
}

// wordFloat returns the bits of the float64 of a word.
func wordFloat(w uint64) uint64 {
	if w&signBit != 0 {
		return w &^ signBit
	}
	return ^w
}

// widenFloat32 returns the bits of the float64 with the value of the float32 with these
// bits. NaNs are moved bit by bit: the processor's conversion would set their quiet bit.
func widenFloat32(bits uint32) uint64 {
	if bits&0x7f800000 == 0x7f800000 {
		return uint64(bits>>31)<<63 | 0x7ff<<52 | uint64(bits&0x7fffff)<<29
	}
	return math.Float64bits(float64(math.Float32frombits(bits)))
}

// widenFloat16 returns the bits of the float64 with the value of the IEEE half with these bits.
func widenFloat16(bits uint16) uint64 {
	sign, exponent, fraction := uint64(bits>>15)<<63, int(bits>>10&0x1f), uint64(bits&0x3ff)
	switch exponent {
	case 0x1f:
		return sign | 0x7ff<<52 | fraction<<42
	case 0:
		return sign | math.Float64bits(math.Ldexp(float64(fraction), -24))
	}
	return sign | uint64(exponent-15+1023)<<52 | fraction<<42
}

// roundFloat16 returns the half nearest to x, ties to even, as a float64.
func roundFloat16(x float64) float64 {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return x
	}
	_, exponent := math.Frexp(x)
	quantum := math.Ldexp(1, max(exponent-11, -24))
	rounded := math.Copysign(math.RoundToEven(x/quantum)*quantum, x)
	if math.Abs(rounded) > 65504 {
		return math.Inf(int(math.Copysign(1, x)))
	}
	return rounded
}
