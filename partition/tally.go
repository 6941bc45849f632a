package partition

// tally counts the records of a partition by child, for several fields in one pass.
type tally struct {
	sharing sharing    // nobody's: one goroutine counts
	sums    [][]uint64 // by field and child; all zero between two uses
	fields  []active   // that are being counted
	others  []tally    // of the others that share a partition
}

// cell is the number of records that a child would get. In a suppressed column the
// child is the code that would be disclosed.
type cell struct {
	child uint32
	size  uint64
}

// tallyBlock is how many records are counted for one field before the next field's turn:
// their keys and counts stay in the first-level cache.
const tallyBlock = 1024

// add counts the records of a partition for every given field that is not known.
func (y *tally) add(t *TIPS, l leaf, fields []active, known stats) {
	y.fields = y.fields[:0]
	for _, a := range fields {
		if known.of(a.field) == nil {
			y.reserve(a)
			y.fields = append(y.fields, a)
		}
	}
	y.countAll(t, l)
	complete(y.fields, y.sums, l.size)
}

// count adds a partition's records in a table to the sums of fields. Of two children only
// the second is counted: complete makes up for the first. It only reads what t has.
func (t *TIPS) count(table *Table, l leaf, fields []active, sums [][]uint64) {
	w := table.Layout.Words
	for lo := l.lo; lo < l.hi && len(fields) > 0; lo += tallyBlock {
		hi := min(lo+tallyBlock, l.hi)
		keys, counts := table.Keys[lo*w:hi*w], table.Counts[lo:hi]
		for _, a := range fields {
			f, child := table.Layout.Fields[a.field], t.view.Columns[t.columns[a.field]].Child
			if a.two() {
				sums[a.field][1] += second(keys[f.Word:], w, counts, f, child)
			} else {
				countEach(keys[f.Word:], w, counts, f, child, sums[a.field])
			}
		}
	}
}

// complete finishes the sums that count has made of records whose counts add up to size.
func complete(fields []active, sums [][]uint64, size uint64) {
	for _, a := range fields {
		if a.two() {
			sums[a.field][0] = size - sums[a.field][1]
		}
	}
}

// lineWords are the words of two cache lines, which processors fetch together. Sums that several
// goroutines add to share no line: it would go to and fro between them with every record.
const lineWords = 16

func (y *tally) reserve(a active) {
	if a.children > len(y.sums[a.field]) {
		y.sums[a.field] = make([]uint64, (a.children+lineWords-1)/lineWords*lineWords)
	}
}

// second returns the sum of the counts of child 1, where there are but two.
func second(keys []uint64, words int, counts []uint32, f Field, child []uint32) (size uint64) {
	at := 0
	for _, n := range counts {
		size += uint64(n) & -uint64(child[keys[at]>>f.Shift&f.Mask])
		at += words
	}
	return size
}

// countEach adds the counts to their children's sums.
func countEach(keys []uint64, words int, counts []uint32, f Field, child []uint32, sums []uint64) {
	at := 0
	for _, n := range counts {
		sums[child[keys[at]>>f.Shift&f.Mask]] += uint64(n)
		at += words
	}
}

// drain appends the field's children that have records, and zeroes their sums. A small
// partition does not look through the many children of a large domain.
func (y *tally) drain(t *TIPS, l leaf, a active, to []cell) []cell {
	sums := y.sums[a.field][:a.children]
	if a.children <= l.records() {
		to = list(to, sums)
		clear(sums)
		return to
	}
	f, child := t.table.Layout.Fields[a.field], t.view.Columns[t.columns[a.field]].Child
	w := t.table.Layout.Words
	for at := l.lo*w + f.Word; at < l.hi*w; at += w {
		c := child[t.table.Keys[at]>>f.Shift&f.Mask]
		if sums[c] > 0 {
			to = append(to, cell{child: c, size: sums[c]})
			sums[c] = 0
		}
	}
	return to
}

// gather appends the children of a field's value with the records of pieces that they get, from
// what is known of these.
func (y *tally) gather(pieces []*piece, a active, child []uint32, to []cell) []cell {
	y.reserve(a)
	sums, from := y.sums[a.field], len(to)
	for _, p := range pieces {
		s, counts := p.spread(a.field)
		for i, n := range counts {
			if n > 0 {
				to = count(to, sums, child[s.grid.starts[int(s.lo)+i]], n)
			}
		}
		for _, l := range s.list {
			to = count(to, sums, child[l.code], l.count)
		}
	}
	for i := range to[from:] {
		c := &to[from+i]
		c.size, sums[c.child] = sums[c.child], 0
	}
	return to
}

// count adds records to a child's sum, and appends the child if it had none.
func count(to []cell, sums []uint64, child uint32, n uint64) []cell {
	if sums[child] == 0 {
		to = append(to, cell{child: child})
	}
	sums[child] += n
	return to
}

// list appends the children whose sum is not zero.
func list(to []cell, sums []uint64) []cell {
	for c, size := range sums {
		if size > 0 {
			to = append(to, cell{child: uint32(c), size: size})
		}
	}
	return to
}
