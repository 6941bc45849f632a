package risk

import "github.com/kcut/kcut/spill"

// Counter counts the rows of one goroutine for a Sum: in a table of few hashes, which stays in the
// goroutine's cache. It passes on the hashes that it has no room for.
type Counter struct {
	slots      // at most half of them are used
	zeros uint // leading zero bits of the hashes that are counted
	most  int  // hashes
	into  *Sum
	own   *spill.Budget
}

// fewest is the number of slots for which nothing is drawn.
const fewest = 512

// Counter returns the counter of one goroutine. It grows while the budget has room.
func (s *Sum) Counter(budget *spill.Budget) *Counter {
	return &Counter{slots: slots{of: make([]slot, fewest)}, most: int(min(s.most, fewHashes)),
		into: s, own: budget}
}

// Add counts a row for every hash. The hashes of most rows are either not counted, or are found in
// the first slot.
func (t *Counter) Add(hashes []uint64) {
	t.zeros = t.into.zeros()
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

// AddCounted counts the given number of rows for every hash; nil: one row each.
func (t *Counter) AddCounted(hashes, counts []uint64) {
	if counts == nil {
		t.Add(hashes)
		return
	}
	t.zeros = t.into.zeros()
	for i, hash := range hashes {
		t.add(hash, counts[i])
	}
}

// add counts rows that have a hash.
func (t *Counter) add(hash, rows uint64) {
	if hash>>(64-t.zeros) == 0 && t.slots.add(hash, rows) && 2*t.used > len(t.of) {
		t.makeRoom()
	}
}

// makeRoom makes up to four times as many slots, or passes on the counts.
func (t *Counter) makeRoom() {
	size := min(4*len(t.of), 2*t.most)
	more := int64(size-len(t.of)) * slotSize
	if t.used < t.most && t.own.Draw("the classes of equal rows", more) == nil {
		t.widen(size)
		return
	}
	t.handOver()
}

// handOver adds all rows to the sum.
func (t *Counter) handOver() {
	t.into.addAll(t.of)
	clear(t.of)
	t.used, t.zeros = 0, t.into.zeros()
}

// close passes on the rest of the counts, and returns the drawn bytes.
func (t *Counter) close() {
	t.into.addAll(t.of)
	t.own.Return(int64(len(t.of)-fewest) * slotSize)
	t.of = nil
}
