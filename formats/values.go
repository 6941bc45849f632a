package formats

// Values is a list of values of one type, none of them null.
//
// Types with InWords lie in Words, one 64-bit word a value, so encoded that unsigned
// order of words is the order of values: signed numbers have their sign bit flipped,
// floats (widened to 64 bits, losslessly) all bits if negative and the sign bit if not.
// The encoding is a bijection: a kept -0 or NaN comes back bit for bit. All other types
// lie in Data: value i is Data[Ends[i-1]:Ends[i]] (from 0 for i = 0). Wide decimals are
// big-endian two's complement of 16 or 32 bytes with the sign bit flipped, INT96
// timestamps 4 bytes of Julian day and 8 of nanoseconds, big-endian with the sign bit of
// the day flipped, so that bytewise order is the order of values there too.
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

// Bytes returns the bytes of value i of a type that is not InWords. They are valid
// while v is and must not be changed.
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
