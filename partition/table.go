// Package partition holds the compressed table and what is made of it: counts of distinct tuples
// of codes, value × class histograms, chunks of records outside a table, and the division of
// records among the children of a value. Its packages search: tips has the leaf partitions of
// top-down specialization, cells the parts of recursive partitioning.
//
//	rows ──▶ Counter ──▶ Table ──▶ tips or cells, or Aggregate ──▶ Table
//	           │ full      │ above its share   │ moved out of the Pool
//	           ▼           ▼                   ▼
//	       chunks of records in a spill.Store, read once more and freed
//
// A Space says how much memory each of them may draw from the budget, and where the store
// is for what exceeds it.
//
// Contract: it knows coded records and counts, no values, files or algorithms. Codes are
// packed into as few bits as their domains need. Counts are integers and sums do not
// depend on the order of additions, so every result is the same whatever the workers, the
// budget and the chunks were.
// Not promised: any order of the records of a table or of a partition.
package partition

import "math/bits"

// Table is a compressed table: distinct tuples of codes, each with its number of records.
// Record i is the key Keys[i*Layout.Words:(i+1)*Layout.Words] and Counts[i] > 0. The
// records of a spilled table are in a store instead.
type Table struct {
	Layout Layout
	Keys   []uint64
	Counts []uint64

	chunks  *ChunkList // of a spilled table
	ordered bool       // of one: its records are in the order of their keys
}

// Spilled reports whether the records are in a store. They are not in Keys and Counts then,
// but for NewTIPS, NewCells, Scan and Aggregate.
func (t *Table) Spilled() bool { return t.chunks != nil }

// SpilledTable returns the table of the records of a chunk list that is all in the store.
func SpilledTable(layout Layout, chunks *ChunkList) *Table {
	return &Table{Layout: layout, chunks: chunks}
}

// TakeChunks returns the records of a spilled table, which has none from then on.
func (t *Table) TakeChunks() *ChunkList {
	chunks := t.chunks
	t.chunks = nil
	return chunks
}

// newTable returns a table of n records that are zero, with room for so many.
func newTable(layout Layout, n, room int) *Table {
	return &Table{Layout: layout, Keys: make([]uint64, n*layout.Words, room*layout.Words), Counts: make([]uint64, n, room)}
}

// Len returns the number of distinct tuples.
func (t *Table) Len() int {
	if t.chunks != nil {
		return t.chunks.Records
	}
	return len(t.Counts)
}

// Size returns the number of records that the tuples stand for.
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

// Put appends a record of a size, which is not 0.
func (t *Table) Put(key []uint64, size uint64) {
	t.Keys, t.Counts = append(t.Keys, key...), append(t.Counts, size)
}

// Truncate drops the records and keeps their memory for others.
func (t *Table) Truncate() { t.Keys, t.Counts = t.Keys[:0], t.Counts[:0] }

// clip returns a table in memory of the same records that has not twice the room that they take.
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

// Rows are adjacent records of a table, Lo ≤ i < Hi, and the sum of their counts.
type Rows struct {
	Lo, Hi int
	Size   uint64
}

// Rows returns some of the table's records, with their size.
func (t *Table) Rows(lo, hi int) Rows { return Rows{Lo: lo, Hi: hi, Size: Sum(t.Counts[lo:hi])} }

// Records returns the number of records.
func (r Rows) Records() int { return r.Hi - r.Lo }

// Cut cuts the records into n equal parts, whose sizes are not known.
func (r Rows) Cut(n int) []Rows {
	parts := make([]Rows, n)
	for i := range parts {
		parts[i] = Rows{Lo: r.Lo + r.Records()*i/n, Hi: r.Lo + r.Records()*(i+1)/n}
	}
	return parts
}

// Slice returns a table of some of the records, in the same memory.
func (t *Table) Slice(r Rows) *Table {
	w := t.Layout.Words
	return &Table{Layout: t.Layout, Keys: t.Keys[r.Lo*w : r.Hi*w : r.Hi*w], Counts: t.Counts[r.Lo:r.Hi:r.Hi]}
}

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
func (l Layout) TableBytes(n int) int64 { return 8 * int64(n) * int64(l.Words+1) }

// Code returns the code at f of a packed key.
func (f Field) Code(key []uint64) uint32 { return uint32(key[f.Word] >> f.Shift & f.Mask) }
