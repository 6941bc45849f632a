package partition

import "slices"

// sharing says when several goroutines share the records of a partition in memory. How
// they share them changes the order of records, and nothing else.
type sharing struct {
	threads int // below 2: nobody shares
	least   int // records that make a share
}

// threadsFor returns how many goroutines are worth starting for work on so many records.
func (s sharing) threadsFor(records int) int { return min(s.threads, records/s.least) }

const (
	// leastShare are records that are worked on while another goroutine is told of its share.
	leastShare = 1 << 12
	// sharesOfThread is how many shares of a partition there are for each goroutine, at most.
	sharesOfThread = 4
	// childrenOfShare is how many records of a share there are to be for every child.
	childrenOfShare = 16
)

// pays reports whether a partition is large enough to be shared.
func (s sharing) pays(l leaf) bool { return s.threads > 1 && l.records() >= 2*s.least }

// of cuts a partition into equal shares, some for every goroutine so that who is slowed down does
// fewer, or less when they would be small: none for one that is not shared.
func (s sharing) of(l leaf) []leaf {
	if !s.pays(l) {
		return nil
	}
	return l.shares(min(sharesOfThread*s.threads, l.records()/s.least))
}

// forDivision is of for a division among so many children, for which every share is measured.
func (s sharing) forDivision(l leaf, children int) []leaf {
	shares := s.of(l)
	if most := max(s.threads, l.records()/(childrenOfShare*children)); len(shares) > most {
		return l.shares(most)
	}
	return shares
}

// shares cuts a partition into n equal shares.
func (l leaf) shares(n int) []leaf {
	shares := make([]leaf, n)
	for i := range shares {
		shares[i] = leaf{lo: l.lo + l.records()*i/n, hi: l.lo + l.records()*(i+1)/n}
	}
	return shares
}

// measureShares is measure for shares of a partition.
func (d *division) measureShares(t *Table, shares []leaf, f Field, r *Refinement) {
	measured := d.measureEach(t, shares, f, r)
	d.uniteAll(measured)
	for _, other := range measured[1:] {
		for _, c := range other.present {
			d.records[c] += other.records[c]
			d.sizes[c] += other.sizes[c]
			other.records[c], other.sizes[c] = 0, 0
		}
	}
}

// measureEach measures every share of a partition, the first with d itself.
func (d *division) measureEach(t *Table, shares []leaf, f Field, r *Refinement) []*division {
	measured := []*division{d}
	for len(measured) < len(shares) {
		if len(d.others) < len(measured) {
			d.others = append(d.others, &division{})
		}
		measured = append(measured, d.others[len(measured)-1])
	}
	each(len(shares), d.sharing.threads, func(_, i int) { measured[i].measure(t, shares[i], f, r) })
	return measured
}

// uniteAll adds the children that are present in any share to those of d, the first.
func (d *division) uniteAll(measured []*division) {
	for _, other := range measured[1:] {
		d.present = append(d.present, other.present...)
	}
	slices.Sort(d.present)
	d.present = slices.Compact(d.present)
}

// moveShares moves the records of shares of a partition: those of the first children, which
// have about half of them, to the front; then either side is moved on its own.
func (d *division) moveShares(t *Table, shares []leaf, f Field, r *Refinement) {
	first := d.firstHalf(shares)
	d.moveTwoShares(t, shares, f, r, d.present[first])
	each(2, d.sharing.threads, func(_, side int) {
		if side == 0 && first > 1 {
			d.move(t, f, r, 0, first)
		} else if side == 1 && first < len(d.present)-1 {
			d.move(t, f, r, first, len(d.present))
		}
	})
}

// moveTwoShares is moveTwo for shares of a partition.
func (d *division) moveTwoShares(t *Table, shares []leaf, f Field, r *Refinement, below uint32) (front int, size uint64) {
	ends, sizes := make([]int, len(shares)), make([]uint64, len(shares))
	each(len(shares), d.sharing.threads, func(_, i int) { ends[i], sizes[i] = moveTwo(t, shares[i], f, r, below) })
	front = shares[0].lo
	for i, end := range ends {
		front, size = front+end-shares[i].lo, size+sizes[i]
	}
	d.bringTogether(t, shares, ends, front)
	return front, size
}

// bringTogether exchanges the records at the ends of shares that lie before a place with those
// at their beginnings that lie behind it, which are as many.
func (d *division) bringTogether(t *Table, shares []leaf, ends []int, front int) {
	var exchanges []exchange
	last := len(shares) - 1
	to := ends[last]
	for i := range shares {
		for at, end := ends[i], min(shares[i].hi, front); at < end; {
			for to <= max(shares[last].lo, front) {
				last--
				to = ends[last]
			}
			n := min(end-at, to-max(shares[last].lo, front), d.sharing.least)
			exchanges = append(exchanges, exchange{at, to - n, n})
			at, to = at+n, to-n
		}
	}
	each(len(exchanges), d.sharing.threads, func(_, i int) { exchanges[i].carryOut(t) })
}

// exchange says that the n records from one place on change places with those from another on.
type exchange struct{ here, there, n int }

func (e exchange) carryOut(t *Table) {
	for i := range e.n {
		t.swap(e.here+i, e.there+i)
	}
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

// countAll counts the records of a partition in memory for the fields.
func (y *tally) countAll(t *TIPS, l leaf) {
	if shares := y.sharing.of(l); shares != nil && len(y.fields) > 0 {
		y.countShares(t, shares)
		return
	}
	t.count(t.table, l, y.fields, y.sums)
}

// countShares is countAll for shares of a partition.
func (y *tally) countShares(t *TIPS, shares []leaf) {
	others := min(len(shares), y.sharing.threads) - 1
	for len(y.others) < others {
		y.others = append(y.others, tally{sums: make([][]uint64, len(y.sums))})
	}
	for i := range others {
		for _, a := range y.fields {
			y.others[i].reserve(a)
		}
	}
	each(len(shares), y.sharing.threads, func(worker, i int) {
		sums := y.sums
		if worker > 0 {
			sums = y.others[worker-1].sums
		}
		t.count(t.table, shares[i], y.fields, sums)
	})
	for _, other := range y.others[:others] {
		for _, a := range y.fields {
			to := y.sums[a.field]
			for child, n := range other.sums[a.field][:a.children] {
				to[child] += n
			}
			clear(other.sums[a.field])
		}
	}
}
