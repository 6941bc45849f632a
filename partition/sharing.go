package partition

import "slices"

// Sharing says when several goroutines share the records of a partition in memory. How
// they share them changes the order of records, and nothing else.
type Sharing struct {
	Threads int // below 2: nobody shares
	Least   int // records that make a share
}

// NewSharing returns the sharing of so many goroutines.
func NewSharing(threads int) Sharing { return Sharing{Threads: max(1, threads), Least: leastShare} }

// ThreadsFor returns how many goroutines are worth starting for work on so many records.
func (s Sharing) ThreadsFor(records int) int { return min(s.Threads, records/s.Least) }

const (
	// leastShare are records that are worked on while another goroutine is told of its share.
	leastShare = 1 << 12
	// sharesOfThread is how many shares of a partition there are for each goroutine, at most.
	sharesOfThread = 4
	// childrenOfShare is how many records of a share there are to be for every child.
	childrenOfShare = 16
)

// Pays reports whether a partition is large enough to be shared.
func (s Sharing) Pays(l Rows) bool { return s.Threads > 1 && l.Records() >= 2*s.Least }

// Of cuts a partition into equal shares, some for every goroutine so that who is slowed down does
// fewer, or less when they would be small: none for one that is not shared.
func (s Sharing) Of(l Rows) []Rows {
	if !s.Pays(l) {
		return nil
	}
	return l.Cut(min(sharesOfThread*s.Threads, l.Records()/s.Least))
}

// forDivision is of for a division among so many children, for which every share is measured.
func (s Sharing) forDivision(l Rows, children int) []Rows {
	shares := s.Of(l)
	if most := max(s.Threads, l.Records()/(childrenOfShare*children)); len(shares) > most {
		return l.Cut(most)
	}
	return shares
}

// measureShares is measure for shares of a partition.
func (d *Division) measureShares(t *Table, shares []Rows, f Field, r *Refinement) {
	measured := d.measureEach(t, shares, f, r)
	d.uniteAll(measured)
	for _, other := range measured[1:] {
		for _, c := range other.Present {
			d.records[c] += other.records[c]
			d.sizes[c] += other.sizes[c]
			other.records[c], other.sizes[c] = 0, 0
		}
	}
}

// measureEach measures every share of a partition, the first with d itself.
func (d *Division) measureEach(t *Table, shares []Rows, f Field, r *Refinement) []*Division {
	measured := []*Division{d}
	for len(measured) < len(shares) {
		if len(d.others) < len(measured) {
			d.others = append(d.others, &Division{})
		}
		measured = append(measured, d.others[len(measured)-1])
	}
	Each(len(shares), d.Sharing.Threads, func(_, i int) { measured[i].measure(t, shares[i], f, r) })
	return measured
}

// uniteAll adds the children that are present in any share to those of d, the first.
func (d *Division) uniteAll(measured []*Division) {
	for _, other := range measured[1:] {
		d.Present = append(d.Present, other.Present...)
	}
	slices.Sort(d.Present)
	d.Present = slices.Compact(d.Present)
}

// moveShares moves the records of shares of a partition: those of the first children, which
// have about half of them, to the front; then either side is moved on its own.
func (d *Division) moveShares(t *Table, shares []Rows, f Field, r *Refinement) {
	first := d.firstHalf(shares)
	d.moveTwoShares(t, shares, f, r, d.Present[first])
	Each(2, d.Sharing.Threads, func(_, side int) {
		if side == 0 && first > 1 {
			d.move(t, f, r, 0, first)
		} else if side == 1 && first < len(d.Present)-1 {
			d.move(t, f, r, first, len(d.Present))
		}
	})
}

// moveTwoShares is moveTwo for shares of a partition.
func (d *Division) moveTwoShares(t *Table, shares []Rows, f Field, r *Refinement, below uint32) (front int, size uint64) {
	ends, sizes := make([]int, len(shares)), make([]uint64, len(shares))
	Each(len(shares), d.Sharing.Threads, func(_, i int) { ends[i], sizes[i] = moveTwo(t, shares[i], f, r, below) })
	front = shares[0].Lo
	for i, end := range ends {
		front, size = front+end-shares[i].Lo, size+sizes[i]
	}
	d.bringTogether(t, shares, ends, front)
	return front, size
}

// bringTogether exchanges the records at the ends of shares that lie before a place with those
// at their beginnings that lie behind it, which are as many.
func (d *Division) bringTogether(t *Table, shares []Rows, ends []int, front int) {
	var exchanges []exchange
	last := len(shares) - 1
	to := ends[last]
	for i := range shares {
		for at, end := ends[i], min(shares[i].Hi, front); at < end; {
			for to <= max(shares[last].Lo, front) {
				last--
				to = ends[last]
			}
			n := min(end-at, to-max(shares[last].Lo, front), d.Sharing.Least)
			exchanges = append(exchanges, exchange{at, to - n, n})
			at, to = at+n, to-n
		}
	}
	Each(len(exchanges), d.Sharing.Threads, func(_, i int) { exchanges[i].carryOut(t) })
}

// exchange says that the n records from one place on change places with those from another on.
type exchange struct{ here, there, n int }

func (e exchange) carryOut(t *Table) {
	for i := range e.n {
		t.Swap(e.here+i, e.there+i)
	}
}

// firstHalf returns how many of the present children, not all, have about half of the records.
func (d *Division) firstHalf(shares []Rows) (children int) {
	middle := (shares[0].Lo + shares[len(shares)-1].Hi) / 2
	last := len(d.parts) - 1
	for children = 1; children < last && d.parts[children].Lo+d.parts[children].Hi < 2*middle; {
		children++
	}
	return children
}
