package tips

import "github.com/kcut/kcut/partition"

// tally counts the records of a partition by child, for several fields in one pass.
type tally struct {
	parallel partition.Parallel // for one goroutine
	sums     [][]uint64         // by field and child; all zero between two uses
	fields   []active           // fields that are being counted
	others   []tally            // tallies of the other goroutines that share a partition
}

// childCount is the number of records that a child would get. In a suppressed column the
// child is the code that would be disclosed.
type childCount struct {
	child uint32
	size  uint64
}

const childCountBytes = 16

// tallyRecords is the number of records that are counted for one field before the next field's
// turn: their keys and counts stay in the first-level cache.
const tallyRecords = 1024

// add counts records of a table for every given field without known sums.
func (y *tally) add(t *TIPS, table *partition.Table, rows partition.Rows, fields []active,
	known stats) {
	y.fields = y.fields[:0]
	for _, a := range fields {
		if known.of(a.field) == nil {
			y.reserve(a)
			y.fields = append(y.fields, a)
		}
	}
	if ranges := y.parallel.Of(rows); ranges != nil && len(y.fields) > 0 {
		y.countRanges(t, table, rows, ranges)
	} else {
		t.count(table, rows, y.fields, y.sums)
	}
}

// countRanges counts records of a table, a range at a time.
func (y *tally) countRanges(t *TIPS, table *partition.Table, l partition.Rows,
	ranges []partition.Rows) {
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
		t.count(table, ranges[i], y.fields, sums)
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

// count adds records of a table to the sums of fields. It only reads from t.
func (t *TIPS) count(table *partition.Table, l partition.Rows, fields []active, sums [][]uint64) {
	for lo := l.Lo; lo < l.Hi && len(fields) > 0; lo += tallyRecords {
		hi := min(lo+tallyRecords, l.Hi)
		for _, a := range fields {
			countEach(sums[a.field][:a.children], table, lo, hi, table.Layout.Fields[a.field],
				t.column(a.field).Child)
		}
	}
}

// countEach adds records to sums by the child of a field's code.
func countEach(sums []uint64, t *partition.Table, lo, hi int, f partition.Field, child []uint32) {
	if len(sums) == 1 {
		sums[0] += partition.Sum(t.Counts[lo:hi])
		return
	}
	w := t.Layout.Words
	keys, at := t.Keys[lo*w:hi*w], f.Word
	for _, n := range t.Counts[lo:hi] {
		sums[child[keys[at]>>f.Shift&f.Mask]] += n
		at += w
	}
}

// lineWords is the number of words of two cache lines, which processors fetch together. Sums of
// different goroutines share no line: it would move between them with every record.
const lineWords = 16

func (y *tally) reserve(a active) {
	for len(y.sums) <= a.field {
		y.sums = append(y.sums, nil)
	}
	if a.children > len(y.sums[a.field]) {
		y.sums[a.field] = make([]uint64, (a.children+lineWords-1)/lineWords*lineWords)
	}
}

// drain appends the field's children that have records, and sets their sums to zero. For few
// records it does not look through the many children of a large domain.
func (y *tally) drain(t *partition.Table, rows partition.Rows, a active, child []uint32,
	to []childCount) []childCount {
	sums := y.sums[a.field][:a.children]
	if a.children <= rows.Records() {
		to = list(to, sums)
		clear(sums)
		return to
	}
	w, f := t.Layout.Words, t.Layout.Fields[a.field]
	for at := rows.Lo*w + f.Word; at < rows.Hi*w; at += w {
		c := child[t.Keys[at]>>f.Shift&f.Mask]
		if sums[c] > 0 {
			to = append(to, childCount{child: c, size: sums[c]})
			sums[c] = 0
		}
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
