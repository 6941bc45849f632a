package boost

import (
	"context"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// Column is a column of codes, 0 ≤ code < Domain.
type Column struct {
	Domain  int
	Ordered bool // codes ascend with the values
}

// Records are tuples of codes, given by column, with their class and their number of records.
type Records struct {
	Columns []Column
	Classes int
	Kinds   *engine.Kinds // of records in tables; nil: tables have classes
	Codes   [][]uint32
	Class   []uint32
	Counts  []uint64
	Hash    []uint64 // by tuple: decides the folds of its records
}

// recordBytes returns the memory of a record with a number of columns in Records.
func recordBytes(columns int) int { return 4*columns + 4 + 8 + 8 }

// SampleLen returns the largest number of tuples in a sample of about most of all.
func SampleLen(all, most int) int { return min(all, most+most/32) } // there are hardly ever more

// Sample takes about most of the tuples of a table: those with the smallest hashes. The fields of
// its keys are the columns, then the kind or the class.
func (r *Records) Sample(
	ctx context.Context, from *partition.Table, most int, space partition.Space,
) error {
	all := from.Len()
	r.reset(SampleLen(all, most))
	return from.Each(ctx, space, func(key []uint64, count uint64) {
		hash := engine.HashOf(from.Layout.Fields[:len(r.Columns)], key)
		if engine.IsSampled(hash, all, most) {
			r.add(from.Layout.Fields, key, count, hash)
		}
	})
}

// Load replaces the tuples by those of a table in memory.
func (r *Records) Load(from *partition.Table) {
	r.reset(from.Len())
	for key, count := range from.All() {
		hash := engine.HashOf(from.Layout.Fields[:len(r.Columns)], key)
		r.add(from.Layout.Fields, key, count, hash)
	}
}

// reset removes all tuples, and makes room for some.
func (r *Records) reset(room int) {
	if r.Codes == nil || cap(r.Counts) < room {
		r.Codes = make([][]uint32, len(r.Columns))
		for c := range r.Codes {
			r.Codes[c] = make([]uint32, 0, room)
		}
		r.Class, r.Counts = make([]uint32, 0, room), make([]uint64, 0, room)
		r.Hash = make([]uint64, 0, room)
	}
	for c := range r.Codes {
		r.Codes[c] = r.Codes[c][:0]
	}
	r.Class, r.Counts, r.Hash = r.Class[:0], r.Counts[:0], r.Hash[:0]
}

// add adds a tuple with the given fields.
func (r *Records) add(fields []partition.Field, key []uint64, count, hash uint64) {
	for c := range r.Codes {
		r.Codes[c] = append(r.Codes[c], fields[c].Code(key))
	}
	r.Class = append(r.Class, r.Kinds.ClassOf(fields[len(r.Columns)].Code(key)))
	r.Counts, r.Hash = append(r.Counts, count), append(r.Hash, hash)
}
