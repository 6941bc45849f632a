package recheck

import (
	"github.com/kcut/kcut/engine"
)

// recordLocator is the Locator of a record suppression.
type recordLocator struct {
	codes [][]uint32 // labels of codes, by attribute, as classes have them: of those that are released some may have gone
	taken []classSet // of every set in which classes are taken away
}

// Locate tells which tuples are suppressed.
func (r *recordLocator) Locate(n int, codes [][]uint32, regions []int32) {
	const block = 512
	var room [2 * block]uint64
	for lo := 0; lo < n; lo += block {
		hi := min(lo+block, n)
		for i := lo; i < hi; i++ {
			regions[i] = engine.ByCut
		}
		for j := range r.taken {
			taken := &r.taken[j]
			w := taken.layout.Words
			keys := append(room[:0], make([]uint64, (hi-lo)*w)...)
			for k, f := range taken.layout.Fields {
				labels := r.codes[taken.columns[k]]
				for i, code := range codes[taken.columns[k]][lo:hi] {
					keys[i*w+f.Word] |= uint64(labels[code]) << f.Shift
				}
			}
			for i := range hi - lo {
				if taken.hasKey(keys, i) {
					regions[lo+i] = engine.ByMark
				}
			}
		}
	}
}
