package boost

import (
	"cmp"
	"slices"
)

// leaf is a leaf of a growing tree.
type leaf struct {
	from, to int        // range of its records in rows
	sums     []gradient // by bin
	total    gradient
	split    split
}

// split is the best split of a leaf.
type split struct {
	gain   float64 // 0: there is no split
	column int
	right  [maxBins]bool // by bin of the column: its records go right
}

// grow grows a tree. The fitting's leaves are its leaves.
func (f *fitting) grow() {
	f.model.values = append(f.model.values, [maxLeaves]float64{})
	copy(f.rows, f.all)
	f.leaves = append(f.leaves[:0], leaf{to: len(f.rows), sums: f.histogram()})
	f.count(&f.leaves[0])
	f.leaves[0].add(f.first[1])
	f.choose(&f.leaves[0])
	for len(f.leaves) < f.Leaves {
		best := 0
		for i := range f.leaves {
			if f.leaves[i].split.gain > f.leaves[best].split.gain {
				best = i
			}
		}
		if f.leaves[best].split.gain <= 0 {
			return
		}
		f.divide(best)
	}
}

// histogram returns memory for a histogram.
func (f *fitting) histogram() []gradient {
	if last := len(f.free) - 1; last >= 0 {
		h := f.free[last]
		f.free = f.free[:last]
		return h
	}
	return make([]gradient, f.model.bins)
}

// count adds up the gradients of a leaf's records.
func (f *fitting) count(l *leaf) {
	clear(l.sums)
	columns := len(f.Columns)
	for _, row := range f.rows[l.from:l.to] {
		g := f.gradients[row]
		for _, bin := range f.bins[int(row)*columns:][:columns] {
			sum := &l.sums[bin]
			sum.slope += g.slope
			sum.curve += g.curve
			sum.records += g.records
		}
	}
}

// add adds up the gradients of a leaf's records: those of the bins of the first column.
func (l *leaf) add(bins int) {
	l.total = gradient{}
	for i := range l.sums[:bins] {
		l.total.add(&l.sums[i])
	}
}

// choose finds the split of a leaf with the highest gain: in a tie, the first column and position.
// A leaf of a tree that has all its leaves needs none.
func (f *fitting) choose(l *leaf) {
	l.split.gain = 0
	if l.total.records < 2*f.Least || len(f.leaves) == f.Leaves {
		return
	}
	whole := l.total.gain()
	for c, column := range f.Columns {
		sums := l.sums[f.first[c]:f.first[c+1]]
		f.arrange(sums, column.Ordered)
		var left gradient
		best, mostRight := 0, false
		for i, bin := range f.order[:max(0, len(f.order)-1)] {
			left.add(&sums[bin])
			right := l.total
			right.subtract(&left)
			if right.records < f.Least {
				break
			}
			if left.records < f.Least {
				continue
			}
			if gain := left.gain() + right.gain() - whole; gain > l.split.gain {
				l.split.gain, best, mostRight = gain, i+1, right.records > left.records
			}
		}
		if best > 0 {
			l.split.column = c
			// bins without records go where most records go, or follow the order of the bins
			for bin := range sums {
				l.split.right[bin] = mostRight && !column.Ordered ||
					column.Ordered && bin >= f.order[best]
			}
			for i, bin := range f.order {
				l.split.right[bin] = i >= best
			}
		}
	}
}

// arrange orders the bins that have records for splitting: in their own order or, if they have
// none, by the change that a leaf of each bin alone would make.
func (f *fitting) arrange(sums []gradient, ordered bool) {
	f.order = f.order[:0]
	for bin := range sums {
		if sums[bin].records > 0 {
			f.order = append(f.order, bin)
		}
	}
	if ordered {
		return
	}
	for _, bin := range f.order {
		f.means[bin] = sums[bin].mean()
	}
	slices.SortFunc(f.order, func(a, b int) int {
		return cmp.Or(cmp.Compare(f.means[a], f.means[b]), a-b)
	})
}

// divide divides a leaf in two. The gradients of the larger one are the difference to those of the
// smaller one.
func (f *fitting) divide(at int) {
	f.leaves = append(f.leaves, leaf{})
	left, right := &f.leaves[at], &f.leaves[len(f.leaves)-1]
	column, middle := left.split.column, f.partition(left)
	f.model.split(at, len(f.leaves)-1, f.first[column], f.first[column+1], &left.split.right)
	right.from, right.to, left.to = middle, left.to, middle
	small, large := left, right
	if left.to-left.from > right.to-right.from {
		small, large = right, left
	}
	small.sums, large.sums = f.histogram(), left.sums
	f.count(small)
	for i := range large.sums {
		large.sums[i].subtract(&small.sums[i])
	}
	for _, l := range []*leaf{left, right} {
		l.add(f.first[1])
		f.choose(l)
	}
}

// partition moves the records of a leaf that go left before the others, and returns the start of
// the others.
func (f *fitting) partition(l *leaf) (middle int) {
	columns, first := len(f.Columns), f.first[l.split.column]
	rows, right, goes := f.rows[l.from:l.to], f.spare, [maxBins]uint8{}
	for bin, isRight := range l.split.right {
		if isRight {
			goes[bin] = 1
		}
	}
	bins, n := f.bins[l.split.column:], 0
	for _, row := range rows { // without a branch, which would often be mispredicted
		is := int(goes[uint8(int(bins[int(row)*columns])-first)])
		rows[middle], right[n] = row, row
		middle, n = middle+1-is, n+is
	}
	copy(rows[middle:], right[:n])
	return l.from + middle
}
