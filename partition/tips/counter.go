package tips

import "github.com/kcut/kcut/partition"

// counter counts the records of a partition by child, for several fields in one pass.
type counter struct {
	parallel partition.Parallel // for one goroutine
	sums     [][]uint64         // by field and child; all zero between two uses
	fields   []active           // fields that are being counted
	others   []counter          // counters of the other goroutines that share a partition
}

// childCount is the number of records that a child would get. In a suppressed column the
// child is the code that would be disclosed.
type childCount struct {
	child uint32
	size  uint64
}

const childCountBytes = 16

// passRecords is the number of records that are counted for one field before the next field's
// turn: their keys and counts stay in the first-level cache.
const passRecords = 1024

// add counts records of a table for every given field without known sums.
func (c *counter) add(t *TIPS, table *partition.Table, rows partition.Rows, fields []active,
	known stats) {
	c.fields = c.fields[:0]
	for _, a := range fields {
		if known.of(a.field) == nil {
			c.reserve(a)
			c.fields = append(c.fields, a)
		}
	}
	if ranges := c.parallel.Ranges(rows); ranges != nil && len(c.fields) > 0 {
		c.countRanges(t, table, rows, ranges)
	} else {
		t.count(table, rows, c.fields, c.sums)
	}
}

// countRanges counts records of a table, a range at a time.
func (c *counter) countRanges(t *TIPS, table *partition.Table, l partition.Rows,
	ranges []partition.Rows) {
	for len(c.others) < c.parallel.Threads-1 {
		c.others = append(c.others, counter{})
	}
	for i := range c.others {
		for _, a := range c.fields {
			c.others[i].reserve(a)
		}
	}
	c.parallel.Each(len(ranges), l.Records(), func(worker, i int) {
		sums := c.sums
		if worker > 0 {
			sums = c.others[worker-1].sums
		}
		t.count(table, ranges[i], c.fields, sums)
	})
	for _, other := range c.others {
		for _, a := range c.fields {
			for child, n := range other.sums[a.field][:a.children] {
				c.sums[a.field][child] += n
			}
			clear(other.sums[a.field])
		}
	}
}

// count adds records of a table to the sums of fields. It only reads from t.
func (t *TIPS) count(table *partition.Table, l partition.Rows, fields []active, sums [][]uint64) {
	for lo := l.Lo; lo < l.Hi && len(fields) > 0; lo += passRecords {
		hi := min(lo+passRecords, l.Hi)
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

func (c *counter) reserve(a active) {
	for len(c.sums) <= a.field {
		c.sums = append(c.sums, nil)
	}
	if a.children > len(c.sums[a.field]) {
		c.sums[a.field] = make([]uint64, (a.children+lineWords-1)/lineWords*lineWords)
	}
}

// drain appends the field's children that have records, and sets their sums to zero. For few
// records it does not look through the many children of a large domain.
func (c *counter) drain(t *partition.Table, rows partition.Rows, a active, child []uint32,
	to []childCount) []childCount {
	sums := c.sums[a.field][:a.children]
	if a.children <= rows.Records() {
		to = list(to, sums)
		clear(sums)
		return to
	}
	w, f := t.Layout.Words, t.Layout.Fields[a.field]
	for at := rows.Lo*w + f.Word; at < rows.Hi*w; at += w {
		code := child[t.Keys[at]>>f.Shift&f.Mask]
		if sums[code] > 0 {
			to = append(to, childCount{child: code, size: sums[code]})
			sums[code] = 0
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
