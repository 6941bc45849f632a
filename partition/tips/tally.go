package tips

import "github.com/kcut/kcut/partition"

// tally counts the records of a partition by child, for several fields in one pass.
type tally struct {
	parallel partition.Parallel // nobody's: one goroutine counts
	sums     [][]uint64         // by field and child; all zero between two uses
	fields   []active           // that are being counted
	others   []tally            // of the others that share a partition
}

// childCount is the number of records that a child would get. In a suppressed column the
// child is the code that would be disclosed. Of a subpartition it is one of the codes of a cell.
type childCount struct {
	child uint32
	size  uint64
}

// tallyRecords is how many records are counted for one field before the next field's turn:
// their keys and counts stay in the first-level cache.
const tallyRecords = 1024

// add counts the records of a partition for every given field that is not known.
func (y *tally) add(t *TIPS, l leafPartition, fields []active, known stats) {
	y.fields = y.fields[:0]
	for _, a := range fields {
		if known.of(a.field) == nil {
			y.reserve(a)
			y.fields = append(y.fields, a)
		}
	}
	if ranges := y.parallel.Of(l.Rows); ranges != nil && len(y.fields) > 0 {
		y.countRanges(t, l.Rows, ranges)
	} else {
		t.count(l.Rows, y.fields, y.sums)
	}
}

// countRanges counts the records of a partition, a range at a time.
func (y *tally) countRanges(t *TIPS, l partition.Rows, ranges []partition.Rows) {
	for len(y.others) < y.parallel.Threads-1 {
		y.others = append(y.others, tally{})
	}
	for i := range y.others {
		for _, a := range y.fields {
			y.others[i].reserve(a)
		}
	}
	y.parallel.Each(len(ranges), l.Records(), func(worker, i int) {
		sums := y.sums
		if worker > 0 {
			sums = y.others[worker-1].sums
		}
		t.count(ranges[i], y.fields, sums)
	})
	for _, other := range y.others {
		for _, a := range y.fields {
			for child, n := range other.sums[a.field][:a.children] {
				y.sums[a.field][child] += n
			}
			clear(other.sums[a.field])
		}
	}
}

// count adds records of the table to the sums of fields. It only reads what t has.
func (t *TIPS) count(l partition.Rows, fields []active, sums [][]uint64) {
	for lo := l.Lo; lo < l.Hi && len(fields) > 0; lo += tallyRecords {
		hi := min(lo+tallyRecords, l.Hi)
		for _, a := range fields {
			countEach(sums[a.field][:a.children], t.table, lo, hi, t.table.Layout.Fields[a.field], t.lookahead.column(a.field).Child, 0)
		}
	}
}

// countEach adds records to sums by the number, a child's or a cell's, that a field's code has. The first
// sum's is given.
func countEach(sums []uint64, t *partition.Table, lo, hi int, f partition.Field, number []uint32, first uint32) {
	if len(sums) == 1 {
		sums[0] += partition.Sum(t.Counts[lo:hi])
		return
	}
	w := t.Layout.Words
	keys, at := t.Keys[lo*w:hi*w], f.Word
	for _, n := range t.Counts[lo:hi] {
		sums[number[keys[at]>>f.Shift&f.Mask]-first] += uint64(n)
		at += w
	}
}

// drainEach appends the sums that records have by number, and zeroes them.
func drainEach(sums []uint64, t *partition.Table, lo, hi int, f partition.Field, number []uint32, to []childCount) []childCount {
	w := t.Layout.Words
	for at := lo*w + f.Word; at < hi*w; at += w {
		c := number[t.Keys[at]>>f.Shift&f.Mask]
		if sums[c] > 0 {
			to = append(to, childCount{child: c, size: sums[c]})
			sums[c] = 0
		}
	}
	return to
}

// lineWords are the words of two cache lines, which processors fetch together. Sums that several
// goroutines add to share no line: it would go to and fro between them with every record.
const lineWords = 16

func (y *tally) reserve(a active) {
	for len(y.sums) <= a.field {
		y.sums = append(y.sums, nil)
	}
	if a.children > len(y.sums[a.field]) {
		y.sums[a.field] = make([]uint64, (a.children+lineWords-1)/lineWords*lineWords)
	}
}

// drain appends the field's children that have records, and zeroes their sums. A small
// partition does not look through the many children of a large domain.
func (y *tally) drain(t *TIPS, l leafPartition, a active, to []childCount) []childCount {
	sums := y.sums[a.field][:a.children]
	if a.children <= l.Records() {
		to = list(to, sums)
		clear(sums)
		return to
	}
	return drainEach(sums, t.table, l.Lo, l.Hi, t.table.Layout.Fields[a.field], t.lookahead.column(a.field).Child, to)
}

// gather appends the children of a field's value with the records of subpartitions that they get,
// from what is known of these.
func (y *tally) gather(subs []*subpartition, a active, child []uint32, to []childCount) []childCount {
	y.reserve(a)
	sums, from := y.sums[a.field], len(to)
	for _, p := range subs {
		s, counts := p.spread(a.field)
		for i, n := range counts {
			if n > 0 {
				to = count(to, sums, child[s.grid.starts[int(s.lo)+i]], n)
			}
		}
		for _, l := range s.list {
			to = count(to, sums, child[l.child], l.size)
		}
	}
	for i := range to[from:] {
		c := &to[from+i]
		c.size, sums[c.child] = sums[c.child], 0
	}
	return to
}

// count adds records to a child's sum, and appends the child if it had none.
func count(to []childCount, sums []uint64, child uint32, n uint64) []childCount {
	if sums[child] == 0 {
		to = append(to, childCount{child: child})
	}
	sums[child] += n
	return to
}

// list appends the children whose sum is not zero.
func list(to []childCount, sums []uint64) []childCount {
	for c, size := range sums {
		if size > 0 {
			to = append(to, childCount{child: uint32(c), size: size})
		}
	}
	return to
}
