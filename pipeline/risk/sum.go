package risk

import (
	"sync"
	"sync/atomic"

	"github.com/kcut/kcut/spill"
)

// Sum counts rows by the hashes of their classes, for several goroutines: up to a number of classes
// one by one, and of more those whose hash begins with enough zero bits. These are whole classes,
// chosen by what has nothing to do with their sizes, so that they stand for all. How many zeros
// there are in the end depends on the hashes, the number of rows and the limit, not on the order of
// rows or on who counted them. Each goroutine adds rows to a Tally of its own.
type Sum struct{ table }

const (
	// mostHashes is how many classes a sum has at most that is not of the union.
	mostHashes = 1 << 16
	// fewHashes is how many it has while more than enoughRows are counted: then most rows are left
	// out soon. As many are in a tally.
	fewHashes  = 1 << 14
	enoughRows = 1 << 18
	// UnionHashes is how many classes of the union are counted one by one, whatever the budget is:
	// what is counted of it stands in the cut. They take 4 MiB.
	UnionHashes = 1 << 17
	// SumBytes is what the classes of the union and of pairs take at the most.
	SumBytes = 2 * slotSize * (UnionHashes + PairHashes)
	// PairHashes is how many classes of all pairs of sets are counted one by one, of PairClasses at
	// most each.
	PairHashes  = 1 << 16
	PairClasses = 1 << 14
)

// NewSum returns a sum that counts up to most classes, a power of two, one by one. What does not
// fit the budget is an error.
func NewSum(most int, budget *spill.Budget) *Sum {
	s := &Sum{table{most: int64(most), exact: true, budget: budget}}
	s.begin()
	return s
}

// MostClasses returns how many classes each of so many sums may have in so many bytes: a power of
// two.
func MostClasses(sums int, bytes int64) int {
	most := fewest / 2
	for most < mostHashes && int64(6*most)*slotSize*int64(sums) <= bytes {
		most *= 2
	}
	return most
}

// NewPartSum returns a sum of up to most classes for a table of so many rows. It leaves out more of
// them where the budget has no room.
func NewPartSum(most int, rows int64, budget *spill.Budget) *Sum {
	s := &Sum{table{most: int64(most), budget: budget}}
	for rows>>s.enough > enoughRows {
		s.enough++
	}
	s.begin()
	return s
}

// Join adds what tallies have counted, which are consumed, and returns an error if anything had no
// room.
func (s *Sum) Join(tallies ...*Tally) error {
	for _, t := range tallies {
		t.close()
	}
	return s.err()
}

// Figures tells of so many rows what the classes are like, of which those below k are small.
func (s *Sum) Figures(rows int64, k int) *Figures {
	c := Classes{K: k}
	for _, slot := range s.slots.of {
		if slot.rows > 0 {
			c.Add(int64(slot.rows))
		}
	}
	return c.figures(rows, s.zeros())
}

// table counts classes for several goroutines, of which one at a time adds to it: their rows, or the
// entities that have some of these.
type table struct {
	most int64 // classes or, where entities are counted, entities of classes
	// With enough zeros no more than enoughRows rows are counted. With fewer, most is at most fewHashes.
	enough uint
	apart  uint64 // so many entities of a class are told apart; 0: rows are counted
	exact  bool   // what does not fit the budget is an error
	budget *spill.Budget
	bits   atomic.Uint32

	mu     sync.Mutex
	failed error // what had no room
	slots
	pairs
}

const (
	slotBits = 15 // a slot is chosen by the bits above those that choose it in a large tally
	slotSize = 16 // bytes, those of a pair, too
	// fewSlots is how many slots a table has without drawing them.
	fewSlots = 1 << 10
)

// begin makes the first slots.
func (c *table) begin() {
	if c.shift, c.slots.of = slotBits, make([]slot, fewSlots); c.apart > 0 {
		c.pairs.of = make([]slot, fewSlots)
	}
}

// zeros returns how many zero bits the hashes that are counted begin with.
func (c *table) zeros() uint { return uint(c.bits.Load()) }

// has reports whether a class is counted.
func (c *table) has(hash uint64) bool { return hash>>(64-c.zeros()) == 0 }

// addAll adds rows of classes, or entities.
func (c *table) addAll(all []slot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range all {
		if one.rows > 0 && c.has(one.hash) && c.failed == nil {
			c.add(one)
		}
	}
}

// add adds rows of a class, or an entity, and leaves out classes while more is held than may be, or
// there is no room.
func (c *table) add(one slot) {
	for err := c.makeRoom(); err != nil; err = c.makeRoom() {
		if c.exact || c.zeros() == 64 {
			c.failed = err
			return
		}
		if c.leaveOut(c.zeros() + 1); !c.has(one.hash) {
			return
		}
	}
	if c.apart > 0 {
		c.addEntity(one)
	} else {
		c.slots.add(one.hash, one.rows)
	}
	for c.held() > c.limit() {
		c.leaveOut(c.zeros() + 1)
	}
}

// makeRoom makes sure that there is room for one more class, and entity.
func (c *table) makeRoom() error {
	slots, pairs := roomier(len(c.slots.of), c.slots.used), roomier(len(c.pairs.of), c.pairs.used)
	more := int64(slots-len(c.slots.of)+pairs-len(c.pairs.of)) * slotSize
	if more == 0 {
		return nil
	}
	if err := c.budget.Draw("the classes of rows that are alike", more); err != nil {
		return err
	}
	c.slots.widen(slots)
	c.pairs.move(pairs, 0)
	return nil
}

// roomier returns how many slots a table of so many has to have for one more hash: at most 5 of 8
// are used.
func roomier(size, used int) int {
	if 8*used < 5*size || size == 0 {
		return size
	}
	return 2 * size
}

// held returns how many of most there are.
func (c *table) held() int64 {
	if c.apart > 0 {
		return int64(c.pairs.used)
	}
	return int64(c.slots.used)
}

// limit returns how much may be held.
func (c *table) limit() int64 {
	if c.zeros() < c.enough {
		return min(c.most, fewHashes)
	}
	return c.most
}

// leaveOut leaves out the classes that begin with fewer zero bits.
func (c *table) leaveOut(zeros uint) {
	c.bits.Store(uint32(min(zeros, 64)))
	c.slots.leaveOut(c.zeros())
	c.pairs.move(len(c.pairs.of), c.zeros())
}

// err returns what had no room.
func (c *table) err() error {
	if c.exact {
		return c.failed
	}
	return nil
}

// Close gives back the bytes that were drawn.
func (c *table) Close() {
	drawn := max(len(c.slots.of)-fewSlots, 0) + max(len(c.pairs.of)-fewSlots, 0)
	c.budget.Return(int64(drawn) * slotSize)
	c.slots.of, c.pairs.of = nil, nil
}
