package engine

import (
	"math/bits"

	"github.com/kcut/kcut/partition"
)

// Memo remembers the regions of tuples: most rows have a tuple that occurred before and need not be
// located again. It holds a bounded number of tuples, and belongs to one goroutine.
type Memo struct {
	layout  partition.Layout
	keys    []uint64 // keys of all slots, layout.Words each
	regions []int32  // regions of all slots, or unknown

	rows   []uint64   // scratch: the keys of rows
	found  []int32    // regions of the rows
	lack   []int32    // rows whose tuples are not remembered
	codes  [][]uint32 // codes of those rows
	theirs []int32    // regions of those rows
}

// unknown differs from all regions and from Dropped.
const unknown int32 = -2

const (
	fewestSlots = 1 << 10
	mostSlots   = 1 << 18
)

// NewMemo returns a memo of tuples of codes below the given domains. It takes at most the given
// number of bytes, and some more for every row of a call.
func NewMemo(domains []int, bytes int64) *Memo {
	m := &Memo{layout: partition.NewLayout(domains), codes: make([][]uint32, len(domains))}
	slots := fewestSlots
	for slots < mostSlots && 2*int64(slots)*int64(8*m.layout.Words+4) <= bytes {
		slots *= 2
	}
	m.keys, m.regions = make([]uint64, slots*m.layout.Words), make([]int32, slots)
	for i := range m.regions {
		m.regions[i] = unknown
	}
	return m
}

// Locate returns the regions of n tuples, as the locator does. They are valid until the next call.
// A nil memo asks the locator for all.
func (m *Memo) Locate(l Locator, n int, codes [][]uint32) []int32 {
	if m == nil {
		regions := make([]int32, n)
		l.Locate(n, codes, regions)
		return regions
	}
	m.pack(n, codes)
	m.recall(n)
	if len(m.lack) == 0 {
		return m.found
	}
	for a := range codes {
		m.codes[a] = m.codes[a][:0]
		for _, row := range m.lack {
			m.codes[a] = append(m.codes[a], codes[a][row])
		}
	}
	m.theirs = sized(m.theirs, len(m.lack))
	l.Locate(len(m.lack), m.codes, m.theirs)
	m.learn()
	return m.found
}

// pack writes the keys of the rows.
func (m *Memo) pack(n int, codes [][]uint32) {
	w := m.layout.Words
	m.rows = sized(m.rows, n*w)
	clear(m.rows)
	for a, f := range m.layout.Fields {
		for i, code := range codes[a][:n] {
			m.rows[i*w+f.Word] |= (uint64(code) & f.Mask) << f.Shift
		}
	}
}

// slot returns the first of the two slots for a key.
func (m *Memo) slot(key []uint64) int {
	h := uint64(0x9e3779b97f4a7c15)
	for _, word := range key {
		high, low := bits.Mul64(h^word, 0xd1342543de82ef95)
		h = high ^ low
	}
	return int(h) & (len(m.regions) - 1)
}

// recall finds the regions of the rows whose tuples are remembered, and lists the other rows.
func (m *Memo) recall(n int) {
	w := m.layout.Words
	m.found, m.lack = sized(m.found, n), m.lack[:0]
	for i := range n {
		key := m.rows[i*w:][:w]
		slot := m.slot(key)
		switch {
		case m.holds(slot, key):
			m.found[i] = m.regions[slot]
		case m.holds(slot^1, key):
			m.found[i] = m.regions[slot^1]
		default:
			m.lack = append(m.lack, int32(i))
		}
	}
}

// holds reports whether a slot has a key.
func (m *Memo) holds(slot int, key []uint64) bool {
	for j, word := range m.keys[slot*len(key):][:len(key)] {
		if word != key[j] {
			return false
		}
	}
	return m.regions[slot] != unknown
}

// learn stores the regions of the rows that were not remembered. In a pair of slots it replaces the
// older one.
func (m *Memo) learn() {
	w := m.layout.Words
	for i, row := range m.lack {
		m.found[row] = m.theirs[i]
		key := m.rows[int(row)*w:][:w]
		slot := m.slot(key)
		if m.holds(slot, key) { // the tuple occurs twice among the rows
			continue
		}
		copy(m.keys[(slot^1)*w:][:w], m.keys[slot*w:][:w])
		m.regions[slot^1] = m.regions[slot]
		copy(m.keys[slot*w:], key)
		m.regions[slot] = m.theirs[i]
	}
}

// sized returns a slice of n items with any content.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
