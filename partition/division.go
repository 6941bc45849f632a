package partition

import "slices"

// Division splits a partition's records among the children of a value. It holds the
// scratch for that, all zero between two uses.
type Division struct {
	Parallel Parallel // nobody's: one goroutine divides
	Room     *Table   // where more than two children's records are put in order, nil: where they are
	Present  []uint32 // the children that have records
	records  []int    // by child
	sizes    []uint64 // by child
	next     []int    // by child: where its next record goes
	parts    []Rows
	others   []*Division // of the other threads, to measure with
}

// Divide moves the partition's records so that each child's are adjacent and returns the
// children that have any, by ascending number, valid until the next call.
func (d *Division) Divide(t *Table, parent Rows, f Field, r *Refinement) []Rows {
	d.parts = d.parts[:0]
	switch {
	case r.Children == 2:
		return d.divideTwo(t, parent, f, r)
	case d.Room != nil:
		return d.divideApart(t, parent, f, r)
	}
	d.measure(t, parent, f, r)
	lo := parent.Lo
	for _, c := range d.Present {
		d.parts = append(d.parts, Rows{Lo: lo, Hi: lo + d.records[c], Size: d.sizes[c]})
		d.next[c] = lo
		lo += d.records[c]
		d.records[c], d.sizes[c] = 0, 0
	}
	switch len(d.Present) {
	case 1:
	case 2:
		moveTwo(t, parent, f, r, d.Present[1])
	default:
		d.move(t, f, r)
	}
	return d.parts
}

// divideTwo is Divide for two children, which takes one pass.
func (d *Division) divideTwo(t *Table, parent Rows, f Field, r *Refinement) []Rows {
	front, size := 0, uint64(0)
	if ranges := d.Parallel.Of(parent); ranges != nil {
		front, size = d.moveTwoRanges(t, ranges, f, r)
	} else {
		front, size = moveTwo(t, parent, f, r, 1)
	}
	d.Present = d.Present[:0]
	if front > parent.Lo {
		d.parts, d.Present = append(d.parts, Rows{Lo: parent.Lo, Hi: front, Size: parent.Size - size}), append(d.Present, 0)
	}
	if front < parent.Hi {
		d.parts, d.Present = append(d.parts, Rows{Lo: front, Hi: parent.Hi, Size: size}), append(d.Present, 1)
	}
	return d.parts
}

// divideApart is Divide by way of the room, in which every record is written once. Ranges of the
// partition are measured, scattered and put back side by side, the first ones with d itself.
func (d *Division) divideApart(t *Table, parent Rows, f Field, r *Refinement) []Rows {
	const childRecords = 16 // of a range there are to be for every child
	ranges := d.Parallel.Of(parent)
	if most := max(d.Parallel.Threads, parent.Records()/(childRecords*r.Children)); len(ranges) > most {
		ranges = parent.Cut(most)
	}
	if ranges == nil {
		ranges = []Rows{parent}
	}
	for len(d.others) < len(ranges)-1 {
		d.others = append(d.others, &Division{})
	}
	measured := append([]*Division{d}, d.others[:len(ranges)-1]...)
	Each(len(ranges), d.Parallel.Threads, func(_, i int) { measured[i].measure(t, ranges[i], f, r) })
	for _, other := range measured[1:] {
		d.Present = append(d.Present, other.Present...)
	}
	slices.Sort(d.Present)
	d.Present = slices.Compact(d.Present)
	at := 0
	for _, c := range d.Present {
		part := Rows{Lo: parent.Lo + at}
		for _, m := range measured {
			m.next[c], at, part.Size = at, at+m.records[c], part.Size+m.sizes[c]
			m.records[c], m.sizes[c] = 0, 0
		}
		part.Hi = parent.Lo + at
		d.parts = append(d.parts, part)
	}
	if len(d.parts) > 1 {
		Each(len(ranges), d.Parallel.Threads, func(_, i int) { measured[i].scatter(t, ranges[i], d.Room, f, r) })
		w := t.Layout.Words
		Each(len(ranges), d.Parallel.Threads, func(_, i int) {
			lo, hi := ranges[i].Lo, ranges[i].Hi
			copy(t.Keys[lo*w:hi*w], d.Room.Keys[(lo-parent.Lo)*w:])
			copy(t.Counts[lo:hi], d.Room.Counts[lo-parent.Lo:])
		})
	}
	return d.parts
}

