package verify

import (
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/kcut/kcut/spill"
)

// errManyGroups is returned when not even a shard of a set's groups fits into the memory.
var errManyGroups = fmt.Errorf("count groups: %w", spill.ErrBudget)

// labelShards is how many parts the groups of a set fall into by their hash. When memory is
// short they are counted a few shards at a time.
const labelShards = 1 << 10

// labelCounts counts the records of every combination of labels: open tables of keys and
// counts, nothing else, so that millions of groups fit. Groups that do not fit are given up,
// by whole shards from the last one on, and counted in a later pass over the release.
// It is safe for concurrent use.
type labelCounts struct {
	size   int   // words of a key
	limit  int64 // most bytes of all tables
	held   atomic.Int64
	from   int // the first shard of the pass
	until  atomic.Int64
	giving sync.Mutex
	shards [labelShards]labelShard
}

// labelShard is an open table.
type labelShard struct {
	sync.Mutex
	slots []uint64 // of each its key, then its count; a count of 0 is free
	used  int
}

const fewestSlots = 16

// newLabelCounts counts keys of so many words in a first pass. Its limit is not set yet.
func newLabelCounts(size int) *labelCounts {
	c := &labelCounts{size: size}
	c.until.Store(labelShards)
	return c
}

// labelHash spreads keys: its high bits choose the shard, its low ones the slot.
func labelHash(key []uint64) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, word := range key {
		high, low := bits.Mul64(h^word, 0xd1342543de82ef95)
		h = high ^ low
	}
	return h ^ h>>29
}

func shardOf(hash uint64) int { return int(hash >> (64 - 10)) }

// counts reports whether a shard belongs to the pass.
func (c *labelCounts) counts(shard int) bool {
	return shard >= c.from && int64(shard) < c.until.Load()
}

// add counts a record of each of the keys, all of one shard, unless it does not belong to
// the pass. It returns errManyGroups when there is no room and nothing left to give up.
func (c *labelCounts) add(shard int, keys []uint64) error {
	for len(keys) > 0 {
		keys = c.addSome(shard, keys)
		if len(keys) > 0 {
			if err := c.giveUp(); err != nil {
				return err
			}
		}
	}
	return nil
}

// addSome counts keys as long as there is room, and returns the rest.
func (c *labelCounts) addSome(shard int, keys []uint64) (rest []uint64) {
	s := &c.shards[shard]
	s.Lock()
	defer s.Unlock()
	if !c.counts(shard) {
		return nil
	}
	for ; len(keys) > 0; keys = keys[c.size:] {
		if s.used*4 >= len(s.slots)/(c.size+1)*3 && !c.grow(s) {
			return keys
		}
		s.add(keys[:c.size:c.size])
	}
	return nil
}

// add counts a record of a key; there is a free slot.
func (s *labelShard) add(key []uint64) {
	slot := s.find(key)
	if slot[len(key)] == 0 {
		s.used++
		copy(slot, key)
	}
	slot[len(key)]++
}

// find returns the slot of a key, or the free one that it would get.
func (s *labelShard) find(key []uint64) []uint64 {
	stride := len(key) + 1
	last := uint64(len(s.slots)/stride) - 1
probe:
	for i := labelHash(key) & last; ; i = (i + 1) & last {
		slot := s.slots[int(i)*stride:][:stride]
		if slot[len(key)] == 0 {
			return slot
		}
		for w, word := range key {
			if slot[w] != word {
				continue probe
			}
		}
		return slot
	}
}

// grow doubles a table, or reports that there is no room for both until it is filled.
func (c *labelCounts) grow(s *labelShard) bool {
	stride := c.size + 1
	slots := max(fewestSlots*stride, 2*len(s.slots))
	if c.held.Add(int64(8*slots)) > c.limit {
		c.held.Add(-int64(8 * slots))
		return false
	}
	old, freed := s.slots, len(s.slots)
	s.slots = make([]uint64, slots)
	for ; len(old) > 0; old = old[stride:] {
		if old[c.size] > 0 {
			copy(s.find(old[:c.size:c.size]), old[:stride])
		}
	}
	c.held.Add(-int64(8 * freed))
	return true
}

// giveUp leaves the last shard that is still counted to a later pass.
func (c *labelCounts) giveUp() error {
	c.giving.Lock()
	defer c.giving.Unlock()
	last := c.until.Load() - 1
	if last <= int64(c.from) {
		return errManyGroups
	}
	c.until.Store(last)
	c.free(int(last))
	return nil
}

func (c *labelCounts) free(shard int) {
	s := &c.shards[shard]
	s.Lock()
	defer s.Unlock()
	c.held.Add(-int64(8 * len(s.slots)))
	s.slots, s.used = nil, 0
}

// each hands out the keys of the pass and their counts.
func (c *labelCounts) each(visit func(key []uint64, count uint64)) {
	for shard := c.from; c.counts(shard); shard++ {
		for slots := c.shards[shard].slots; len(slots) > 0; slots = slots[c.size+1:] {
			if n := slots[c.size]; n > 0 {
				visit(slots[:c.size:c.size], n)
			}
		}
	}
}

// smaller returns the smaller of two counts; 0 is none.
func smaller(a, b uint64) uint64 {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// next frees the shards of the pass and begins a pass over those after them, as many as
// had room and a few more. It returns false when there are none.
func (c *labelCounts) next() bool {
	from, until := c.from, int(c.until.Load())
	for shard := from; shard < until; shard++ {
		c.free(shard)
	}
	c.from = until
	c.until.Store(int64(min(labelShards, until+(until-from)*5/4+1)))
	return until < labelShards
}
