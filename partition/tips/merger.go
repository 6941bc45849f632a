package tips

import (
	"math/bits"

	"github.com/kcut/kcut/partition"
)

// merger merges those records of a part that differ only in fields in which nothing can
// be refined any more, as long as it pays. It sees one batch at a time.
type merger struct {
	live, fixed []uint64 // by word: bits of fields that count, and what the others are set to
	all         bool     // every field counts
	table       partition.Table
	slots       []uint32
}

// begin prepares for the partition of a key, which can be refined in fields.
func (j *merger) begin(layout partition.Layout, fields []active, key []uint64) {
	j.live, j.fixed, j.all = append(j.live[:0], make([]uint64, layout.Words)...), append(j.fixed[:0], key...), true
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
func (j *merger) level(t *partition.Table, lo, hi int) {
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

// merge returns the distinct tuples among some records, valid until the next call.
func (j *merger) merge(t *partition.Table, lo, hi int) *partition.Table {
	j.table.Layout = t.Layout
	j.table.Truncate()
	j.slots = j.table.Absorb(t, lo, hi, j.slots)
	return &j.table
}

// pays reports whether so few bits vary in that many records, of those that count, that some of
// the records are probably equal.
func (j *merger) pays(records int, varying []uint64) bool {
	const denseBits = 8 // more than their number has: codes are far from being equally frequent
	n := 0
	for w, word := range varying {
		n += bits.OnesCount64(word & j.live[w])
	}
	return !j.all && n <= bits.Len(uint(records))+denseBits
}
