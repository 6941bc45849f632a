package partition

import "github.com/kcut/kcut/spill"

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

// SizeOn is Size on some goroutines.
func (t *Table) SizeOn(threads int) (size uint64) {
	if t.Spilled() {
		return t.Size()
	}
	ranges := cut(t.Len(), threads)
	sizes := make([]uint64, len(ranges))
	Each(len(ranges), threads, func(_, i int) { sizes[i] = t.Slice(ranges[i]).Size() })
	for _, n := range sizes {
		size += n
	}
	return size
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

// Free drops the records and returns their memory to the budget they were drawn from.
func (t *Table) Free(budget *spill.Budget) {
	budget.Return(t.Bytes())
	t.Keys, t.Counts = nil, nil
}
