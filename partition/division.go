package partition

import "slices"

// division splits a partition's records among the children of a value. It holds the
// scratch for that, all zero between two uses.
type division struct {
	sharing sharing  // of a large partition
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
	shares := d.sharing.of(parent)
	if len(shares) > 1 {
		d.measureShares(t, shares, f, r)
	} else {
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
	case len(shares) > 1:
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

// measure sums records and counts by child.
func (d *division) measure(t *Table, parent leaf, f Field, r *Refinement) {
	if r.Children == 2 {
		d.measureTwo(t, parent, f, r)
	} else {
		d.measureMany(t, parent, f, r)
	}
}

// measureMany is measure for any number of children.
func (d *division) measureMany(t *Table, parent leaf, f Field, r *Refinement) {
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

// measureTwo is measure for two children, whose sums stay in registers.
func (d *division) measureTwo(t *Table, parent leaf, f Field, r *Refinement) {
	d.reserve(2)
	w := t.Layout.Words
	records, size := uint64(0), uint64(0)
	keys := t.Keys[parent.lo*w+f.Word : parent.hi*w]
	at := 0
	for _, n := range t.Counts[parent.lo:parent.hi] {
		c := uint64(r.child(uint32(keys[at] >> f.Shift & f.Mask)))
		records += c
		size += uint64(n) & -c
		at += w
	}
	d.records[0], d.records[1] = parent.records()-int(records), int(records)
	d.sizes[0], d.sizes[1] = parent.size-size, size
	d.present = d.present[:0]
	for c := range uint32(2) {
		if d.records[c] > 0 {
			d.present = append(d.present, c)
		}
	}
}

func (d *division) reserve(children int) {
	if n := children - len(d.records); n > 0 {
		d.records = append(d.records, make([]int, n)...)
		d.sizes = append(d.sizes, make([]uint64, n)...)
		d.next = append(d.next, make([]int, n)...)
	}
}

// moveTwo brings the records of the children below a number to the front and returns where
// they end. It swaps every record, needed or not: a branch would be mispredicted half of the
// time.
func moveTwo(t *Table, parent leaf, f Field, r *Refinement, below uint32) (front int) {
	w := t.Layout.Words
	front = parent.lo
	for i := parent.lo; i < parent.hi; i++ {
		isFirst := 0
		if r.child(uint32(t.Keys[i*w+f.Word]>>f.Shift&f.Mask)) < below {
			isFirst = 1
		}
		t.swap(i, front)
		front += isFirst
	}
	return front
}

// move permutes the records of some present children in place, which have their places
// among themselves: each that is not yet among its child's is swapped to there (the American
// flag sort's second half).
func (d *division) move(t *Table, f Field, r *Refinement, from, to int) {
	w := t.Layout.Words
	for k := from; k < to; k++ {
		c := d.present[k]
		for i := d.next[c]; i < d.parts[k].hi; {
			to := r.child(uint32(t.Keys[i*w+f.Word] >> f.Shift & f.Mask))
			if to != c {
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
