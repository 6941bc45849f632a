package risk

import (
	"math"
	"slices"

	"github.com/kcut/kcut/spill"
)

// Tally counts rows by their hashes, in a table that holds so many hashes at most: few while those that
// it counts have more than enough rows. When it is full it goes on with those alone that begin with
// one more zero bit. These are whole classes, chosen by what has nothing to do with their sizes, so
// that they stand for all. How many zeros there are in the end depends on the hashes, the number of
// rows and the limit, not on the order of rows or who counted them.
type Tally struct {
	slots         // at most half of them are used
	left   []slot // scratch: what is counted again
	zeros  uint   // leading zero bits of the hashes that are counted
	enough uint   // with so many of them no more than enough rows are counted
	most   int    // hashes
	budget *spill.Budget
	into   *Sum // gets what there is no room for; nil: a part of the classes is left out
}

const (
	// slotBytes is what a slot takes: 16 bytes, and half of that again for those that are left when others are left out.
	slotBytes = 24
	// fewest slots are there without being drawn.
	fewest = 512
	// mostHashes is how many hashes a tally has at most: 3 MiB, which stay in a cache. Four times as
	// many make a run of 3,000,000 rows take a fifth more processor time.
	mostHashes = 1 << 16
	// fewHashes is how many it has while more than enoughRows are counted: then most rows are left out soon.
	fewHashes  = 1 << 14
	enoughRows = 1 << 18
	// UnionHashes is how many classes of the union are counted one by one, whatever the budget is: what
	// is counted of it stands in the cut. They take 4 MiB.
	UnionHashes = 1 << 17
	// SumBytes is about what the classes of the union and of pairs take at the most, where shares are
	// no larger than others by chance.
	SumBytes = 2 * slotSize * (UnionHashes + PairHashes)
	// PairHashes is how many classes of all pairs of sets are counted one by one, of PairClasses at most each.
	PairHashes  = 1 << 16
	PairClasses = 1 << 14
)

// NewTallies returns so many tallies for tables of so many rows. They take so many bytes together, as many hashes each as
// fit.
func NewTallies(n int, rows int64, budget *spill.Budget, bytes int64) (tallies []*Tally) {
	most := fewest / 2 // hashes: a power of two
	for most < mostHashes && int64(2*2*most)*slotBytes*int64(n) <= bytes {
		most *= 2
	}
	for range n {
		tallies = append(tallies, newTally(most, rows, budget))
	}
	return tallies
}

func newTally(most int, rows int64, budget *spill.Budget) *Tally {
	t := &Tally{slots: slots{of: make([]slot, fewest)}, most: max(most, fewest/2), budget: budget}
	for rows>>t.enough > enoughRows {
		t.enough++
	}
	return t
}

// tallyOf returns a tally with all the room that it may need.
func tallyOf(most int, rows int64) *Tally {
	return newTally(most, rows, spill.NewBudget(int64(2*2*most)*slotBytes))
}

// Add counts a row for every hash. Most rows have one that is not counted, or that is where it is looked for.
func (t *Tally) Add(hashes []uint64) {
	t.follow()
	last := ^uint64(0) >> t.zeros
	slots, mask := t.of, uint64(len(t.of)-1)
	for _, hash := range hashes {
		if hash > last {
			continue
		}
		if s := &slots[hash&mask]; s.hash == hash && s.rows > 0 {
			s.rows++
			continue
		}
		t.add(hash, 1)
		last, slots, mask = ^uint64(0)>>t.zeros, t.of, uint64(len(t.of)-1)
	}
}

// AddCounted counts as many rows for every hash as counts say; nil: one each.
func (t *Tally) AddCounted(hashes, counts []uint64) {
	if counts == nil {
		t.Add(hashes)
		return
	}
	t.follow()
	for i, hash := range hashes {
		t.add(hash, counts[i])
	}
}

// follow leaves out what the sum leaves out.
func (t *Tally) follow() {
	if t.into != nil && t.into.zeros() > t.zeros {
		t.leaveOut(t.into.zeros())
	}
}

// add counts rows that have a hash.
func (t *Tally) add(hash, rows uint64) {
	if hash>>(64-t.zeros) == 0 && t.slots.add(hash, rows) && 2*t.used > len(t.of) {
		t.makeRoom()
	}
}

