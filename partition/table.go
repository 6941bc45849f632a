package partition

import (
	"slices"
	"sort"
)

// Table is a compressed table: distinct tuples of codes, each with its number of records.
// Record i is the key Keys[i*Layout.Words:(i+1)*Layout.Words] and Counts[i] > 0. The
// records of a spilled table are in a store instead.
type Table struct {
	Layout Layout
	Keys   []uint64
	Counts []uint32

	chunks *ChunkList // of a spilled table
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
	return &Table{Layout: layout, Keys: make([]uint64, n*layout.Words, room*layout.Words), Counts: make([]uint32, n, room)}
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
func Sum(counts []uint32) (size uint64) {
	for _, n := range counts {
		size += uint64(n)
	}
	return size
}

// Truncate drops the records and keeps their memory for others.
func (t *Table) Truncate() { t.Keys, t.Counts = t.Keys[:0], t.Counts[:0] }

// Bytes returns the memory that the records take.
func (t *Table) Bytes() int64 { return int64(cap(t.Keys))*8 + int64(cap(t.Counts))*4 }

// StoredBytes returns the bytes that the records of a spilled table take in the store.
func (t *Table) StoredBytes() int64 {
	if t.chunks == nil {
		return 0
	}
	return t.chunks.stored
}

// Sort puts the records of a table in memory in the order of their keys' words.
func (t *Table) Sort() { sort.Sort(byKeys{t}) }

// byKeys sorts a table.
type byKeys struct{ *Table }

func (t byKeys) Less(i, j int) bool {
	w := t.Layout.Words
	return slices.Compare(t.Keys[i*w:(i+1)*w], t.Keys[j*w:(j+1)*w]) < 0
}

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
