package partition

import "github.com/kcut/kcut/internal/workers"

// Division splits a partition's records among the children of a value.
type Division struct {
	Parallel Parallel // nobody's: one goroutine divides
	Present  []uint32 // the children that have records
	parts    []Rows
}

// Divide moves the partition's records so that each child's are adjacent and returns the
// children that have any, by ascending number, valid until the next call.
func (d *Division) Divide(t *Table, parent Rows, f Field, r *Refinement) []Rows {
	d.parts, d.Present = d.parts[:0], d.Present[:0]
	d.halve(t, parent, f, r, 0, uint32(r.Children))
	return d.parts
}

// halve divides records that belong to the children first ≤ c < end: it parts those of one half of
// these from those of the other, and then each half, with goroutines if that pays. Two children
// take one pass.
func (d *Division) halve(t *Table, parent Rows, f Field, r *Refinement, first, end uint32) {
	switch {
	case parent.Records() == 0:
		return
	case end-first == 1:
		d.parts, d.Present = append(d.parts, parent), append(d.Present, first)
		return
	}
	front, size, middle := 0, uint64(0), first+(end-first)/2
	if ranges := d.Parallel.Of(parent); ranges != nil {
		front, size = d.moveTwoRanges(t, parent, ranges, f, r, middle)
	} else {
		front, size = moveTwo(t, parent, f, r, middle)
	}
	d.halve(t, Rows{Lo: parent.Lo, Hi: front, Size: parent.Size - size}, f, r, first, middle)
	d.halve(t, Rows{Lo: front, Hi: parent.Hi, Size: size}, f, r, middle, end)
}

// moveTwo brings the records of the children below a number to the front, and returns where
// they end and the size of the others. It finds the records at the front and at the back that
// are not where they belong, a block of each at a time, and then exchanges them: a branch on every
// record would be mispredicted half of the time. (Edelkamp and Weiss, "BlockQuicksort", 2016.)
func moveTwo(t *Table, parent Rows, f Field, r *Refinement, below uint32) (front int, size uint64) {
	var behind, before [dividedBlock]uint8 // places from the front and from the back
	lo, hi := parent.Lo, parent.Hi
	for nBehind, nBefore, fromBehind, fromBefore := 0, 0, 0, 0; hi-lo >= 2*dividedBlock; {
		if nBehind == 0 {
			fromBehind = 0
			for i := range dividedBlock {
				behind[nBehind] = uint8(i)
				nBehind += 1 - t.isBelow(lo+i, f, r, below)
			}
		}
		if nBefore == 0 {
			fromBefore = 0
			for i := range dividedBlock {
				before[nBefore] = uint8(i)
				nBefore += t.isBelow(hi-1-i, f, r, below)
			}
		}
		n := min(nBehind, nBefore)
		for k := range n {
			t.Swap(lo+int(behind[fromBehind+k]), hi-1-int(before[fromBefore+k]))
		}
		nBehind, nBefore, fromBehind, fromBefore = nBehind-n, nBefore-n, fromBehind+n, fromBefore+n
		if nBehind == 0 {
			lo += dividedBlock
		}
		if nBefore == 0 {
			hi -= dividedBlock
			size += Sum(t.Counts[hi : hi+dividedBlock]) // as long as they are in a cache
		}
	}
	for i := lo; i < hi; i++ { // each is moved, needed or not
		isBelow := t.isBelow(i, f, r, below)
		t.Swap(i, lo)
		lo += isBelow
	}
	return lo, size + Sum(t.Counts[lo:hi])
}

// dividedBlock is how many records are looked at before those among them are exchanged that are
// not where they belong. They stay in a first-level cache.
const dividedBlock = 128

// isBelow returns 1 for a record of a child below a number, and 0 for others.
func (t *Table) isBelow(i int, f Field, r *Refinement, below uint32) int {
	return int((uint64(t.child(i, f, r)) - uint64(below)) >> 63)
}

