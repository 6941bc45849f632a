package formats

import "hash/maphash"

// valueTable gives each distinct value a code, in the order of their first appearance,
// and keeps the values: codes are positions in them plus one.
type valueTable struct {
	values *Values
	slots  []uint32 // codes; 0 is empty
	seed   maphash.Seed
}

// newValueTable returns a table that knows the values already in the list.
func newValueTable(values *Values) *valueTable {
	t := &valueTable{values: values, seed: maphash.MakeSeed()}
	t.rehash()
	return t
}

// word returns the code of a word.
func (t *valueTable) word(w uint64) uint32 {
	mask := uint32(len(t.slots) - 1)
	for i := wordHash(w) & mask; ; i = (i + 1) & mask {
		code := t.slots[i]
		if code == 0 {
			t.values.Words = append(t.values.Words, w)
			return t.added(i, len(t.values.Words))
		}
		if t.values.Words[code-1] == w {
			return code
		}
	}
}

// bytes returns the code of a byte string.
func (t *valueTable) bytes(b []byte) uint32 {
	mask := uint32(len(t.slots) - 1)
	for i := uint32(maphash.Bytes(t.seed, b)) & mask; ; i = (i + 1) & mask {
		code := t.slots[i]
		if code == 0 {
			t.values.AppendBytes(b)
			return t.added(i, len(t.values.Ends))
		}
		if string(t.values.Bytes(int(code-1))) == string(b) {
			return code
		}
	}
}

// added notes the code of a new value and keeps the table at most half full.
func (t *valueTable) added(slot uint32, code int) uint32 {
	t.slots[slot] = uint32(code)
	if code*2 > len(t.slots) {
		t.rehash()
	}
	return uint32(code)
}

func (t *valueTable) rehash() {
	size := 256
	for size < t.values.Len()*4 {
		size *= 2
	}
	t.slots = make([]uint32, size)
	mask := uint32(size - 1)
	for code := 1; code <= t.values.Len(); code++ {
		i := t.hash(code-1) & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = uint32(code)
	}
}

func (t *valueTable) hash(i int) uint32 {
	if t.values.Type.InWords() {
		return wordHash(t.values.Words[i])
	}
	return uint32(maphash.Bytes(t.seed, t.values.Bytes(i)))
}

// wordHash mixes all bits into the low ones.
func wordHash(w uint64) uint32 {
	w = (w ^ w>>32) * 0x9e3779b97f4a7c15
	return uint32(w >> 32)
}
