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
type Sum struct{ sharded }

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
	// SumBytes is about what the classes of the union and of pairs take at the most, where shares
	// are no larger than others by chance.
	SumBytes = 2 * slotSize * (UnionHashes + PairHashes)
	// PairHashes is how many classes of all pairs of sets are counted one by one, of PairClasses at
	// most each.
	PairHashes  = 1 << 16
	PairClasses = 1 << 14
)

// NewSum returns a sum that counts up to most classes, a power of two, one by one. What does not
// fit the budget is an error.
func NewSum(most int, budget *spill.Budget) *Sum {
	s := &Sum{sharded{most: int64(most), exact: true, budget: budget}}
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
	s := &Sum{sharded{most: int64(most), budget: budget}}
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
	for i := range s.shards {
		for _, slot := range s.shards[i].slots.of {
			if slot.rows > 0 {
				c.Add(int64(slot.rows))
			}
		}
	}
	return c.figures(rows, s.zeros())
}

// sharded counts classes for several goroutines, in shards each of which one goroutine uses at a
// time: their rows, or the entities that have some of these.
type sharded struct {
	most int64 // classes or, where entities are counted, entities of classes
	// With enough zeros no more than enoughRows rows are counted. With fewer, most is at most fewHashes.
	enough uint
	of     uint64 // so many entities of a class are told apart; 0: rows are counted
	exact  bool   // what does not fit the budget is an error
	budget *spill.Budget
	failed atomic.Pointer[error]
	held   atomic.Int64 // of most
	bits   atomic.Uint32
	mu     sync.Mutex // who leaves out classes
	shards [shards]shard
}

// shard is a part of the classes.
type shard struct {
	mu sync.Mutex
	slots
	pairs
}

const (
	shards    = 16
	shardBits = 11 // a shard is chosen by these: the highest of the slot in a large tally
	slotBits  = 15 // and its slots by these
	slotSize  = 16 // bytes, those of a pair, too
	// fewSlots is how many slots a shard has without drawing them.
	fewSlots = 64
)

// shardOf returns the number of the shard of a hash.
func shardOf(hash uint64) uint64 { return hash >> shardBits % shards }

// begin makes the first slots.
func (c *sharded) begin() {
	for i := range c.shards {
		s := &c.shards[i]
		if s.shift, s.slots.of = slotBits, make([]slot, fewSlots); c.of > 0 {
			s.pairs.of = make([]slot, fewSlots)
		}
	}
}

// zeros returns how many zero bits the hashes that are counted begin with.
func (c *sharded) zeros() uint { return uint(c.bits.Load()) }

// has reports whether a class is counted.
func (c *sharded) has(hash uint64) bool { return hash>>(64-c.zeros()) == 0 }

// addAll adds rows of classes, or entities, which mostly come shard by shard.
func (c *sharded) addAll(all []slot) {
	for len(all) > 0 {
		number, n := shardOf(all[0].hash), 1
		for n < len(all) && (all[n].rows == 0 || shardOf(all[n].hash) == number) {
			n++
		}
		c.addRun(&c.shards[number], all[:n])
		all = all[n:]
	}
}

// addRun adds what is of one shard.
func (c *sharded) addRun(s *shard, run []slot) {
	for len(run) > 0 && c.failed.Load() == nil {
		done, added, err := c.addSome(s, run)
		run = run[done:]
		if err != nil && (c.exact || c.zeros() == 64) {
			c.failed.Store(&err)
			return
		}
		c.fit(added, err != nil)
	}
}

// addSome adds to a shard until it has no room, and returns how much it has looked at, and what of
// it was new.
func (c *sharded) addSome(s *shard, run []slot) (done, added int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, one := range run {
		if one.rows == 0 || !c.has(one.hash) {
			continue
		}
		if err := c.makeRoom(s); err != nil {
			return i, added, err
		}
		if c.of == 0 && s.slots.add(one.hash, one.rows) || c.of > 0 && s.addEntity(one, c.of) {
			added++
		}
	}
	return len(run), added, nil
}

// makeRoom makes sure that a shard has room for one more class, and entity.
func (c *sharded) makeRoom(s *shard) error {
	slots, pairs := roomier(len(s.slots.of), s.slots.used), roomier(len(s.pairs.of), s.pairs.used)
	more := int64(slots-len(s.slots.of)+pairs-len(s.pairs.of)) * slotSize
	if more == 0 {
		return nil
	}
	if err := c.budget.Draw("the classes of rows that are alike", more); err != nil {
		return err
	}
	s.move(slots, pairs, 0)
	return nil
}

// roomier returns how many slots a table of so many has to have for one more hash: at most 5 of 8
// are used, so that shards of a full table do not reach it by chance.
func roomier(size, used int) int {
	if 8*used < 5*size || size == 0 {
		return size
	}
	return 2 * size
}

// move moves the classes that begin with so many zero bits to tables of so many places.
func (s *shard) move(slots, pairs int, zeros uint) {
	s.slots.move(slots, zeros)
	s.pairs.move(pairs, zeros)
}

// heldBy returns how many of most a shard has.
func (c *sharded) heldBy(s *shard) int {
	if c.of > 0 {
		return s.pairs.used
	}
	return s.slots.used
}

// limit returns how much may be held.
func (c *sharded) limit() int64 {
	if c.zeros() < c.enough {
		return min(c.most, fewHashes)
	}
	return c.most
}

// fit notes that more is held, and leaves out classes while that is too much, or there is no room
// for more.
func (c *sharded) fit(added int, full bool) {
	if c.held.Add(int64(added)) <= c.limit() && !full {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for ; full || c.held.Load() > c.limit(); full = false {
		c.leaveOut(c.zeros() + 1)
	}
}

// leaveOut leaves out the classes that begin with fewer zero bits.
func (c *sharded) leaveOut(zeros uint) {
	zeros = min(zeros, 64)
	c.bits.Store(uint32(zeros))
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		c.held.Add(-int64(c.heldBy(s)))
		s.move(len(s.slots.of), len(s.pairs.of), zeros)
		c.held.Add(int64(c.heldBy(s)))
		s.mu.Unlock()
	}
}

// err returns what had no room.
func (c *sharded) err() error {
	if err := c.failed.Load(); err != nil && c.exact {
		return *err
	}
	return nil
}

// Close gives back the bytes that were drawn.
func (c *sharded) Close() {
	for i := range c.shards {
		s := &c.shards[i]
		drawn := max(len(s.slots.of)-fewSlots, 0) + max(len(s.pairs.of)-fewSlots, 0)
		c.budget.Return(int64(drawn) * slotSize)
		s.slots.of, s.pairs.of = nil, nil
	}
}
