package risk

import "github.com/kcut/kcut/formats"

// Hashes are the hashes of one column's values, for one goroutine. They depend on the values alone,
// and so do counts by these hashes.
type Hashes struct {
	of     *formats.Values
	byCode []uint64
	least  uint64 // the smallest one
}

// Null is the hash of null, an arbitrary constant.
const Null = 0x6a09e667f3bcc909

// Learn returns the hashes of a column's codes, null first, until the next call. It does not hash
// values again that it has seen earlier in the same list.
func (h *Hashes) Learn(values *formats.Values) []uint64 {
	if h.of != values {
		h.of, h.byCode, h.least = values, append(h.byCode[:0], Null), Null
	}
	for i := len(h.byCode) - 1; i < values.Len(); i++ {
		hash := HashValue(values, i)
		h.byCode, h.least = append(h.byCode, hash), min(h.least, hash)
	}
	return h.byCode
}

// learned returns the number of values of a list that Learn has hashed.
func (h *Hashes) learned(values *formats.Values) int {
	if h.of != values {
		return 0
	}
	return len(h.byCode) - 1
}

// HashValue returns the hash of one value of a list.
func HashValue(values *formats.Values, i int) uint64 {
	if values.Type.InWords() {
		return Scatter(values.Words[i])
	}
	hash := uint64(0xcbf29ce484222325) // FNV-1a
	for _, b := range values.Bytes(i) {
		hash = (hash ^ uint64(b)) * 0x100000001b3
	}
	return Scatter(hash)
}

// Join adds a value to a tuple and returns the hash of the longer tuple. The empty tuple has hash
// 0. The hashes of values have all bits scattered. Tuples are sums of multiples of these hashes, so
// their bits are scattered, too.
func Join(tuple, value uint64) uint64 { return tuple*0x9e3779b97f4a7c15 + value }

// JoinAll adds the values of columns to tuples, one tuple per row. Every column has codes, and
// hashes by code. JoinAll takes four columns at a time, whose intermediate tuples are not stored.
func JoinAll(tuples []uint64, codes [][]uint32, byCode [][]uint64) {
	for ; len(codes) >= 4; codes, byCode = codes[4:], byCode[4:] {
		joinFour(tuples, codes[0], codes[1], codes[2], codes[3], byCode[0], byCode[1], byCode[2],
			byCode[3])
	}
	for c, column := range codes {
		hashes := byCode[c]
		for i, code := range column[:len(tuples)] {
			tuples[i] = Join(tuples[i], hashes[code])
		}
	}
}

func joinFour(tuples []uint64, a, b, c, d []uint32, ofA, ofB, ofC, ofD []uint64) {
	n := len(tuples)
	a, b, c, d = a[:n], b[:n], c[:n], d[:n]
	for i, tuple := range tuples {
		tuples[i] = Join(Join(Join(Join(tuple, ofA[a[i]]), ofB[b[i]]), ofC[c[i]]), ofD[d[i]])
	}
}

// Scatter spreads the bits of a word over all its bits (Steele and others 2014).
func Scatter(w uint64) uint64 {
	w += 0x9e3779b97f4a7c15
	w = (w ^ w>>30) * 0xbf58476d1ce4e5b9
	w = (w ^ w>>27) * 0x94d049bb133111eb
	return w ^ w>>31
}
