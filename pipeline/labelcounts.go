package pipeline

import (
	"fmt"
	"math/bits"

	"github.com/kcut/kcut/spill"
)

// errManyGroups is returned when there are more groups than a labelCounts may hold.
var errManyGroups = fmt.Errorf("count groups: %w", spill.ErrBudget)

// labelKey says how the numbers of a set's labels are packed into words.
type labelKey struct {
	columns []int // positions among the checks
	words   []int
	shifts  []uint
	size    int // words of a key
}

// newLabelKey packs numbers below the given ones.
func newLabelKey(columns []int, below []int) labelKey {
	k := labelKey{columns: columns, size: 1}
	free := uint(64)
	for _, n := range below {
		width := uint(bits.Len(uint(n)))
		if width > free {
			k.size++
			free = 64
		}
		free -= width
		k.words, k.shifts = append(k.words, k.size-1), append(k.shifts, free)
	}
	return k
}

// pack writes the key of some numbers.
func (k *labelKey) pack(key []uint64, number func(column int) uint32) {
	clear(key)
	for i, column := range k.columns {
		key[k.words[i]] |= uint64(number(column)) << k.shifts[i]
	}
}

// labelHash spreads keys; its low bits choose the slot, its high ones the pass.
func labelHash(key []uint64) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, word := range key {
		high, low := bits.Mul64(h^word, 0xd1342543de82ef95)
		h = high ^ low
	}
	return h ^ h>>29
}

// labelCounts counts the records of every combination of labels: an open table of keys and
// counts, nothing else, so that millions of groups fit.
type labelCounts struct {
	size  int      // words of a key
	slots []uint64 // of each its key, then its count; a count of 0 is free
	used  int
	limit int64 // most bytes of slots
}

const fewestSlots = 64

func newLabelCounts(size int, limit int64) *labelCounts {
	return &labelCounts{size: size, slots: make([]uint64, fewestSlots*(size+1)), limit: limit}
}

// add counts n records of a key. It returns errManyGroups when the table may not grow.
func (c *labelCounts) add(key []uint64, n uint64) error {
	slot := c.find(key)
	if slot[c.size] == 0 {
		if c.used*4 >= len(c.slots)/(c.size+1)*3 {
			if err := c.grow(); err != nil {
				return err
			}
			slot = c.find(key)
		}
		c.used++
		copy(slot, key)
	}
	slot[c.size] += n
	return nil
}

// find returns the slot of a key, or the free one that it would get.
func (c *labelCounts) find(key []uint64) []uint64 {
	stride := c.size + 1
	count := uint64(len(c.slots) / stride)
probe:
	for i := labelHash(key) & (count - 1); ; i = (i + 1) & (count - 1) {
		slot := c.slots[int(i)*stride : int(i+1)*stride : int(i+1)*stride]
		if slot[c.size] == 0 {
			return slot
		}
		for w := range key {
			if slot[w] != key[w] {
				continue probe
			}
		}
		return slot
	}
}

func (c *labelCounts) grow() error {
	if int64(len(c.slots))*8*3 > c.limit { // the old slots and twice as many new ones
		return errManyGroups
	}
	old := c.slots
	c.slots = make([]uint64, 2*len(old))
	for i := 0; i < len(old); i += c.size + 1 {
		if record := old[i : i+c.size+1]; record[c.size] > 0 {
			copy(c.find(record[:c.size]), record)
		}
	}
	return nil
}

// each calls f with every key and its count, in no order that means anything.
func (c *labelCounts) each(f func(key []uint64, n uint64) error) error {
	for i := 0; i < len(c.slots); i += c.size + 1 {
		if n := c.slots[i+c.size]; n > 0 {
			if err := f(c.slots[i:i+c.size], n); err != nil {
				return err
			}
		}
	}
	return nil
}

// least returns the smallest count, or 0 when there is none.
func (c *labelCounts) least() (least uint64) {
	for i := c.size; i < len(c.slots); i += c.size + 1 {
		if n := c.slots[i]; n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}
