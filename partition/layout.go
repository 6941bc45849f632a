package partition

import "math/bits"

// Layout packs a tuple of codes into Words 64-bit words. A code never crosses a word.
type Layout struct {
	Words  int
	Fields []Field // one a column
}

// Field is the place of one column's code in a packed key.
type Field struct {
	Word  int
	Shift uint
	Mask  uint64 // of the code, unshifted
}

// NewLayout returns a layout for columns whose codes are below the given domain sizes.
func NewLayout(domains []int) Layout {
	l := Layout{Words: 1, Fields: make([]Field, len(domains))}
	used := 0
	for i, d := range domains {
		width := 0
		if d > 1 {
			width = bits.Len(uint(d - 1))
		}
		if used+width > 64 {
			l.Words++
			used = 0
		}
		l.Fields[i] = Field{Word: l.Words - 1, Shift: uint(used), Mask: 1<<width - 1}
		used += width
	}
	return l
}

// bits returns the bits of a key that fields reach into.
func (l Layout) bits() int {
	last := l.Fields[len(l.Fields)-1]
	return 64*last.Word + int(last.Shift) + bits.Len64(last.Mask)
}

// TableBytes returns the memory that a table of n records takes.
func (l Layout) TableBytes(n int) int64 { return int64(n) * (int64(l.Words)*8 + 4) }

// Code returns the code at f of a packed key.
func (f Field) Code(key []uint64) uint32 { return uint32(key[f.Word] >> f.Shift & f.Mask) }
