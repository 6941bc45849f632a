package partition

import "slices"

// division splits a partition's records among the children of a value. It holds the
// scratch for that, all zero between two uses.
type division struct {
	sharing sharing  // nobody's: one goroutine divides
	room    *Table   // where many children's records are put in order, nil: where they are
	records []int    // by child
	sizes   []uint64 // by child
	next    []int    // by child: where its next record goes
	present []uint32 // the children that have records
	parts   []leaf
	others  []*division // of the other threads, to measure with
}

// divide moves the partition's records so that each child's are adjacent and returns the
// children that have any, by ascending number, valid until the next call.
func (d *division) divide(t *Table, parent leaf, f Field, r *Refinement) []leaf {
	shares := d.sharing.forDivision(parent, r.Children)
	switch {
	case r.Children == 2:
		return d.divideTwo(t, parent, shares, f, r)
	case d.room != nil:
		return d.divideApart(t, parent, shares, f, r)
	case shares != nil:
		d.measureShares(t, shares, f, r)
	default:
		d.measure(t, parent, f, r)
	}
	d.parts = d.parts[:0]
	lo := parent.lo
	for _, c := range d.present {
		d.parts = append(d.parts, leaf{lo: lo, hi: lo + d.records[c], size: d.sizes[c]})
		d.next[c] = lo
		lo += d.records[c]
	}
	switch {
	case len(d.present) == 1:
	case shares != nil:
		d.moveShares(t, shares, f, r)
	case len(d.present) == 2:
		moveTwo(t, parent, f, r, d.present[1])
	default:
		d.move(t, f, r, 0, len(d.present))
	}
	for _, c := range d.present {
		d.records[c], d.sizes[c] = 0, 0
	}
	return d.parts
}

// divideTwo is divide for two children, which takes one pass.
func (d *division) divideTwo(t *Table, parent leaf, shares []leaf, f Field, r *Refinement) []leaf {
	front, size := 0, uint64(0)
	if shares != nil {
		front, size = d.moveTwoShares(t, shares, f, r, 1)
	} else {
		front, size = moveTwo(t, parent, f, r, 1)
	}
	d.parts, d.present = d.parts[:0], d.present[:0]
	if front > parent.lo {
		d.parts, d.present = append(d.parts, leaf{lo: parent.lo, hi: front, size: parent.size - size}), append(d.present, 0)
	}
	if front < parent.hi {
		d.parts, d.present = append(d.parts, leaf{lo: front, hi: parent.hi, size: size}), append(d.present, 1)
	}
	return d.parts
}

// divideApart is divide by way of the room, in which every record is written once.
func (d *division) divideApart(t *Table, parent leaf, shares []leaf, f Field, r *Refinement) []leaf {
	if shares == nil {
		shares = []leaf{parent}
	}
	measured := d.measureEach(t, shares, f, r)
	d.uniteAll(measured)
	d.parts = d.parts[:0]
	at := 0
	for _, c := range d.present {
		part := leaf{lo: parent.lo + at}
		for _, m := range measured {
			m.next[c], at, part.size = at, at+m.records[c], part.size+m.sizes[c]
			m.records[c], m.sizes[c] = 0, 0
		}
		part.hi = parent.lo + at
		d.parts = append(d.parts, part)
	}
	if len(d.parts) > 1 {
		each(len(shares), d.sharing.threads, func(_, i int) { measured[i].scatter(t, shares[i], d.room, f, r) })
		each(len(shares), d.sharing.threads, func(_, i int) { t.putBack(shares[i], d.room, parent.lo) })
	}
	return d.parts
}

// scatter copies records to where their children's next ones go.
func (d *division) scatter(t *Table, share leaf, room *Table, f Field, r *Refinement) {
	w := t.Layout.Words
	for i := share.lo; i < share.hi; i++ {
		c := t.child(i, f, r)
		to := d.next[c]
		d.next[c]++
		room.Counts[to] = t.Counts[i]
		for k := range w {
			room.Keys[to*w+k] = t.Keys[i*w+k]
		}
	}
}

// putBack copies a share of the room, which begins with record first, back.
func (t *Table) putBack(share leaf, room *Table, first int) {
	w := t.Layout.Words
	copy(t.Keys[share.lo*w:share.hi*w], room.Keys[(share.lo-first)*w:])
	copy(t.Counts[share.lo:share.hi], room.Counts[share.lo-first:])
}

// measure sums records and counts by child.
func (d *division) measure(t *Table, parent leaf, f Field, r *Refinement) {
	d.reserve(r.Children)
	d.present = d.present[:0]
	w := t.Layout.Words
	for i, at := parent.lo, parent.lo*w+f.Word; i < parent.hi; i, at = i+1, at+w {
		c := r.child(uint32(t.Keys[at] >> f.Shift & f.Mask))
		if d.records[c] == 0 {
			d.present = append(d.present, c)
		}
		d.records[c]++
		d.sizes[c] += uint64(t.Counts[i])
	}
	slices.Sort(d.present)
}

func (d *division) reserve(children int) {
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
func moveTwo(t *Table, parent leaf, f Field, r *Refinement, below uint32) (front int, size uint64) {
	for front = parent.lo; front < parent.hi && t.child(front, f, r) < below; {
		front++
	}
	i := front
	for ; i < parent.hi && t.child(i, f, r) >= below; i++ {
		size += uint64(t.Counts[i])
	}
	for ; i < parent.hi; i++ {
		isFirst := 0
		if t.child(i, f, r) < below {
			isFirst = 1
		}
		size += uint64(t.Counts[i]) & (uint64(isFirst) - 1)
		t.swap(i, front)
		front += isFirst
	}
	return front, size
}

// child returns the child that record i belongs to.
func (t *Table) child(i int, f Field, r *Refinement) uint32 {
	return r.child(uint32(t.Keys[i*t.Layout.Words+f.Word] >> f.Shift & f.Mask))
}

// move permutes the records of some present children in place, which have their places
// among themselves: each that is not yet among its child's is swapped to there (the American
// flag sort's second half).
func (d *division) move(t *Table, f Field, r *Refinement, from, to int) {
	for k := from; k < to; k++ {
		c := d.present[k]
		for i := d.next[c]; i < d.parts[k].hi; {
			if to := t.child(i, f, r); to != c {
				t.swap(i, d.next[to])
				d.next[to]++
				continue
			}
			i++
			d.next[c] = i
		}
	}
}

// swap exchanges two records.
func (t *Table) swap(i, j int) {
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
