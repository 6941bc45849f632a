package partition

import (
	"math/bits"

	"github.com/kcut/kcut/spill"
)

// pile is a list of records outside the table, as frames: some in memory, the others in
// chunks of sequences in the store. Their order has no meaning.
type pile struct {
	records   int
	size      uint64   // the sum of their counts
	sample    []uint64 // one of the keys
	varying   []uint64 // by word: the bits in which not all keys are equal
	frames    [][]byte
	bytes     int64            // drawn for frames
	sequences []spill.Sequence // with the chunks
	last      int              // bytes in the last sequence
	stored    int64            // bytes ever written to the store
	place     int              // among the pool's piles, plus one; 0: not there
	turn      uint64           // when it will be read, compared with others
}

// maxSequence is where a sequence of a pile ends: as a pile is consumed, its disk space is
// given back in steps of that size.
const maxSequence = 4 << 20

// write appends a chunk in the store.
func (p *pile) write(s store, chunk []byte) error {
	if len(p.sequences) == 0 || p.last+len(chunk) > maxSequence {
		p.sequences, p.last = append(p.sequences, s.NewSequence()), 0
	}
	p.last += len(chunk)
	p.stored += int64(len(chunk))
	return s.Append(p.sequences[len(p.sequences)-1], chunk)
}

// pileBytes is what a pile takes besides its frames, in the store's index too.
const pileBytes = 512

// frameBytes returns the memory that a frame takes: its bytes, what the allocator rounds
// them up by, and its place in the list.
func frameBytes(frame []byte) int64 { return int64(len(frame) + len(frame)/8 + 48) }

// fragment is records on their way to a pile.
type fragment struct {
	records int
	size    uint64   // the sum of their counts
	sample  []uint64 // one of the keys
	varying []uint64 // by word: the bits in which not all keys are equal
	frame   []byte
}

// fragment makes records of a table, whose counts add up to size, a fragment.
func (c codec) fragment(t *Table, lo, hi int, size uint64) fragment {
	f := describe(t, lo, hi, size)
	w, counts := t.Layout.Words, t.Counts[lo:hi]
	f.frame = c.encodeNarrow(nil, t.Keys[lo*w:hi*w], counts, f.sample, f.varying)
	return f
}

// describe returns a fragment without its frame.
func describe(t *Table, lo, hi int, size uint64) fragment {
	w := t.Layout.Words
	keys, words := t.Keys[lo*w:hi*w], make([]uint64, 2*w)
	f := fragment{records: hi - lo, size: size, sample: words[:w:w], varying: words[w:]}
	copy(f.sample, keys)
	for k, first := range f.sample {
		varying := uint64(0)
		for i := k; i < len(keys); i += w {
			varying |= keys[i] ^ first
		}
		f.varying[k] = varying
	}
	return f
}

// denseBits is how many bits more than their number has may vary in records for some to be
// equal: codes are far from being equally frequent.
const denseBits = 8

// dense reports whether so few bits vary in that many records, of those that count, that
// some records are probably equal.
func dense(records int, varying, live []uint64) bool {
	n := 0
	for w, word := range varying {
		n += bits.OnesCount64(word & live[w])
	}
	return n <= bits.Len(uint(records))+denseBits
}

// note takes down what a fragment adds to the pile.
func (p *pile) note(f fragment) {
	if p.records == 0 {
		p.sample, p.varying = f.sample, f.varying
	}
	for k, first := range f.sample {
		p.varying[k] |= f.varying[k] | (first ^ p.sample[k])
	}
	p.records += f.records
	p.size += f.size
}
