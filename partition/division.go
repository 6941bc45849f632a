package partition

import "github.com/kcut/kcut/internal/workers"

// Division divides the records of a partition among the children of a value.
type Division struct {
	Parallel Parallel // zero: one goroutine divides alone
	Present  []uint32 // the children that have records
	parts    []Rows
}

// Divide moves the partition's records so that the records of each child are adjacent. It returns
// the rows of every child that has records, by ascending number of the child. The returned slice is
// valid until the next call.
func (d *Division) Divide(t *Table, parent Rows, f Field, r *Refinement) []Rows {
	d.parts, d.Present = d.parts[:0], d.Present[:0]
	d.halve(t, parent, f, r, 0, uint32(r.Children))
	return d.parts
}

// halve divides records that belong to the children first ≤ c < end. It separates the records of
// the first half of the children from the records of the second half, with several goroutines if
// they pay. Then it divides each half in the same way. For two children one pass is enough.
func (d *Division) halve(t *Table, parent Rows, f Field, r *Refinement, first, end uint32) {
	switch {
	case parent.Records() == 0:
		return
	case end-first == 1:
		d.parts, d.Present = append(d.parts, parent), append(d.Present, first)
		return
	}
	front, size, middle := 0, uint64(0), first+(end-first)/2
	if ranges := d.Parallel.Ranges(parent); ranges != nil {
		front, size = d.moveTwoRanges(t, parent, ranges, f, r, middle)
	} else {
		front, size = moveTwo(t, parent, f, r, middle)
	}
	d.halve(t, Rows{Lo: parent.Lo, Hi: front, Size: parent.Size - size}, f, r, first, middle)
	d.halve(t, Rows{Lo: front, Hi: parent.Hi, Size: size}, f, r, middle, end)
}

// moveTwo moves the records of the children below a number to the front. It returns the end of
// these records and the size of the other records. It looks at one block at the front and one block
// at the back, lists the records that must change sides, and then exchanges them. A branch on every
// record would be mispredicted half of the time. (Edelkamp and Weiss, "BlockQuicksort", 2016.)
func moveTwo(t *Table, parent Rows, f Field, r *Refinement, below uint32) (front int, size uint64) {
	var behind, before [dividedBlock]uint8 // positions from the front and from the back
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
			size += Sum(t.Counts[hi : hi+dividedBlock]) // while they are in a cache
		}
	}
	for i := lo; i < hi; i++ { // swap every record, to avoid a branch
		isBelow := t.isBelow(i, f, r, below)
		t.Swap(i, lo)
		lo += isBelow
	}
	return lo, size + Sum(t.Counts[lo:hi])
}

// dividedBlock is the number of records of a block. moveTwo looks at a block before it exchanges
// records. Its records stay in a first-level cache.
const dividedBlock = 128

// isBelow returns 1 if record i belongs to a child below a number, else 0.
func (t *Table) isBelow(i int, f Field, r *Refinement, below uint32) int {
	return int((uint64(t.child(i, f, r)) - uint64(below)) >> 63)
}

// moveTwoRanges is moveTwo for a partition that is cut into ranges. It divides each range on its
// own. All records that belong to the front together determine the border. Some records before the
// border belong behind it: they are at the ends of ranges. The same number of records behind the
// border belong before it: they are at the starts of ranges. moveTwoRanges exchanges them.
func (d *Division) moveTwoRanges(
	t *Table, parent Rows, ranges []Rows, f Field, r *Refinement, below uint32,
) (front int, size uint64) {
	ends, sizes := make([]int, len(ranges)), make([]uint64, len(ranges))
	d.Parallel.Each(len(ranges), parent.Records(), func(_, i int) {
		ends[i], sizes[i] = moveTwo(t, ranges[i], f, r, below)
	})
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

// Refinement replaces one value of a column by its children, which have numbers from 0 on. It
// determines the child of every record with the value. Nobody may write to Child while a division
// uses it.
type Refinement struct {
	Value    int32 // the number that a search gives the value
	Column   int
	Children int // the number of children
	First    uint32
	Child    []uint32 // Child[i] is the child of code First+i; all other codes belong to child 0
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
	// rangesEach is the usual number of ranges of a table for each worker. A slow worker takes
	// fewer ranges.
	rangesEach = 16
	// leastTaken is the smallest number of records of a range of a table.
	leastTaken = 1 << 14
)

// Each calls do for 0 to n−1 on at most the given number of goroutines, including the caller's
// goroutine. It takes some microseconds to start them, so the work should take many times as long.
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

// cut cuts the records of a table into equal ranges. For a single thread it returns one range.
func cut(records, threads int) []Rows {
	n := 1
	if threads > 1 {
		n = max(1, min(rangesEach*threads, records/leastTaken))
	}
	return Rows{Hi: records}.Cut(n)
}

// Parallel determines when several goroutines share the records of a partition in memory. The
// sharing changes the order of the records, and nothing else.
type Parallel struct {
	Threads int // below 2: one goroutine works alone
	Least   int // the smallest number of records of a range

	// Worker belongs to a pool of goroutines. A goroutine of the pool takes part if it is awake.
	// Nobody waits for a goroutine that is not. If Worker is zero, Each starts goroutines.
	Worker workers.Worker
}

// NewParallel returns a Parallel for the given number of goroutines.
func NewParallel(threads int) Parallel {
	return Parallel{Threads: max(1, threads), Least: leastRange}
}

// Each calls do for 0 to n−1. All calls together work on the given number of records.
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
	// leastRange is the number of records that a goroutine processes in about the time in which
	// another goroutine gets its range.
	leastRange = 1 << 12
	// rangesOfThread is the largest number of ranges of a partition for each goroutine.
	rangesOfThread = 4
)

// Pays reports whether a partition is large enough for several goroutines.
func (s Parallel) Pays(l Rows) bool { return s.Threads > 1 && l.Records() >= 2*s.Least }

// Ranges cuts a partition into equal ranges. Each goroutine gets several ranges, so that a slow
// goroutine can take fewer. If the ranges would be too small, there are fewer. Ranges returns nil
// if one goroutine should process the partition alone.
func (s Parallel) Ranges(l Rows) []Rows {
	if !s.Pays(l) {
		return nil
	}
	return l.Cut(min(rangesOfThread*s.Threads, l.Records()/s.Least))
}
