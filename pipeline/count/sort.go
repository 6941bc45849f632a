package count

import (
	"cmp"
	"math/bits"
	"slices"
)

// entrySorter sorts the entries of a column, whose values lie in an arena, by value and
// class: bucket by bucket of the first byte in which their words differ, and where their
// words are equal, by the next eight bytes of their values. Nearly all different values take
// a few passes that way, and no comparison needs the arena: of 2,000,000 addresses that begin alike
// comparing those with equal words instead makes a run take 9 % more processor time.
type entrySorter struct{ arena []byte }

// fewEntries are sorted by comparing them.
const fewEntries = 12

// sort sorts entries whose values are equal up to depth and whose words are the eight bytes
// from there on.
func (s entrySorter) sort(entries []entry, depth int) {
	if len(entries) <= fewEntries {
		slices.SortFunc(entries, func(a, b entry) int { return compareEntries(&a, s.arena, &b, s.arena) })
		return
	}
	if differ := differingBits(entries); differ != 0 {
		s.deal(entries, max(bits.Len64(differ), 8)-8, depth)
		return
	}
	s.descend(entries, depth)
}

// differingBits returns the bits in which some words differ.
func differingBits(entries []entry) (differ uint64) {
	first := entries[0].word
	for i := range entries {
		differ |= entries[i].word ^ first
	}
	return differ
}

// deal sorts entries whose words are equal above eight bits by these, in place, and then every
// bucket.
func (s entrySorter) deal(entries []entry, shift, depth int) {
	var next, ends [256]int
	for i := range entries {
		ends[byte(entries[i].word>>shift)]++
	}
	end := 0
	for b, n := range ends {
		next[b] = end
		end += n
		ends[b] = end
	}
	for b := range ends {
		for ; next[b] < ends[b]; next[b]++ {
			e := entries[next[b]]
			for to := byte(e.word >> shift); int(to) != b; to = byte(e.word >> shift) {
				e, entries[next[to]] = entries[next[to]], e
				next[to]++
			}
			entries[next[b]] = e
		}
	}
	from := 0
	for _, end := range ends {
		if end-from > 1 {
			s.sort(entries[from:end], depth)
		}
		from = end
	}
}

// descend sorts entries whose words are equal, in the order of what follows. One that has ended is
// as if zeros followed: where nothing else does, the shorter one comes first.
func (s entrySorter) descend(entries []entry, depth int) {
	word := entries[0].word
	longer := true
	for longer && differingBits(entries) == 0 {
		depth += 8
		longer = false
		for i := range entries {
			e := &entries[i]
			longer = longer || int(e.length) > depth
			e.word = wordAt(e.value(s.arena), depth)
		}
	}
	if longer {
		s.sort(entries, depth)
	} else {
		slices.SortFunc(entries, func(a, b entry) int {
			return cmp.Or(cmp.Compare(a.length, b.length), cmp.Compare(a.class, b.class))
		})
	}
	for i := range entries {
		entries[i].word = word
	}
}
