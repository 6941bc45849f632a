package partition

import "slices"

// measureRanges is measure for ranges of a partition.
func (d *Division) measureRanges(t *Table, ranges []Rows, f Field, r *Refinement) {
	measured := d.measureEach(t, ranges, f, r)
	d.uniteAll(measured)
	for _, other := range measured[1:] {
		for _, c := range other.Present {
			d.records[c] += other.records[c]
			d.sizes[c] += other.sizes[c]
			other.records[c], other.sizes[c] = 0, 0
		}
	}
}

// measureEach measures every range of a partition, the first with d itself.
func (d *Division) measureEach(t *Table, ranges []Rows, f Field, r *Refinement) []*Division {
	measured := []*Division{d}
	for len(measured) < len(ranges) {
		if len(d.others) < len(measured) {
			d.others = append(d.others, &Division{})
		}
		measured = append(measured, d.others[len(measured)-1])
	}
	Each(len(ranges), d.Parallel.Threads, func(_, i int) { measured[i].measure(t, ranges[i], f, r) })
	return measured
}

// uniteAll adds the children that are present in any range to those of d, the first.
func (d *Division) uniteAll(measured []*Division) {
	for _, other := range measured[1:] {
		d.Present = append(d.Present, other.Present...)
	}
	slices.Sort(d.Present)
	d.Present = slices.Compact(d.Present)
}

// moveRanges moves the records of ranges of a partition: those of the first children, which
// have about half of them, to the front; then either side is moved on its own.
func (d *Division) moveRanges(t *Table, ranges []Rows, f Field, r *Refinement) {
	first := d.firstHalf(ranges)
	d.moveTwoRanges(t, ranges, f, r, d.Present[first])
	Each(2, d.Parallel.Threads, func(_, side int) {
		if side == 0 && first > 1 {
			d.move(t, f, r, 0, first)
		} else if side == 1 && first < len(d.Present)-1 {
			d.move(t, f, r, first, len(d.Present))
		}
	})
}

// moveTwoRanges is moveTwo for ranges of a partition.
func (d *Division) moveTwoRanges(t *Table, ranges []Rows, f Field, r *Refinement, below uint32) (front int, size uint64) {
	ends, sizes := make([]int, len(ranges)), make([]uint64, len(ranges))
	Each(len(ranges), d.Parallel.Threads, func(_, i int) { ends[i], sizes[i] = moveTwo(t, ranges[i], f, r, below) })
	front = ranges[0].Lo
	for i, end := range ends {
		front, size = front+end-ranges[i].Lo, size+sizes[i]
	}
	d.bringTogether(t, ranges, ends, front)
	return front, size
}

// bringTogether exchanges the records at the ends of ranges that lie before a place with those
// at their beginnings that lie behind it, which are as many.
func (d *Division) bringTogether(t *Table, ranges []Rows, ends []int, front int) {
	var exchanges []exchange
	last := len(ranges) - 1
	to := ends[last]
	for i := range ranges {
		for at, end := ends[i], min(ranges[i].Hi, front); at < end; {
			for to <= max(ranges[last].Lo, front) {
				last--
				to = ends[last]
			}
			n := min(end-at, to-max(ranges[last].Lo, front), d.Parallel.Least)
			exchanges = append(exchanges, exchange{at, to - n, n})
			at, to = at+n, to-n
		}
	}
	Each(len(exchanges), d.Parallel.Threads, func(_, i int) { exchanges[i].carryOut(t) })
}

// exchange says that the n records from one place on change places with those from another on.
type exchange struct{ here, there, n int }

func (e exchange) carryOut(t *Table) {
	for i := range e.n {
		t.Swap(e.here+i, e.there+i)
	}
}

// firstHalf returns how many of the present children, not all, have about half of the records.
func (d *Division) firstHalf(ranges []Rows) (children int) {
	middle := (ranges[0].Lo + ranges[len(ranges)-1].Hi) / 2
	last := len(d.parts) - 1
	for children = 1; children < last && d.parts[children].Lo+d.parts[children].Hi < 2*middle; {
		children++
	}
	return children
}
