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

// numeric returns the test of a numeric column: the first split that counts as the best.
func (s *selection) numeric(column Column, set *cells.FrequencySet) (c candidate, ok bool) {
	n, nulls, apart := len(set.Codes), uint64(0), 0.0
	if column.isNull(set.Codes[n-1]) {
		n--
		nulls = set.Size(n)
		apart = s.disorder(nulls, set.Count[set.Start[n]:])
	}
	known := s.size - nulls
	admissible := s.sweep(set, n, known, s.whole-apart)
	if admissible == 0 {
		return c, false
	}
	best := s.split.best
	least := near(best[len(best)-1].gain)
	t := best[slices.IndexFunc(best, func(t threshold) bool { return t.gain >= least })]
	c = candidate{split: t.at, nulls: nulls > 0, gain: t.gain}
	if s.MDL {
		c.gain -= math.Log2(float64(admissible)) / float64(known)
	}
	c.ratio = c.gain / s.information(engine.NLog(nulls)+engine.NLog(t.left)+engine.NLog(known-t.left))
	return c, true
}

// sweep lists the best splits between the first n codes, whose records have so much disorder to
// lose, and returns how many are admissible.
func (s *selection) sweep(set *cells.FrequencySet, n int, known uint64, whole float64) (admissible int) {
	x, left := &s.split, uint64(0)
	clear(x.left)
	clear(x.right)
	for e := range set.Start[n] {
		x.right[set.Class[e]] += set.Count[e]
	}
	x.best = x.best[:0]
	least := max(float64(s.MinObjects), min(enough, fraction*float64(known)/float64(s.Classes)))
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
		t := threshold{set.Codes[i+1], left, (whole - rest) / float64(s.size)}
		if n := len(x.best); n > 0 && t.gain <= x.best[n-1].gain {
			continue
		} else if n > 0 && x.best[n-1].gain < near(t.gain) { // nor do those before it count
			x.best = x.best[:0]
		}
		x.best = append(x.best, t)
	}
	return admissible
}
