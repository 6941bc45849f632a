package risk

import (
	"sync"
	"sync/atomic"

	"github.com/kcut/kcut/spill"
)

// Sum counts rows by the hashes of their classes, for several goroutines: up to a number of classes
// one by one, and of more classes those whose hashes begin with enough zero bits. These are whole
// classes, chosen independently of their sizes, so they represent all classes. The final number of
// zeros depends on the hashes, the number of rows and the limit, not on the order of rows or on who
// counted them. Each goroutine adds rows to its own Counter.
type Sum struct{ table }

const (
	// mostHashes is the largest number of classes of a sum, except that of the union.
	mostHashes = 1 << 16
	// fewHashes is the limit while more than enoughRows are counted, so that most rows are left out
	// soon. A Counter has the same limit.
	fewHashes  = 1 << 14
	enoughRows = 1 << 18
	// UnionHashes is the number of classes of the union that are counted one by one with any
	// budget, since the cut states the union's figures. They take 4 MiB.
	UnionHashes = 1 << 17
	// SumBytes is the largest memory of the classes of the union and of pairs.
	SumBytes = 2 * slotSize * (UnionHashes + PairHashes)
	// PairHashes is the number of classes of all pairs of sets that are counted one by one, with at
	// most PairClasses for each pair.
	PairHashes  = 1 << 16
	PairClasses = 1 << 14
	// OwnerBytes are the bytes of a pair of a person and a class, as joined releases have them.
	OwnerBytes = 16
)

// NewSum returns a sum that counts up to most classes, a power of two, one by one. If they do not
// fit the budget, that is an error.
func NewSum(most int, budget *spill.Budget) *Sum {
	s := &Sum{table{most: int64(most), exact: true, budget: budget}}
	s.begin()
	return s
}

// MostClasses returns the number of classes, a power of two, that each of several sums may have
// within the given bytes.
func MostClasses(sums int, bytes int64) int {
	most := fewest / 2
	for most < mostHashes && int64(6*most)*slotSize*int64(sums) <= bytes {
		most *= 2
	}
	return most
}

// NewPartSum returns a sum of up to most classes for a table of the given number of rows. It leaves
// out more classes if the budget has no room.
func NewPartSum(most int, rows int64, budget *spill.Budget) *Sum {
	s := &Sum{table{most: int64(most), budget: budget}}
	for rows>>s.enough > enoughRows {
		s.enough++
	}
	s.begin()
	return s
}

// Join adds the counts of counters, which it consumes. It returns an error if anything had no room.
func (s *Sum) Join(counters ...*Counter) error {
	for _, t := range counters {
		t.close()
	}
	return s.err()
}

// Figures returns the figures of a table of the given number of rows. Classes of fewer than k rows
// are small.
func (s *Sum) Figures(rows int64, k int) *Figures {
	c := ClassSizes{K: k}
	for _, slot := range s.slots.of {
		if slot.rows > 0 {
			c.Add(int64(slot.rows))
		}
	}
	return c.figures(rows, s.zeros())
}

// table counts the rows, or the entities, of classes for several goroutines. One goroutine at a
// time adds to it.
type table struct {
	most int64 // classes or, if entities are counted, pairs of a class and an entity
	// With enough zeros, no more than enoughRows rows are counted. With fewer, most is at most
	// fewHashes.
	enough uint
	apart  uint64 // number of entities of a class that are distinguished; 0: rows are counted
	exact  bool   // a lack of room in the budget is an error
	budget *spill.Budget
	bits   atomic.Uint32 // leading zero bits of the hashes that are counted

	mu     sync.Mutex
	failed error // why something had no room
	slots
	pairs
}

const (
	slotBits = 15 // the bits above those that choose a slot in a large Counter choose it here
	slotSize = 16 // bytes of a slot, or of a pair
	// fewSlots is the number of slots of a table for which nothing is drawn.
	fewSlots = 1 << 10
)

// begin makes the first slots.
func (c *table) begin() {
	if c.shift, c.slots.of = slotBits, make([]slot, fewSlots); c.apart > 0 {
		c.pairs.of = make([]slot, fewSlots)
	}
}

// zeros returns the number of leading zero bits of the hashes that are counted.
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

// add adds rows of a class, or an entity. It leaves out classes while more is held than allowed, or
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

// makeRoom makes room for one more class, and one more entity.
func (c *table) makeRoom() error {
	slots, pairs := roomier(len(c.slots.of), c.slots.used), roomier(len(c.pairs.of), c.pairs.used)
	more := int64(slots-len(c.slots.of)+pairs-len(c.pairs.of)) * slotSize
	if more == 0 {
		return nil
	}
	if err := c.budget.Draw("the classes of equal rows", more); err != nil {
		return err
	}
	c.slots.widen(slots)
	c.pairs.move(pairs, 0)
	return nil
}

// roomier returns the number of slots that a table of the given size needs for one more hash: at
// most 5 of 8 slots are used.
func roomier(size, used int) int {
	if 8*used < 5*size || size == 0 {
		return size
	}
	return 2 * size
}

// held returns the number of classes or pairs that most limits.
func (c *table) held() int64 {
	if c.apart > 0 {
		return int64(c.pairs.used)
	}
	return int64(c.slots.used)
}

// limit returns the largest allowed number of classes or pairs.
func (c *table) limit() int64 {
	if c.zeros() < c.enough {
		return min(c.most, fewHashes)
	}
	return c.most
}

// leaveOut leaves out the classes whose hashes begin with fewer zero bits.
func (c *table) leaveOut(zeros uint) {
	c.bits.Store(uint32(min(zeros, 64)))
	c.slots.leaveOut(c.zeros())
	c.pairs.move(len(c.pairs.of), c.zeros())
}

// err returns why something had no room.
func (c *table) err() error {
	if c.exact {
		return c.failed
	}
	return nil
}

// Close returns the drawn bytes.
func (c *table) Close() {
	drawn := max(len(c.slots.of)-fewSlots, 0) + max(len(c.pairs.of)-fewSlots, 0)
	c.budget.Return(int64(drawn) * slotSize)
	c.slots.of, c.pairs.of = nil, nil
}
