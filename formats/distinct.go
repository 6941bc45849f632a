package formats

import (
	"bytes"
	"hash/maphash"
	"math"
	"slices"
)

const (
	// the values of a column with more are nearly all different: remembering them saves no work
	distinctEntries = 1 << 20
	keyBytes        = 64 // for each entry, when there are many: keys may be long texts
)

// Distinct assigns codes to values in the order of their first appearance: code c ≥ 1 is entry c−1
// of Values, as in a coded Column. It grows with the number of distinct values; see Renewed for a
// limit. One goroutine uses it at a time.
type Distinct struct {
	Values *Values

	// by entry, the bytes by which it is found: the texts of parsed values; Values itself for
	// others
	keys  *Values
	slots []uint64 // open addressing: high half of the hash, and the code; 0 is free
	used  int
	seed  maphash.Seed
	near  near
}

// NewDistinct returns a table with the values that the list already has. It appends new ones to the
// list; nobody else may append to it from now on.
func NewDistinct(values *Values) *Distinct {
	return newDistinct(values, values)
}

// NewParsed returns an empty table of values of type t that are found by their text: see
// CodeOfText.
func NewParsed(t Type) *Distinct {
	values := &Values{Type: t}
	if t.Kind == String {
		return newDistinct(values, values)
	}
	return newDistinct(values, &Values{Type: Type{Kind: String}})
}

func newDistinct(values, keys *Values) *Distinct {
	d := &Distinct{Values: values, keys: keys, used: values.Len(), seed: maphash.MakeSeed()}
	d.rehash()
	return d
}

// Renewed returns d, or an empty table like it when d is too large to be worth keeping: a million
// entries, or the limit when it is not 0, with 64 bytes for each key. A caller that keeps codes of
// d must call it only between batches.
func (d *Distinct) Renewed(limit int) *Distinct {
	if limit == 0 {
		limit = distinctEntries
	}
	if d.used < limit && len(d.keys.Data) < keyBytes*limit {
		return d
	}
	return d.Restarted()
}

// Restarted returns an empty table like d, which must not be used any more: the new table takes its
// memory, except that of its Values.
func (d *Distinct) Restarted() *Distinct {
	values := &Values{Type: d.Values.Type}
	fresh := &Distinct{Values: values, keys: values, slots: d.slots, seed: d.seed}
	if d.keys != d.Values {
		fresh.keys = &Values{Type: d.keys.Type}
	}
	clear(fresh.slots)
	return fresh
}

// leastSlots is the initial number of slots of a table.
const leastSlots = 256

// CodeOfWord returns the code of w, and adds w when it is new.
func (d *Distinct) CodeOfWord(w uint64) uint32 {
	h := mixWord(w)
	for i := h & uint64(len(d.slots)-1); ; i = (i + 1) & uint64(len(d.slots)-1) {
		slot := d.slots[i]
		if slot == 0 {
			d.Values.Words = append(d.Values.Words, w)
			return d.enter(i, h)
		}
		if slot>>32 == h>>32 && d.Values.Words[uint32(slot)-1] == w {
			return uint32(slot)
		}
	}
}

// mixWord spreads w over 64 bits without losing any: all bits of w reach the upper half of the
// product, and from there the lower half, which selects the slot.
func mixWord(w uint64) uint64 {
	w = (w ^ w>>32) * 0x9e3779b97f4a7c15
	return w ^ w>>32
}

// CodeOfBytes returns the code of b, and adds b when it is new.
func (d *Distinct) CodeOfBytes(b []byte) uint32 {
	code, at, hash := d.find(b)
	if code != 0 {
		return code
	}
	d.Values.AppendBytes(b)
	return d.enter(at, hash)
}

// CodeOf returns the code of a value of the same type, and adds it when it is new.
func (d *Distinct) CodeOf(values *Values, i int) uint32 {
	if values.Type.InWords() {
		return d.CodeOfWord(values.Words[i])
	}
	return d.CodeOfBytes(values.Bytes(i))
}

// CodeOfText returns the code of the value of a text. When the text is new, parse appends its
// value, exactly one, or returns an error.
func (d *Distinct) CodeOfText(text []byte, parse func(v *Values, text []byte) error) (uint32,
	error) {
	code, at, hash := d.find(text)
	if code != 0 {
		return code, nil
	}
	if err := parse(d.Values, text); err != nil {
		return 0, err
	}
	if d.keys != d.Values {
		d.keys.AppendBytes(text)
	}
	return d.enter(at, hash), nil
}

