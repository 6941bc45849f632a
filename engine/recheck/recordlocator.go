package recheck

import (
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// recordLocator is the Locator of a record suppression.
type recordLocator struct {
	// by attribute: labels of codes in classes; some of them may be missing from the release
	codes [][]uint32
	taken []takenClasses
}

// takenClasses are the classes of a set that are suppressed or dropped.
type takenClasses struct {
	columns []int
	place   []partition.Field // fields of the columns' labels in the keys of classes
	index   *partition.Index
}

// Locate writes which tuples are suppressed.
func (r *recordLocator) Locate(n int, codes [][]uint32, regions []int32) {
	for i := range regions[:n] {
		regions[i] = engine.ByCut
	}
	const block = 512
	var room [2 * block]uint64
	for lo := 0; lo < n; lo += block {
		hi := min(lo+block, n)
		for _, taken := range r.taken {
			w := len(taken.index.Key(0))
			keys := append(room[:0], make([]uint64, (hi-lo)*w)...)
			for k, f := range taken.place {
				labels := r.codes[taken.columns[k]]
				for i, code := range codes[taken.columns[k]][lo:hi] {
					keys[i*w+f.Word] |= uint64(labels[code]) << f.Shift
				}
			}
			i := lo
			for key := range slices.Chunk(keys, w) {
				if taken.index.Find(key) >= 0 {
					regions[i] = engine.ByMark
				}
				i++
			}
		}
	}
}
