package count

import (
	"math/bits"
	"sync/atomic"
)

// mostEntities are counted one by one; of more there is a sketch. Tests lower it.
var mostEntities uint64 = 1 << 20

const (
	recordBits = 10
	greatest   = 1<<recordBits - 1 // of more records none weighs anything
)

// entityTable counts the records of entities one by one, of up to mostEntities. It knows them by the upper bits of their hashes: that
// two of a million have the same 54 happens in one table of 30,000, and they are one entity then. What it holds depends on
// no order.
type entityTable struct {
	slots []atomic.Uint64 // the upper bits of a hash, and as the others the records; 0: free
	used  atomic.Uint64
}

// tableSlots returns how many slots the entities of so many rows need: half of them stay free.
func tableSlots(rows uint64) int64 { return 1 << bits.Len64(2*max(1, min(rows, mostEntities))-1) }

func tableBytes(rows uint64) int64 { return 8 * tableSlots(rows) }

func newEntityTable(rows uint64) *entityTable {
	return &entityTable{slots: make([]atomic.Uint64, tableSlots(rows))}
}

// tagOf returns the bits of a hash that are kept, which are never all 0.
func tagOf(hash uint64) uint64 { return max(hash&^greatest, greatest+1) }

// find returns the slot of a tag, and what it holds: 0 when it is free.
func (t *entityTable) find(tag uint64) (slot *atomic.Uint64, held uint64) {
	last := uint64(len(t.slots) - 1)
	for i := tag >> (64 - bits.Len64(last)); ; i = (i + 1) & last {
		slot = &t.slots[i]
		if held = slot.Load(); held == 0 || held&^greatest == tag {
			return slot, held
		}
	}
}

// add counts so many more records of an entity. It reports whether there was room; without, nothing is counted.
func (t *entityTable) add(hash, records uint64) bool {
	for tag := tagOf(hash); ; {
		slot, held := t.find(tag)
		if held == 0 && t.used.Load() >= mostEntities {
			return false
		}
		if !slot.CompareAndSwap(held, tag|min(held&greatest+records, greatest)) {
			continue // another worker was faster
		}
		if held == 0 {
			t.used.Add(1)
		}
		return true
	}
}

// records returns how many records an entity has.
func (t *entityTable) records(hash uint64) uint64 {
	_, held := t.find(tagOf(hash))
	return held & greatest
}

// each calls f with the tag of every entity and its records, in any order.
func (t *entityTable) each(f func(tag, records uint64)) {
	for i := range t.slots {
		if held := t.slots[i].Load(); held != 0 {
			f(held&^greatest, held&greatest)
		}
	}
}
