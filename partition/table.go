// Package partition has the compressed table, which counts the distinct tuples of codes. It also
// has histograms of codes and classes, lists of records in a store, and the division of records
// among the children of a value. The packages below it are for searches: tips has the leaf
// partitions of top-down specialization, cells has the parts of recursive partitioning.
//
//	rows ──▶ Counter ──▶ Table ──▶ tips or cells, or Aggregate ──▶ Table
//	           │ full      │ above its share   │ moved out of the Pool
//	           ▼           ▼                   ▼
//	       chunks of records in a spill.Store, which are read once and freed
//
// A Space determines how much memory each of them may draw from the budget, and the store for all
// other records.
//
// Contract: the package knows coded records and counts. It knows no values, files or algorithms.
// Codes are packed into as few bits as their domains need. Counts are integers, and a sum does not
// depend on the order of additions. So every result is the same for any number of workers, any
// budget and any size of chunks.
//
// Not promised: any order of the records of a table or of a partition.
package partition

import (
	"iter"
	"math/bits"
)

// Table is a compressed table: distinct tuples of codes, each with the number of its rows. Record i
// has the key Keys[i*Layout.Words:(i+1)*Layout.Words] and the count Counts[i] > 0. The records of a
// spilled table are in a store instead.
type Table struct {
	Layout Layout
	Keys   []uint64
	Counts []uint64

	chunks  *ChunkList // the records of a spilled table
	ordered bool       // the records of a spilled table are in the order of their keys
}

// Spilled reports whether the records are in a store. Then Keys and Counts are empty, and only the
// methods that take a Space, and the constructors of tips and cells, can read the records.
func (t *Table) Spilled() bool { return t.chunks != nil }

// SpilledTable returns the table with the records of a chunk list.
func SpilledTable(layout Layout, chunks *ChunkList) *Table {
	return &Table{Layout: layout, chunks: chunks}
}

// Take returns the records of the table, in memory or, of a spilled one, as a chunk list, else nil.
// The table has none afterwards, so that nobody but who takes them keeps their memory.
func (t *Table) Take() (records *Table, chunks *ChunkList) {
	records, chunks = &Table{Layout: t.Layout, Keys: t.Keys, Counts: t.Counts}, t.chunks
	*t = Table{Layout: t.Layout}
	return records, chunks
}

// newTable returns a table of n zero records, with room for the given number of records.
func newTable(layout Layout, n, room int) *Table {
	return &Table{
		Layout: layout,
		Keys:   make([]uint64, n*layout.Words, room*layout.Words),
		Counts: make([]uint64, n, room),
	}
}

// Len returns the number of distinct tuples.
func (t *Table) Len() int {
	if t.chunks != nil {
		return t.chunks.Records
	}
	return len(t.Counts)
}

// Size returns the sum of the counts.
func (t *Table) Size() (size uint64) {
	if t.chunks != nil {
		return t.chunks.Size
	}
	return Sum(t.Counts)
}

// Sum adds up counts.
func Sum(counts []uint64) (size uint64) {
	for _, n := range counts {
		size += n
	}
	return size
}

// Fill makes all codes equal.
func Fill(codes []uint32, code uint32) {
	for i := range codes {
		codes[i] = code
	}
}

// All returns the keys and the counts of the records in memory.
func (t *Table) All() iter.Seq2[[]uint64, uint64] {
	return func(yield func(key []uint64, count uint64) bool) {
		w := t.Layout.Words
		for i, count := range t.Counts {
			if !yield(t.Keys[i*w:(i+1)*w], count) {
				return
			}
		}
	}
}

// Put appends a record. Its size, the count, is not 0.
func (t *Table) Put(key []uint64, size uint64) {
	t.Keys, t.Counts = append(t.Keys, key...), append(t.Counts, size)
}

// Truncate drops the records and keeps their memory for new records.
func (t *Table) Truncate() { t.Keys, t.Counts = t.Keys[:0], t.Counts[:0] }

// clip returns a table in memory with the same records. If at least half of the room of t is
// unused, the returned table is a copy without unused room.
func (t *Table) clip() *Table {
	if 2*t.Len() > cap(t.Counts) {
		return t
	}
	clipped := newTable(t.Layout, t.Len(), t.Len())
	copy(clipped.Keys, t.Keys)
	copy(clipped.Counts, t.Counts)
	return clipped
}

// Bytes returns the memory that the records take.
func (t *Table) Bytes() int64 { return 8 * int64(cap(t.Keys)+cap(t.Counts)) }

// Swap exchanges two records.
func (t *Table) Swap(i, j int) {
	t.Counts[i], t.Counts[j] = t.Counts[j], t.Counts[i]
	if t.Layout.Words == 1 {
		t.Keys[i], t.Keys[j] = t.Keys[j], t.Keys[i]
		return
	}
	w := t.Layout.Words
	for k := range w {
		t.Keys[i*w+k], t.Keys[j*w+k] = t.Keys[j*w+k], t.Keys[i*w+k]
	}
}

// Rows are the adjacent records Lo ≤ i < Hi of a table, with the sum of their counts.
type Rows struct {
	Lo, Hi int
	Size   uint64
}

// Rows returns the records lo ≤ i < hi of the table, with the sum of their counts.
func (t *Table) Rows(lo, hi int) Rows { return Rows{Lo: lo, Hi: hi, Size: Sum(t.Counts[lo:hi])} }

// Records returns the number of records.
func (r Rows) Records() int { return r.Hi - r.Lo }

// Cut cuts the records into n equal parts. It does not set the sizes of the parts.
func (r Rows) Cut(n int) []Rows {
	parts := make([]Rows, n)
	for i := range parts {
		parts[i] = Rows{Lo: r.Lo + r.Records()*i/n, Hi: r.Lo + r.Records()*(i+1)/n}
	}
	return parts
}

// Slice returns a table of the records r, in the same memory.
func (t *Table) Slice(r Rows) *Table {
	w := t.Layout.Words
	return &Table{
		Layout: t.Layout,
		Keys:   t.Keys[r.Lo*w : r.Hi*w : r.Hi*w],
		Counts: t.Counts[r.Lo:r.Hi:r.Hi],
	}
}

// Layout packs a tuple of codes into Words 64-bit words. A code never crosses a word.
type Layout struct {
	Words  int
	Fields []Field // one field for each column
}

// Field is the position of one column's code in a packed key.
type Field struct {
	Word  int
	Shift uint
	Mask  uint64 // the bits of the code, before the shift
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

// bits returns the number of bits of a key up to the end of the last field.
func (l Layout) bits() int {
	last := l.Fields[len(l.Fields)-1]
	return 64*last.Word + int(last.Shift) + bits.Len64(last.Mask)
}

// TableBytes returns the memory that a table of n records takes.
func (l Layout) TableBytes(n int) int64 { return 8 * int64(n) * int64(l.Words+1) }

// Code returns the code in the field f of a packed key.
func (f Field) Code(key []uint64) uint32 { return uint32(key[f.Word] >> f.Shift & f.Mask) }
