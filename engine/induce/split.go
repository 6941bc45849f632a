package induce

import (
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition/cells"
)

// split is the search for the best split of a numeric column.
type split struct {
	left, right []uint64 // by class
	best        []threshold
}

// threshold is a split. Of the best ones each is better than those before it, but not by
// more than counts.
type threshold struct {
	at   uint32
	left uint64 // records below
	gain float64
}

// numeric returns the test of a numeric column.
func (s *selection) numeric(column Column, set *cells.FrequencySet) (c candidate, ok bool) {
	n, nulls, apart := len(set.Codes), uint64(0), 0.0
	if column.isNull(set.Codes[n-1]) {
		n--
		nulls = set.Size(n)
		apart = s.disorder(nulls, set.Count[set.Start[n]:])
	}
	known := s.size - nulls
	s.split.fill(set, n)
	admissible := s.sweep(set, n, known, s.whole-apart)
	if admissible == 0 {
		return c, false
	}
	t := s.split.choose()
	c = candidate{split: t.at, nulls: nulls > 0, gain: t.gain}
	if s.MDL {
		c.gain -= math.Log2(float64(admissible)) / float64(known)
	}
	c.ratio = c.gain / s.information(engine.NLog(nulls)+engine.NLog(t.left)+engine.NLog(known-t.left))
	return c, true
}

// fill moves the records of the first n codes to the right.
func (x *split) fill(set *cells.FrequencySet, n int) {
	clear(x.left)
	clear(x.right)
	for e := range set.Start[n] {
		x.right[set.Class[e]] += set.Count[e]
	}
	x.best = x.best[:0]
}

// sweep lists the best splits between the first n codes, whose records have so much
// disorder to lose, and returns how many are admissible.
func (s *selection) sweep(set *cells.FrequencySet, n int, known uint64, whole float64) (admissible int) {
	x, left := &s.split, uint64(0)
	least := s.least(known)
	for i := range n - 1 {
		for e := set.Start[i]; e < set.Start[i+1]; e++ {
			count := set.Count[e]
			x.left[set.Class[e]] += count
			x.right[set.Class[e]] -= count
			left += count
		}
		right := known - left
		if float64(left) < least || float64(right) < least {
			continue
		}
		admissible++
		rest := s.disorder(left, x.left) + s.disorder(right, x.right)
		x.add(threshold{at: set.Codes[i+1], left: left, gain: (whole - rest) / float64(s.size)})
	}
	return admissible
}

// least returns how many of the known records both sides of a split must have.
func (s *selection) least(known uint64) float64 {
	return max(float64(s.MinObjects), min(enough, fraction*float64(known)/float64(s.Classes)))
}

// add lists a split if it is better than all before it.
func (x *split) add(t threshold) {
	if n := len(x.best); n > 0 {
		last := x.best[n-1].gain
		if t.gain <= last {
			return
		}
		if last < near(t.gain) { // nor do those before it count
			x.best = x.best[:0]
		}
	}
	x.best = append(x.best, t)
}

// choose returns the first split that counts as the best.
func (x *split) choose() threshold {
	least := near(x.best[len(x.best)-1].gain)
	return x.best[slices.IndexFunc(x.best, func(t threshold) bool { return t.gain >= least })]
}
