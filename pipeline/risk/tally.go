package risk

import "github.com/kcut/kcut/spill"

// Tally is what one goroutine counts rows with for a Sum: a table of few hashes, which stays in its
// cache. What it has no room for it hands over.
type Tally struct {
	slots      // at most half of them are used
	zeros uint // leading zero bits of the hashes that are counted
	most  int  // hashes
	into  *Sum
	own   *spill.Budget
}

// fewest slots are there without being drawn.
const fewest = 512

// Tally returns a tally of one goroutine, which grows as far as a budget has room.
func (s *Sum) Tally(budget *spill.Budget) *Tally {
	return &Tally{slots: slots{of: make([]slot, fewest)}, most: int(min(s.most, fewHashes)), into: s, own: budget}
}

// Add counts a row for every hash. Most rows have one that is not counted, or that is where it is
// looked for.
func (t *Tally) Add(hashes []uint64) {
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

// AddCounted counts as many rows for every hash as counts say; nil: one each.
func (t *Tally) AddCounted(hashes, counts []uint64) {
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
func (t *Tally) add(hash, rows uint64) {
	if hash>>(64-t.zeros) == 0 && t.slots.add(hash, rows) && 2*t.used > len(t.of) {
		t.makeRoom()
	}
}

// makeRoom makes up to four times as many slots, or hands over what is in them.
func (t *Tally) makeRoom() {
	size := min(4*len(t.of), 2*t.most)
	more := int64(size-len(t.of)) * slotSize
	if t.used < t.most && t.own.Draw("the classes of rows that are alike", more) == nil {
		t.widen(size)
		return
	}
	t.handOver()
}

// handOver adds all rows to the sum.
func (t *Tally) handOver() {
	t.into.addAll(t.of)
	clear(t.of)
	t.used, t.zeros = 0, t.into.zeros()
}

// close hands over what is left, and gives back what is drawn.
func (t *Tally) close() {
	t.into.addAll(t.of)
	t.own.Return(int64(len(t.of)-fewest) * slotSize)
	t.of = nil
}
