package formats

import "math"

// Values is a list of values of one type, none of them null.
//
// Values of a type that is InWords are in Words, one 64-bit word each. The unsigned order of words
// is the order of values: signed numbers have their sign bit flipped; floats (widened to 64 bits
// without loss) have all bits flipped if they are negative, and otherwise the sign bit. The
// encoding is a bijection: it keeps every bit of a -0 or NaN. Values of other types are in Data:
// value i is Data[Ends[i-1]:Ends[i]] (from 0 for i = 0). Wide decimals are big-endian two's
// complement of 16 or 32 bytes with the sign bit flipped. INT96 timestamps are 4 bytes of Julian
// day and 8 of nanoseconds, big-endian with the sign bit of the day flipped, so that there, too,
// bytewise order is the order of values.
type Values struct {
	Type  Type
	Words []uint64
	Ends  []uint32
	Data  []byte
}

// Len returns the number of values.
func (v *Values) Len() int {
	if v.Type.InWords() {
		return len(v.Words)
	}
	return len(v.Ends)
}

// Bytes returns the bytes of value i of a type that is not InWords. They are valid while v is, and
// must not be changed.
func (v *Values) Bytes(i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = v.Ends[i-1]
	}
	return v.Data[start:v.Ends[i]:v.Ends[i]]
}

// AppendBytes appends a value of a type that is not InWords.
func (v *Values) AppendBytes(b []byte) {
	v.Data = append(v.Data, b...)
	v.Ends = append(v.Ends, uint32(len(v.Data)))
}

// Clear empties the list, and keeps its memory.
func (v *Values) Clear() { v.Words, v.Ends, v.Data = v.Words[:0], v.Ends[:0], v.Data[:0] }

// Emptied returns an empty list in the memory of v, which must not be read any more. The list has
// its own pointer, so that results for entries of v are not reused.
func (v *Values) Emptied() *Values {
	return &Values{v.Type, v.Words[:0], v.Ends[:0], v.Data[:0]}
}

// The functions below convert in both directions of the encoding of Values: unsigned order of words
// is the order of values, and nothing is lost.

const signBit = 1 << 63

// IntWord returns the word of a signed number.
func IntWord(x int64) uint64 { return uint64(x) ^ signBit }

// WordInt returns the signed number of a word.
func WordInt(w uint64) int64 { return int64(w ^ signBit) }

// FloatWord returns the word of the float64 with these bits.
func FloatWord(bits uint64) uint64 {
	if bits&signBit != 0 {
		return ^bits
	}
	return bits | signBit
}

// WordFloat returns the bits of the float64 of a word.
func WordFloat(w uint64) uint64 {
	if w&signBit != 0 {
		return w &^ signBit
	}
	return ^w
}

// WidenFloat32 returns the bits of the float64 with the value of the float32 with these bits. NaNs
// are converted bit by bit: the processor's conversion would set their quiet bit.
func WidenFloat32(bits uint32) uint64 {
	if bits&0x7f800000 == 0x7f800000 {
		return uint64(bits>>31)<<63 | 0x7ff<<52 | uint64(bits&0x7fffff)<<29
	}
	return math.Float64bits(float64(math.Float32frombits(bits)))
}

// WidenFloat16 returns the bits of the float64 with the value of the IEEE half with these bits.
func WidenFloat16(bits uint16) uint64 {
	sign, exponent, fraction := uint64(bits>>15)<<63, int(bits>>10&0x1f), uint64(bits&0x3ff)
	switch exponent {
	case 0x1f:
		return sign | 0x7ff<<52 | fraction<<42
	case 0:
		return sign | math.Float64bits(math.Ldexp(float64(fraction), -24))
	}
	return sign | uint64(exponent-15+1023)<<52 | fraction<<42
}

// NarrowFloat32 returns the 32-bit float that was widened to these bits, with NaN payloads.
func NarrowFloat32(bits uint64) uint32 {
	if f := math.Float64frombits(bits); f == f {
		return math.Float32bits(float32(f))
	}
	return uint32(bits>>63)<<31 | 0x7f800000 | uint32(bits>>29)&0x7fffff
}

// NarrowFloat16 returns the 16-bit float that was widened to these bits.
func NarrowFloat16(bits uint64) uint16 {
	sign := uint16(bits>>63) << 15
	exponent := int(bits>>52)&0x7ff - 1023
	mantissa := bits & (1<<52 - 1)
	switch {
	case exponent == 1024: // infinity and NaN
		return sign | 0x7c00 | uint16(mantissa>>42)
	case exponent >= -14:
		return sign | uint16(exponent+15)<<10 | uint16(mantissa>>42)
	case exponent >= -24: // subnormal: a multiple of 2^-24
		return sign | uint16((mantissa|1<<52)>>uint(28-exponent))
	}
	return sign
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