// makeRoom doubles the slots, hands over what is in them, or leaves out half of the hashes.
func (t *Tally) makeRoom() {
	size, most := len(t.of), t.most
	if t.zeros < t.enough {
		most = min(most, fewHashes)
	}
	switch {
	case t.used < most && t.budget.Draw("the classes of kept columns", int64(size)*slotBytes) == nil:
		t.move(2*size, 0)
	case t.into != nil:
		t.handOver()
	default:
		t.leaveOut(t.zeros + 1)
	}
}

// handOver adds all rows to the sum.
func (t *Tally) handOver() {
	t.into.addAll(t.of)
	clear(t.of)
	t.used, t.zeros = 0, t.into.zeros()
}

// leaveOut leaves out the hashes that begin with fewer zero bits.
func (t *Tally) leaveOut(zeros uint) {
	t.zeros, t.left = zeros, t.left[:0]
	for _, s := range t.of {
		if s.rows > 0 && s.hash>>(64-zeros) == 0 {
			t.left = append(t.left, s)
		}
	}
	clear(t.of)
	t.used = 0
	t.addSlots(t.left)
}

func (t *Tally) addSlots(slots []slot) {
	for _, s := range slots {
		if s.rows > 0 {
			t.add(s.hash, s.rows)
		}
	}
}

// Merge adds what another tally has counted, which is consumed.
func (t *Tally) Merge(o *Tally) {
	if o.zeros > t.zeros {
		t.leaveOut(o.zeros)
	}
	t.addSlots(o.of)
	o.Close()
}

// Close gives back what is drawn.
func (t *Tally) Close() {
	t.budget.Return(int64(len(t.of)-fewest) * slotBytes)
	t.of, t.left = nil, nil
}

// Figures tells of so many rows what the classes are like, of which those below k are small.
func (t *Tally) Figures(rows int64, k int) *Figures {
	c := Classes{K: k}
	t.addTo(&c)
	return c.figures(rows, t.zeros)
}

// Refine makes figures of some columns no smaller than those of a part of these, which each row of a class
// that is alike on all is alike on: estimates of both might contradict each other.
func (f *Figures) Refine(part *Figures) {
	f.Unique, f.Below, f.Classes = max(f.Unique, part.Unique), max(f.Below, part.Below), max(f.Classes, part.Classes)
	f.Prosecutor.Highest = max(f.Prosecutor.Highest, part.Prosecutor.Highest)
	f.Prosecutor.Average = max(f.Prosecutor.Average, part.Prosecutor.Average)
	f.Journalist, f.Marketer = f.Prosecutor, f.Prosecutor.Average
}

// FiguresOf tells of rows with these hashes, which are sorted by that, what their classes are like, of
// which those below k are small.
func FiguresOf(hashes []uint64, k int) *Figures {
	slices.Sort(hashes)
	c := Classes{K: k}
	for i := 0; i < len(hashes); {
		first := i
		for i++; i < len(hashes) && hashes[i] == hashes[first]; i++ {
		}
		c.Add(int64(i - first))
	}
	return c.figures(int64(len(hashes)), 0)
}

// Classes sums up classes of rows that are alike, of which those below K are small.
type Classes struct {
	K             int
	number        float64
	unique, below float64 // rows
	squares       float64 // of the sizes of classes that are small
	smallest      int64
}

// Add adds a class.
func (c *Classes) Add(rows int64) {
	if c.number++; c.number == 1 || rows < c.smallest {
		c.smallest = rows
	}
	if rows == 1 {
		c.unique++
	}
	if rows < int64(c.K) {
		c.below += float64(rows)
		c.squares += float64(rows) * float64(rows)
	}
}

// Smallest returns the size of the smallest class, 0 if there is none.
func (c *Classes) Smallest() int64 { return c.smallest }

// Figures tells of so many rows what the classes are like, all of which were added.
func (c *Classes) Figures(rows int64) *Figures { return c.figures(rows, 0) }

// figures tells of so many rows what the classes are like, when those were counted whose hash begins with
// so many zero bits.
func (c *Classes) figures(rows int64, zeros uint) *Figures {
	f := &Figures{}
	if c.number == 0 {
		return f
	}
	part := math.Ldexp(1, -int(zeros))
	share := func(n float64) float64 { return min(n/part/float64(rows), 1) }
	f.Unique, f.Below, f.Classes = share(c.unique), share(c.below), min(int64(c.number/part), rows)
	f.Prosecutor = Risk{Highest: 1 / float64(c.smallest), Average: share(c.number)}
	f.Journalist, f.Marketer = f.Prosecutor, f.Prosecutor.Average
	if zeros > 0 {
		f.Part = part
		f.Error = share(2 * math.Sqrt(max(c.unique, c.squares)*(1-part)))
	}
	return f
}
