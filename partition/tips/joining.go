package tips

import (
	"math/bits"

	"github.com/kcut/kcut/partition"
)

// joining merges those records of a part that differ only in fields in which nothing can
// be refined any more, as long as it pays. It sees one batch at a time.
type joining struct {
	live, fixed []uint64 // by word: bits of fields that count, and what the others are set to
	all         bool     // every field counts
}

// joined is the scratch of joining.
type joined struct {
	table partition.Table
	slots []uint32
}

// begin prepares for the partition of a key, which can be refined in fields.
func (j *joining) begin(layout partition.Layout, fields []active, key []uint64) {
	*j = joining{live: append(j.live[:0], make([]uint64, layout.Words)...), fixed: append(j.fixed[:0], key...), all: true}
	for i, f := range layout.Fields {
		if position(fields, i) >= 0 {
			j.live[f.Word] |= f.Mask << f.Shift
		} else if f.Mask != 0 {
			j.all = false
		}
	}
	for w := range key {
		j.fixed[w] &^= j.live[w]
	}
}

// level gives records the same codes in all fields that do not count.
func (j *joining) level(t *partition.Table, lo, hi int) {
	if j.all {
		return
	}
	w := t.Layout.Words
	for k, live := range j.live {
		fixed := j.fixed[k]
		for i := lo*w + k; i < hi*w; i += w {
			t.Keys[i] = t.Keys[i]&live | fixed
		}
	}
}

// merge makes the table that of the distinct tuples among some records.
func (to *joined) merge(t *partition.Table, lo, hi int) {
	to.table.Layout = t.Layout
	to.table.Truncate()
	to.slots = to.table.Absorb(t, lo, hi, to.slots)
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
