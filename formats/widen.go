package formats

import "math"

// Fits reports whether every value of a type, or at least each one that Widen accepts, is a value
// of another type:
//
//	no type          any
//	integer          one of more bits, or a float
//	float            one of more bits
//	decimal          one with as many digits before the point and behind it, or more
//	time, timestamp  one of a finer unit, in the same zone
//	bytes            of variable length for fixed length
func (t Type) Fits(other Type) bool {
	switch {
	case t == other || t.Kind == Null:
		return true
	case t.Kind == Uint && other.Kind == Int:
		return t.Bits < other.Bits
	case t.isInteger() && other.Kind == Float:
		return true
	case t.Kind != other.Kind:
		return false
	}
	switch t.Kind {
	case Int, Uint, Float:
		return t.Bits <= other.Bits
	case Decimal:
		return t.Scale <= other.Scale && t.Precision-t.Scale <= other.Precision-other.Scale
	case Time, Timestamp:
		return t.Zone == other.Zone && !t.Wide && (t.Unit <= other.Unit || other.Wide)
	case Binary:
		return other.Size == 0
	}
	return false
}

func (t Type) isInteger() bool { return t.Kind == Int || t.Kind == Uint }

// SameWords reports whether values of a type that fits another one have the same words there.
func (t Type) SameWords(other Type) bool {
	return t.Kind == other.Kind && t.InWords() && other.InWords() && t.Unit == other.Unit &&
		t.Scale == other.Scale
}

// Widen appends entry i of values whose type fits the type of v, and reports whether it is exact:
// not every integer is a float, and not every time is in the range of a finer unit.
func (v *Values) Widen(values *Values, i int) bool {
	from, to := values.Type, v.Type
	switch {
	case from.SameWords(to):
		v.Words = append(v.Words, values.Words[i])
	case from.isInteger() && to.Kind == Int:
		v.Words = append(v.Words, IntWord(int64(values.Words[i])))
	case from.isInteger():
		word, exact := floatOfWhole(from, to, values.Words[i])
		v.Words = append(v.Words, word)
		return exact
	case from.Kind == Binary:
		v.AppendBytes(values.Bytes(i))
	case from.Kind == Time || from.Kind == Timestamp && !to.Wide:
		factor := int64(math.Pow10(3 * int(to.Unit-from.Unit)))
		x := WordInt(values.Words[i])
		v.Words = append(v.Words, IntWord(x*factor))
		return x*factor/factor == x
	default: // decimals, and timestamps that become wide
		return v.Parse(values.Text(i)) == nil
	}
	return true
}

// floatOfWhole returns the word of a float with the value of a whole number, and whether it is
// exact.
func floatOfWhole(from, to Type, word uint64) (float uint64, exact bool) {
	x, negative := word, false
	if signed := WordInt(word); from.Kind == Int {
		x, negative = uint64(max(signed, -signed)), signed < 0
	}
	// bits of the integers that are all exact as floats
	size := map[int]int{16: 11, 32: 24, 64: 53}[to.Bits]
	f := float64(x)
	if negative {
		f = -f
	}
	return FloatWord(math.Float64bits(f)), x <= 1<<size
}
