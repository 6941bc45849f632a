package partition

import (
	"slices"
	"sync"
)

// sharing says when several goroutines work on a partition in memory. How they share it
// changes the order of records, and nothing else.
type sharing struct {
	threads int
	least   int // records that a goroutine is worth having for
}

// leastShare are fewer records than are worked on before another goroutine has begun.
const leastShare = 1 << 15

// of cuts a partition into equal shares, one for every thread, or fewer when they would be
// small.
func (s sharing) of(l leaf) []leaf {
	if s.threads < 2 || l.records() < 2*s.least {
		return nil
	}
	shares := make([]leaf, min(s.threads, l.records()/s.least))
	for i := range shares {
		shares[i] = leaf{lo: l.lo + l.records()*i/len(shares), hi: l.lo + l.records()*(i+1)/len(shares)}
	}
	return shares
}

// sharesOf cuts so many records into equal shares, one for every thread, or one when they
// would be small.
func sharesOf(records, threads int) []leaf {
	all := leaf{hi: records}
	if shares := (sharing{threads: threads, least: leastShare}).of(all); shares != nil {
		return shares
	}
	return []leaf{all}
}

// inParallel calls f for 0 to n−1, each on a goroutine of its own.
func inParallel(n int, f func(i int)) {
	var group sync.WaitGroup
	for i := 1; i < n; i++ {
		group.Go(func() { f(i) })
	}
	f(0)
	group.Wait()
}

// measureShares is measure for shares of a partition.
func (d *division) measureShares(t *Table, shares []leaf, f Field, r *Refinement) {
	for len(d.others) < len(shares)-1 {
		d.others = append(d.others, &division{})
	}
	inParallel(len(shares), func(i int) {
		mine := d
		if i > 0 {
			mine = d.others[i-1]
		}
		mine.measure(t, shares[i], f, r)
	})
	for _, other := range d.others[:len(shares)-1] {
		for _, c := range other.present {
			if d.records[c] == 0 {
				d.present = append(d.present, c)
			}
			d.records[c] += other.records[c]
			d.sizes[c] += other.sizes[c]
			other.records[c], other.sizes[c] = 0, 0
		}
	}
	slices.Sort(d.present)
}

// moveShares moves the records of shares of a partition: those of the first children, which
// have about half of them, to the front; then either side is moved on its own.
func (d *division) moveShares(t *Table, shares []leaf, f Field, r *Refinement) {
	first := d.firstHalf(shares)
	t.moveTwoShares(shares, f, r, d.present[first])
	inParallel(2, func(side int) {
		if side == 0 && first > 1 {
			d.move(t, f, r, 0, first)
		} else if side == 1 && first < len(d.present)-1 {
			d.move(t, f, r, first, len(d.present))
		}
	})
}

// moveTwoShares is moveTwo for shares of a partition.
func (t *Table) moveTwoShares(shares []leaf, f Field, r *Refinement, below uint32) (front int, size uint64) {
	ends, sizes := make([]int, len(shares)), make([]uint64, len(shares))
	inParallel(len(shares), func(i int) { ends[i], sizes[i] = moveTwo(t, shares[i], f, r, below) })
	front, size = ends[0], sizes[0]
	for i := 1; i < len(shares); i++ {
		t.swapMany(front, ends[i], min(shares[i].lo-front, ends[i]-shares[i].lo), len(shares))
		front, size = front+ends[i]-shares[i].lo, size+sizes[i]
	}
	return front, size
}

// firstHalf returns how many of the present children, not all, have about half of the records.
func (d *division) firstHalf(shares []leaf) (children int) {
	middle := (shares[0].lo + shares[len(shares)-1].hi) / 2
	last := len(d.parts) - 1
	for children = 1; children < last && d.parts[children].lo+d.parts[children].hi < 2*middle; {
		children++
	}
	return children
}

// swapMany exchanges the n records from front on with the n records before end.
func (t *Table) swapMany(front, end, n, threads int) {
	shares := sharesOf(n, threads)
	inParallel(len(shares), func(k int) {
		for i := shares[k].lo; i < shares[k].hi; i++ {
			t.swap(front+i, end-n+i)
		}
	})
}

// countAll counts the records of a partition in memory for the fields.
func (y *tally) countAll(t *TIPS, l leaf) {
	if shares := t.pool.sharing.of(l); len(shares) > 1 && len(y.fields) > 0 {
		y.countShares(t, shares)
		return
	}
	t.count(t.table, l, y.fields, y.sums)
}

// countShares is countAll for shares of a partition.
func (y *tally) countShares(t *TIPS, shares []leaf) {
	for len(y.others) < len(shares)-1 {
		y.others = append(y.others, tally{sums: make([][]uint64, len(y.sums))})
	}
	for i := range shares[1:] {
		for _, a := range y.fields {
			y.others[i].reserve(a)
		}
	}
	inParallel(len(shares), func(i int) {
		sums := y.sums
		if i > 0 {
			sums = y.others[i-1].sums
		}
		t.count(t.table, shares[i], y.fields, sums)
	})
	for _, other := range y.others[:len(shares)-1] {
		for _, a := range y.fields {
			to := y.sums[a.field]
			for child, n := range other.sums[a.field][:a.children] {
				to[child] += n
			}
			clear(other.sums[a.field])
		}
	}
}
