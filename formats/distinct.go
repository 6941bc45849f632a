package formats

import (
	"bytes"
	"hash/maphash"
)

const (
	distinctEntries = 1 << 20  // a column with more is nearly all different: looking back further saves nobody work
	distinctBytes   = 64 << 20 // keys of long texts
)

// distinct gives values codes in the order of their first appearance. It grows with the
// number of distinct values, up to the limits above; then renew starts over.
type distinct struct {
	values *Values
	keys   *Values  // of each entry the bytes it was found by: the texts of parsed values; values itself for bytes
	slots  []uint64 // open addressing: high half of the hash, and the code; 0 is free
	used   int
	seed   maphash.Seed
}

// newDistinct returns an empty table of values of type t that are found by themselves.
func newDistinct(t Type) *distinct {
	d := &distinct{values: &Values{Type: t}, slots: make([]uint64, 256), seed: maphash.MakeSeed()}
	d.keys = d.values
	return d
}

// newParsed returns an empty table of values of type t that are found by their text.
func newParsed(t Type) *distinct {
	d := newDistinct(t)
	if t.Kind != String {
		d.keys = &Values{Type: Type{Kind: String}}
	}
	return d
}

// renewed returns d, or an empty table like it when d has outgrown its limits. Whoever
// keeps codes of d must call it between batches only.
func (d *distinct) renewed() *distinct {
	if d.used < distinctEntries && len(d.keys.Data) < distinctBytes {
		return d
	}
	fresh := newDistinct(d.values.Type)
	if d.keys != d.values {
		fresh.keys = &Values{Type: d.keys.Type}
	}
	return fresh
}

// codeOfWord returns the code of w, entering it when it is new.
func (d *distinct) codeOfWord(w uint64) uint32 {
	h := mixWord(w)
	for i := h & uint64(len(d.slots)-1); ; i = (i + 1) & uint64(len(d.slots)-1) {
		slot := d.slots[i]
		if slot == 0 {
			d.values.Words = append(d.values.Words, w)
			return d.enter(i, h)
		}
		if slot>>32 == h>>32 && d.values.Words[uint32(slot)-1] == w {
			return uint32(slot)
		}
	}
}

// mixWord spreads w over 64 bits (the finalizer of MurmurHash3).
func mixWord(w uint64) uint64 {
	w ^= w >> 33
	w *= 0xff51afd7ed558ccd
	w ^= w >> 33
	w *= 0xc4ceb9fe1a85ec53
	return w ^ w>>33
}

// find returns the code of key, or 0 and where to enter it.
func (d *distinct) find(key []byte) (code uint32, at, hash uint64) {
	hash = maphash.Bytes(d.seed, key)
	for i := hash & uint64(len(d.slots)-1); ; i = (i + 1) & uint64(len(d.slots)-1) {
		slot := d.slots[i]
		if slot == 0 {
			return 0, i, hash
		}
		if slot>>32 == hash>>32 && bytes.Equal(d.keys.Bytes(int(uint32(slot)-1)), key) {
			return uint32(slot), i, hash
		}
	}
}

// codeOfBytes returns the code of b, entering it when it is new.
func (d *distinct) codeOfBytes(b []byte) uint32 {
	code, at, hash := d.find(b)
	if code != 0 {
		return code
	}
	d.values.AppendBytes(b)
	return d.enter(at, hash)
}

// enter gives the entry just appended to values its code.
func (d *distinct) enter(at, hash uint64) uint32 {
	d.used++
	d.slots[at] = hash>>32<<32 | uint64(d.used)
	if d.used*2 > len(d.slots) {
		d.grow()
	}
	return uint32(d.used)
}

// grow doubles the table. Slots hold only half a hash, so that the keys are hashed again.
func (d *distinct) grow() {
	d.slots = make([]uint64, 2*len(d.slots))
	mask := uint64(len(d.slots) - 1)
	for c := range d.used {
		hash := d.hashOf(c)
		i := hash & mask
		for d.slots[i] != 0 {
			i = (i + 1) & mask
		}
		d.slots[i] = hash>>32<<32 | uint64(c+1)
	}
}

func (d *distinct) hashOf(entry int) uint64 {
	if d.keys.Type.InWords() {
		return mixWord(d.keys.Words[entry])
	}
	return maphash.Bytes(d.seed, d.keys.Bytes(entry))
}
