package partition

import "math/bits"

// Index numbers distinct keys of a layout in the order in which they are added. Find is safe for
// concurrent use.
type Index struct {
	words int // words of a key
	keys  []uint64
	slots []uint32 // open addressing: the number of a key plus one, or 0
}

// NewIndex returns an index with room for n keys. The index grows if it gets more keys.
func NewIndex(layout Layout, n int) *Index {
	return &Index{
		words: layout.Words,
		keys:  make([]uint64, 0, n*layout.Words),
		slots: make([]uint32, 1<<bits.Len(uint(2*n))),
	}
}

// IndexBytes returns the memory that an index with room for n keys takes.
func IndexBytes(layout Layout, n int) int64 {
	return 8*int64(n*layout.Words) + 4<<bits.Len(uint(2*n))
}

// Len returns the number of keys.
func (x *Index) Len() int { return len(x.keys) / x.words }

// Key returns the key with a number.
func (x *Index) Key(number int) []uint64 { return x.keys[number*x.words:][:x.words] }

// Add returns the number of a key. It adds the key, with the next number, if the index does not
// have the key yet.
func (x *Index) Add(key []uint64) (number int) {
	if 2*(x.Len()+1) > len(x.slots) {
		x.slots = make([]uint32, 2*len(x.slots))
		for number := range x.Len() {
			x.slots[x.slot(x.Key(number))] = uint32(number) + 1
		}
	}
	slot := x.slot(key)
	if x.slots[slot] == 0 {
		x.keys = append(x.keys, key...)
		x.slots[slot] = uint32(x.Len())
	}
	return int(x.slots[slot]) - 1
}

// Find returns the number of a key, or -1 if the index does not have the key.
func (x *Index) Find(key []uint64) (number int) { return int(x.slots[x.slot(key)]) - 1 }

// slot returns the slot of a key, or the free slot for the key if the index does not have it.
func (x *Index) slot(key []uint64) uint64 {
	mask := uint64(len(x.slots) - 1)
	slot := hash(key) & mask
	for x.slots[slot] != 0 && !equal(x.keys[(int(x.slots[slot])-1)*x.words:], key) {
		slot = (slot + 1) & mask
	}
	return slot
}
