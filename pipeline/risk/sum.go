package risk

import (
	"sync"
	"sync/atomic"

	"github.com/kcut/kcut/spill"
)

// Sum counts rows by their hashes as a Tally does, for several goroutines and in a table whose size does
// not depend on memory: up to a number of classes it counts them one by one, and of more a part. What
// does not fit the budget is an error, since what is counted of the union stands in the cut. Each
// goroutine adds rows to a tally of its own, which hands over what it has no room for.
type Sum struct {
	sample
	budget *spill.Budget
	failed atomic.Pointer[error]
	shards [shards]shard
}

// shard is a part of a sum that one goroutine uses at a time.
type shard struct {
	mu sync.Mutex
	slots
}

const (
	shards    = 16
	shardBits = 11 // a shard is chosen by these: the highest of the slot in a large tally
	slotBits  = 15 // and its slots by these
	slotSize  = 16 // bytes
	// fewSlots is how many slots a shard has that has any.
	fewSlots = 64
)

// shardOf returns the number of the shard of a hash.
func shardOf(hash uint64) uint64 { return hash >> shardBits % shards }

// NewSum returns a sum that counts up to most classes, a power of two, one by one.
func NewSum(most int, budget *spill.Budget) *Sum {
	s := &Sum{sample: sample{most: int64(most)}, budget: budget}
	for i := range s.shards {
		s.shards[i].shift = slotBits
	}
	return s
}

// Tally returns a tally of one goroutine, which grows as far as a budget has room.
func (s *Sum) Tally(budget *spill.Budget) *Tally {
	t := newTally(min(int(s.most), fewHashes), 0, budget)
	t.into = s
	return t
}

// addAll adds the rows of hashes, most of which come shard by shard.
func (s *Sum) addAll(all []slot) {
	for len(all) > 0 && s.failed.Load() == nil {
		number, n := shardOf(all[0].hash), 1
		for n < len(all) && (all[n].rows == 0 || shardOf(all[n].hash) == number) {
			n++
		}
		if n > 1 || all[0].rows > 0 {
			s.addRun(&s.shards[number], all[:n])
		}
		all = all[n:]
	}
}

// addRun adds the rows of hashes of one shard.
func (s *Sum) addRun(shard *shard, run []slot) {
	added := 0
	shard.mu.Lock()
	for _, slot := range run {
		if slot.rows > 0 && s.has(slot.hash) && s.makeRoom(&shard.slots) && shard.add(slot.hash, slot.rows) {
			added++
		}
	}
	shard.mu.Unlock()
	s.fit(added, s.leaveOut)
}

// makeRoom makes sure that a table has room for one more hash, and reports whether it could.
func (s *Sum) makeRoom(of *slots) bool {
	grown := roomier(len(of.of), of.used)
	if grown == len(of.of) {
		return true
	}
	if err := s.budget.Draw("the classes of rows that are alike on labels", int64(grown-len(of.of))*slotSize); err != nil {
		s.failed.Store(&err)
		return false
	}
	of.move(grown, 0)
	return true
}

// roomier returns how many slots a table of so many has to have for one more hash: at most 5 of 8
// are used, so that shards of a full table do not reach it by chance.
func roomier(size, used int) int {
	if 8*used < 5*size {
		return size
	}
	return max(fewSlots, 2*size)
}

// leaveOut leaves out hashes that begin with fewer zero bits, and returns how many these are.
func (s *Sum) leaveOut(zeros uint) (gone int) {
	for i := range s.shards {
		shard := &s.shards[i]
		shard.mu.Lock()
		gone += shard.used
		shard.move(len(shard.of), zeros)
		gone -= shard.used
		shard.mu.Unlock()
	}
	return gone
}

// Join adds what tallies have counted, which are consumed, and returns an error if anything had no room.
func (s *Sum) Join(tallies ...*Tally) error {
	for _, t := range tallies {
		t.handOver()
		t.Close()
	}
	if err := s.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// Figures tells of so many rows what the classes are like, of which those below k are small.
func (s *Sum) Figures(rows int64, k int) *Figures {
	c := Classes{K: k}
	for i := range s.shards {
		s.shards[i].addTo(&c)
	}
	return c.figures(rows, s.zeros())
}

// Whole returns a tally of all that was counted.
func (s *Sum) Whole() *Tally {
	t := tallyOf(int(s.most), 0)
	t.leaveOut(s.zeros())
	for i := range s.shards {
		t.addSlots(s.shards[i].of)
	}
	return t
}

// Close gives back what is drawn.
func (s *Sum) Close() {
	for i := range s.shards {
		s.budget.Return(int64(len(s.shards[i].of)) * slotSize)
		s.shards[i].of, s.shards[i].used = nil, 0
	}
}

// sample is which hashes several goroutines count: at most so many, those that begin with
// enough zero bits. How many zeros these are depends on the hashes alone.
type sample struct {
	most int64
	held atomic.Int64
	bits atomic.Uint32
	mu   sync.Mutex
}

func (p *sample) zeros() uint { return uint(p.bits.Load()) }

// has reports whether a hash is counted.
func (p *sample) has(hash uint64) bool { return hash>>(64-p.zeros()) == 0 }

// fit notes that so many hashes more are held, and has half of them left out while they are too many.
// leaveOut returns how many it has left out of those that begin with fewer zeros than so many.
func (p *sample) fit(added int, leaveOut func(zeros uint) (gone int)) {
	if p.held.Add(int64(added)) <= p.most {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.held.Load() > p.most {
		p.held.Add(-int64(leaveOut(uint(p.bits.Add(1)))))
	}
}
