package partition

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

// Refinement sends the records with one value of a column to the value's children, which are
// numbered from 0. Child is not written to while records are divided by it.
type Refinement struct {
	Value    int32 // of a search that numbers them
	Column   int
	Children int
	First    uint32
	Child    []uint32 // of code First+i; codes beyond belong to child 0
}

// ChildOf returns the child that a code belongs to.
func (r *Refinement) ChildOf(code uint32) uint32 {
	if i := code - r.First; i < uint32(len(r.Child)) {
		return r.Child[i]
	}
	return 0
}

// child returns the child that record i belongs to.
func (t *Table) child(i int, f Field, r *Refinement) uint32 {
	return r.ChildOf(uint32(t.Keys[i*t.Layout.Words+f.Word] >> f.Shift & f.Mask))
}
