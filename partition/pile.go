package partition

import (
	"slices"

	"github.com/kcut/kcut/spill"
)

// pile is a list of records outside the table, as frames: some in memory, the others in
// chunks of a sequence of the store. Their order has no meaning.
type pile struct {
	records  int
	size     uint64   // the sum of their counts
	sample   []uint64 // one of the keys
	varying  []uint64 // by word: the bits in which not all keys are equal
	frames   [][]byte
	bytes    int64 // drawn for frames
	sequence spill.Sequence
	stored   bool // the sequence has chunks
	place    int  // among the pool's piles, plus one; 0: not there
}

// pileBytes is what a pile takes besides its frames, in the store's index too.
const pileBytes = 448

// frameBytes returns the memory that a frame takes: its bytes, what the allocator rounds
// them up by, and its place in the list.
func frameBytes(frame []byte) int64 { return int64(len(frame) + len(frame)/8 + 48) }

// note takes down what records of a table add to the pile.
func (p *pile) note(t *Table, lo, hi int, size uint64) {
	w := t.Layout.Words
	keys := t.Keys[lo*w : hi*w]
	if p.sample == nil {
		p.sample, p.varying = slices.Clone(keys[:w]), make([]uint64, w)
	}
	for k, first := range p.sample {
		varying := uint64(0)
		for i := k; i < len(keys); i += w {
			varying |= keys[i] ^ first
		}
		p.varying[k] |= varying
	}
	p.records += hi - lo
	p.size += size
}