// scatter copies records to where their children's next ones go.
func (d *Division) scatter(t *Table, rows Rows, room *Table, f Field, r *Refinement) {
	w := t.Layout.Words
	for i := rows.Lo; i < rows.Hi; i++ {
		c := t.child(i, f, r)
		to := d.next[c]
		d.next[c]++
		room.Counts[to] = t.Counts[i]
		for k := range w {
			room.Keys[to*w+k] = t.Keys[i*w+k]
		}
	}
}

// measure sums records and counts by child.
func (d *Division) measure(t *Table, parent Rows, f Field, r *Refinement) {
	if n := r.Children - len(d.records); n > 0 {
		d.records = append(d.records, make([]int, n)...)
		d.sizes = append(d.sizes, make([]uint64, n)...)
		d.next = append(d.next, make([]int, n)...)
	}
	d.Present = d.Present[:0]
	w := t.Layout.Words
	for i, at := parent.Lo, parent.Lo*w+f.Word; i < parent.Hi; i, at = i+1, at+w {
		c := r.ChildOf(uint32(t.Keys[at] >> f.Shift & f.Mask))
		if d.records[c] == 0 {
			d.Present = append(d.Present, c)
		}
		d.records[c]++
		d.sizes[c] += uint64(t.Counts[i])
	}
	slices.Sort(d.Present)
}

// moveTwo brings the records of the children below a number to the front, and returns where
// they end and the size of the others. Nothing is moved before the first record that is not
// where it belongs; then it swaps every record, needed or not: a branch would be mispredicted
// half of the time.
func moveTwo(t *Table, parent Rows, f Field, r *Refinement, below uint32) (front int, size uint64) {
	for front = parent.Lo; front < parent.Hi && t.child(front, f, r) < below; {
		front++
	}
	i := front
	for ; i < parent.Hi && t.child(i, f, r) >= below; i++ {
		size += uint64(t.Counts[i])
	}
	for ; i < parent.Hi; i++ {
		isFirst := 0
		if t.child(i, f, r) < below {
			isFirst = 1
		}
		size += uint64(t.Counts[i]) & (uint64(isFirst) - 1)
		t.Swap(i, front)
		front += isFirst
	}
	return front, size
}

// moveTwoRanges is moveTwo for ranges of a partition, at child 1: each is divided on its own, then
// the records at the ends of ranges that lie before the border change places with those at their
// beginnings that lie behind it, which are as many.
func (d *Division) moveTwoRanges(t *Table, ranges []Rows, f Field, r *Refinement) (front int, size uint64) {
	ends, sizes := make([]int, len(ranges)), make([]uint64, len(ranges))
	Each(len(ranges), d.Parallel.Threads, func(_, i int) { ends[i], sizes[i] = moveTwo(t, ranges[i], f, r, 1) })
	front = ranges[0].Lo
	for i, end := range ends {
		front, size = front+end-ranges[i].Lo, size+sizes[i]
	}
	type exchange struct{ here, there, n int }
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
	Each(len(exchanges), d.Parallel.Threads, func(_, i int) {
		for k := range exchanges[i].n {
			t.Swap(exchanges[i].here+k, exchanges[i].there+k)
		}
	})
	return front, size
}

// move permutes the records of the present children in place, which have their places: each that
// is not yet among its child's is swapped to there (the American flag sort's second half).
func (d *Division) move(t *Table, f Field, r *Refinement) {
	for k, c := range d.Present {
		for i := d.next[c]; i < d.parts[k].Hi; {
			if to := t.child(i, f, r); to != c {
				t.Swap(i, d.next[to])
				d.next[to]++
				continue
			}
			i++
			d.next[c] = i
		}
	}
}
