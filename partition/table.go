package partition

import "github.com/kcut/kcut/spill"

// Table is a compressed table: distinct tuples of codes, each with its number of records.
// Record i is the key Keys[i*Layout.Words:(i+1)*Layout.Words] and Counts[i] > 0.
type Table struct {
	Layout Layout
	Keys   []uint64
	Counts []uint32
}

// Len returns the number of distinct tuples.
func (t *Table) Len() int { return len(t.Counts) }

// Bytes returns the memory that the records take.
func (t *Table) Bytes() int64 { return int64(len(t.Keys))*8 + int64(len(t.Counts))*4 }

// Free drops the records and returns their memory to the budget they were drawn from.
func (t *Table) Free(budget *spill.Budget) {
	budget.Return(t.Bytes())
	t.Keys, t.Counts = nil, nil
}

// Translate replaces every code of every column by its image under maps[column], packed
// for the given domains. Tuples must stay distinct: it is for renaming codes, not for
// joining them, which is what Recode is for.
func (t *Table) Translate(maps [][]uint32, domains []int) {
	to := NewLayout(domains)
	keys := t.Keys
	if to.Words > t.Layout.Words {
		keys = make([]uint64, t.Len()*to.Words)
	}
	tuple := make([]uint64, to.Words)
	for i := range t.Counts {
		from := t.Keys[i*t.Layout.Words : (i+1)*t.Layout.Words]
		clear(tuple)
		for column, field := range t.Layout.Fields {
			f := to.Fields[column]
			tuple[f.Word] |= uint64(maps[column][field.Code(from)]) << f.Shift
		}
		copy(keys[i*to.Words:], tuple)
	}
	t.Keys, t.Layout = keys[:t.Len()*to.Words], to
}
