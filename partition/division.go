package partition

import "slices"

// Division splits a partition's records among the children of a value. It holds the
// scratch for that, all zero between two uses.
type Division struct {
	Parallel Parallel // nobody's: one goroutine divides
	Room     *Table   // where many children's records are put in order, nil: where they are
	records  []int    // by child
	sizes    []uint64 // by child
	next     []int    // by child: where its next record goes
	Present  []uint32 // the children that have records
	parts    []Rows
	others   []*Division // of the other threads, to measure with
}

// Divide moves the partition's records so that each child's are adjacent and returns the
// children that have any, by ascending number, valid until the next call.
func (d *Division) Divide(t *Table, parent Rows, f Field, r *Refinement) []Rows {
	ranges := d.Parallel.forDivision(parent, r.Children)
	switch {
	case r.Children == 2:
		return d.divideTwo(t, parent, ranges, f, r)
	case d.Room != nil:
		return d.divideApart(t, parent, ranges, f, r)
	case ranges != nil:
		d.measureRanges(t, ranges, f, r)
	default:
		d.measure(t, parent, f, r)
	}
	d.parts = d.parts[:0]
	lo := parent.Lo
	for _, c := range d.Present {
		d.parts = append(d.parts, Rows{Lo: lo, Hi: lo + d.records[c], Size: d.sizes[c]})
		d.next[c] = lo
		lo += d.records[c]
	}
	switch {
	case len(d.Present) == 1:
	case ranges != nil:
		d.moveRanges(t, ranges, f, r)
	case len(d.Present) == 2:
		moveTwo(t, parent, f, r, d.Present[1])
	default:
		d.move(t, f, r, 0, len(d.Present))
	}
	for _, c := range d.Present {
		d.records[c], d.sizes[c] = 0, 0
	}
	return d.parts
}

// divideTwo is Divide for two children, which takes one pass.
func (d *Division) divideTwo(t *Table, parent Rows, ranges []Rows, f Field, r *Refinement) []Rows {
	front, size := 0, uint64(0)
	if ranges != nil {
		front, size = d.moveTwoRanges(t, ranges, f, r, 1)
	} else {
		front, size = moveTwo(t, parent, f, r, 1)
	}
	d.parts, d.Present = d.parts[:0], d.Present[:0]
	if front > parent.Lo {
		d.parts, d.Present = append(d.parts, Rows{Lo: parent.Lo, Hi: front, Size: parent.Size - size}), append(d.Present, 0)
	}
	if front < parent.Hi {
		d.parts, d.Present = append(d.parts, Rows{Lo: front, Hi: parent.Hi, Size: size}), append(d.Present, 1)
	}
	return d.parts
}

// divideApart is Divide by way of the room, in which every record is written once.
func (d *Division) divideApart(t *Table, parent Rows, ranges []Rows, f Field, r *Refinement) []Rows {
	if ranges == nil {
		ranges = []Rows{parent}
	}
	measured := d.measureEach(t, ranges, f, r)
	d.uniteAll(measured)
	d.parts = d.parts[:0]
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
		Each(len(ranges), d.Parallel.Threads, func(_, i int) { t.putBack(ranges[i], d.Room, parent.Lo) })
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

// putBack copies some rows of the room, which begins with record first, back.
func (t *Table) putBack(rows Rows, room *Table, first int) {
	w := t.Layout.Words
	copy(t.Keys[rows.Lo*w:rows.Hi*w], room.Keys[(rows.Lo-first)*w:])
	copy(t.Counts[rows.Lo:rows.Hi], room.Counts[rows.Lo-first:])
}

// measure sums records and counts by child.
func (d *Division) measure(t *Table, parent Rows, f Field, r *Refinement) {
	d.reserve(r.Children)
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

func (d *Division) reserve(children int) {
	if n := children - len(d.records); n > 0 {
		d.records = append(d.records, make([]int, n)...)
		d.sizes = append(d.sizes, make([]uint64, n)...)
		d.next = append(d.next, make([]int, n)...)
	}
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

// move permutes the records of some present children in place, which have their places
// among themselves: each that is not yet among its child's is swapped to there (the American
// flag sort's second half).
func (d *Division) move(t *Table, f Field, r *Refinement, from, to int) {
	for k := from; k < to; k++ {
		c := d.Present[k]
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
