package partition

import "github.com/kcut/kcut/spill"

// Table is a compressed table: distinct tuples of codes, each with its number of records.
// Record i is the key Keys[i*Layout.Words:(i+1)*Layout.Words] and Counts[i] > 0. The
// records of a spilled table are in a store instead.
type Table struct {
	Layout Layout
	Keys   []uint64
	Counts []uint32

	pile *pile // of a spilled table
}

// Spilled reports whether the records are in a store. They are not in Keys and Counts then,
// but for NewTIPS, NewCells, Scan and Aggregate.
func (t *Table) Spilled() bool { return t.pile != nil }

// Len returns the number of distinct tuples.
func (t *Table) Len() int {
	if t.pile != nil {
		return t.pile.records
	}
	return len(t.Counts)
}

// size returns the number of records that the tuples stand for.
func (t *Table) size() (size uint64) {
	if t.pile != nil {
		return t.pile.size
	}
	return sum(t.Counts)
}

// sizeOn is size on some goroutines.
func (t *Table) sizeOn(threads int) (size uint64) {
	if t.Spilled() {
		return t.size()
	}
	shares := shares(t.Len(), threads)
	sizes := make([]uint64, len(shares))
	each(len(shares), threads, func(_, i int) { sizes[i] = t.share(shares[i]).size() })
	for _, n := range sizes {
		size += n
	}
	return size
}

func sum(counts []uint32) (size uint64) {
	for _, n := range counts {
		size += uint64(n)
	}
	return size
}

// truncate drops the records and keeps their memory for others.
func (t *Table) truncate() { t.Keys, t.Counts = t.Keys[:0], t.Counts[:0] }

// Bytes returns the memory that the records take.
func (t *Table) Bytes() int64 { return int64(cap(t.Keys))*8 + int64(cap(t.Counts))*4 }

// StoredBytes returns the bytes that the records of a spilled table take in the store.
func (t *Table) StoredBytes() int64 {
	if t.pile == nil {
		return 0
	}
	return t.pile.stored
}

// Free drops the records and returns their memory to the budget they were drawn from.
func (t *Table) Free(budget *spill.Budget) {
	budget.Return(t.Bytes())
	t.Keys, t.Counts = nil, nil
}