// moveTwoRanges is moveTwo for ranges of a partition: each is divided on its own, then
// the records at the ends of ranges that lie before the border change places with those at their
// beginnings that lie behind it, which are as many.
func (d *Division) moveTwoRanges(t *Table, parent Rows, ranges []Rows, f Field, r *Refinement, below uint32) (front int, size uint64) {
	ends, sizes := make([]int, len(ranges)), make([]uint64, len(ranges))
	d.Parallel.Each(len(ranges), parent.Records(), func(_, i int) { ends[i], sizes[i] = moveTwo(t, ranges[i], f, r, below) })
	front = ranges[0].Lo
	for i, end := range ends {
		front, size = front+end-ranges[i].Lo, size+sizes[i]
	}
	type exchange struct{ here, there, n int }
	var exchanges []exchange
	last, exchanged := len(ranges)-1, 0
	to := ends[last]
	for i := range ranges {
		for at, end := ends[i], min(ranges[i].Hi, front); at < end; {
			for to <= max(ranges[last].Lo, front) {
				last--
				to = ends[last]
			}
			n := min(end-at, to-max(ranges[last].Lo, front), d.Parallel.Least)
			exchanges = append(exchanges, exchange{at, to - n, n})
			at, to, exchanged = at+n, to-n, exchanged+n
		}
	}
	d.Parallel.Each(len(exchanges), exchanged, func(_, i int) {
		for k := range exchanges[i].n {
			t.Swap(exchanges[i].here+k, exchanges[i].there+k)
		}
	})
	return front, size
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

const (
	// rangesEach is how many ranges of a table a worker does: who is slowed down does fewer.
	rangesEach = 16
	// leastTaken are records that are worth a range of a table.
	leastTaken = 1 << 14
)

// Each calls do for 0 to n−1 on up to so many goroutines, of which the caller's is one. A call
// costs some microseconds to start them, so it is for work that takes many times as long.
func Each(n, threads int, do func(worker, i int)) {
	if threads = min(n, threads); threads < 2 {
		for i := range n {
			do(0, i)
		}
		return
	}
	workers.Must(workers.Each(n, threads, func(w workers.Worker, i int) error {
		do(w.Number, i)
		return nil
	}))
}

// cut cuts so many records of a table into equal ranges, one for the caller alone.
func cut(records, threads int) []Rows {
	n := 1
	if threads > 1 {
		n = max(1, min(rangesEach*threads, records/leastTaken))
	}
	return Rows{Hi: records}.Cut(n)
}

// Parallel says when several goroutines share the records of a partition in memory. How
// they share them changes the order of records, and nothing else.
type Parallel struct {
	Threads int // below 2: nobody shares
	Least   int // records that make a range

	// Worker's pool has the goroutines, which take part when they are awake: nobody waits for one
	// that is not. Of the zero one, goroutines are started.
	Worker workers.Worker
}

// NewParallel returns the sharing of so many goroutines.
func NewParallel(threads int) Parallel { return Parallel{Threads: max(1, threads), Least: leastRange} }

// Each calls do for 0 to n−1, work on so many records.
func (s Parallel) Each(n, records int, do func(worker, i int)) {
	switch {
	case n < 2 || s.Threads < 2 || records < 2*s.Least:
		for i := range n {
			do(0, i)
		}
	case s.Worker == workers.Worker{}:
		Each(n, s.Threads, do)
	default:
		workers.Must(s.Worker.Each(n, func(w workers.Worker, i int) error {
			do(w.Number, i)
			return nil
		}))
	}
}

const (
	// leastRange are records that are worked on while another goroutine is told of its range.
	leastRange = 1 << 12
	// rangesOfThread is how many ranges of a partition there are for each goroutine, at most.
	rangesOfThread = 4
)

// Pays reports whether a partition is large enough to be shared.
func (s Parallel) Pays(l Rows) bool { return s.Threads > 1 && l.Records() >= 2*s.Least }

// Of cuts a partition into equal ranges, some for every goroutine so that who is slowed down does
// fewer, or less when they would be small: none for one that is not shared.
func (s Parallel) Of(l Rows) []Rows {
	if !s.Pays(l) {
		return nil
	}
	return l.Cut(min(rangesOfThread*s.Threads, l.Records()/s.Least))
}