// find returns the code of key, or 0 and the place for its entry.
func (d *Distinct) find(key []byte) (code uint32, at, hash uint64) {
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

// enter assigns a code to the entry that was just appended to the values.
func (d *Distinct) enter(at, hash uint64) uint32 {
	d.used++
	d.slots[at] = hash>>32<<32 | uint64(d.used)
	if d.used*2 > len(d.slots) {
		d.rehash()
	}
	return uint32(d.used)
}

// rehash makes a table that is at most a third full. Slots hold only half a hash, so that the keys
// are hashed again. The list may have had equal entries from the start. Only the first of these
// gets a slot, since a long run of them would be searched for each.
func (d *Distinct) rehash() {
	size := leastSlots
	for size < 3*d.used {
		size *= 2
	}
	d.slots = make([]uint64, size)
	mask := uint64(size - 1)
	for c := range d.used {
		hash := d.hashOf(c)
		i := hash & mask
		for d.slots[i] != 0 && !d.same(d.slots[i], hash, c) {
			i = (i + 1) & mask
		}
		if d.slots[i] == 0 {
			d.slots[i] = hash>>32<<32 | uint64(c+1)
		}
	}
}

// same reports whether a slot belongs to a key that is equal to an entry's.
func (d *Distinct) same(slot, hash uint64, entry int) bool {
	switch known := int(uint32(slot) - 1); {
	case slot>>32 != hash>>32:
		return false
	case d.keys.Type.InWords():
		return d.keys.Words[known] == d.keys.Words[entry]
	default:
		return bytes.Equal(d.keys.Bytes(known), d.keys.Bytes(entry))
	}
}

func (d *Distinct) hashOf(entry int) uint64 {
	if d.keys.Type.InWords() {
		return mixWord(d.keys.Words[entry])
	}
	return maphash.Bytes(d.seed, d.keys.Bytes(entry))
}

// nearWords is the largest range of words whose codes are found by position: 256 KiB.
const nearWords = 1 << 16

const (
	// leastNear is the least number of words in a range.
	leastNear = 64
	// nearEntries is the largest number of words in a range for each entry of the table: 32 bytes,
	// which are a part of the memory drawn for an entry.
	nearEntries = 8
)

// near finds the codes of words that lie close together without hashing: codes[w-low] is the code
// of w, or 0 when it was not looked up yet. Ages, dates and numbers of categories are such words.
type near struct {
	low   uint64
	codes []uint32
}

// cover reports whether the words from least to most are in the range. The first words that lie
// close together choose the range. Later words near it widen it, to twice as many words, and up to
// the limit for the table's entries: a range takes as much memory as its column needs.
func (n *near) cover(least, most uint64, entries int) bool {
	if least >= n.low && most-n.low < uint64(len(n.codes)) {
		return true
	}
	low, high := least, most
	if n.codes != nil {
		low, high = min(low, n.low), max(high,
			n.low+min(uint64(len(n.codes)-1), math.MaxUint64-n.low))
	}
	widest := uint64(min(max(leastNear, nearEntries*entries), nearWords))
	if high-low >= widest {
		return false
	}
	known, from := n.codes, n.low
	room := min(max(2*(high-low+1), leastNear), widest)
	n.low = low - min(low, (room-(high-low+1))/2)
	n.codes = make([]uint32, room)
	if known != nil {
		copy(n.codes[from-n.low:], known)
	}
	return true
}

// nearBlock is the number of words that are looked up together, close or not.
const nearBlock = 1024

// AppendCodes appends the codes of some words, and adds the new words.
func (d *Distinct) AppendCodes(codes []uint32, words []uint64) []uint32 {
	codes = slices.Grow(codes, len(words))
	for block := range slices.Chunk(words, nearBlock) {
		at := len(codes)
		codes = codes[:at+len(block)]
		d.codesOf(codes[at:], block)
	}
	return codes
}

func (d *Distinct) codesOf(codes []uint32, words []uint64) {
	if least, most := bounds(words); !d.near.cover(least, most, d.used) {
		for i, w := range words {
			codes[i] = d.CodeOfWord(w)
		}
		return
	}
	low, known := d.near.low, d.near.codes
	for i, w := range words {
		code := known[w-low]
		if code == 0 {
			code = d.CodeOfWord(w)
			known[w-low] = code
		}
		codes[i] = code
	}
}

// bounds returns the least and the greatest of some words.
func bounds(words []uint64) (least, most uint64) {
	least, most = words[0], words[0]
	for _, w := range words {
		least, most = min(least, w), max(most, w)
	}
	return least, most
}
