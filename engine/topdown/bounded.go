package topdown

import (
	"container/heap"
	"math"
)

// mustRenew reports whether the bounds of a column's groups have to be renewed.
func (s *search) mustRenew(column int) bool {
	of := s.columns[column].bounds()
	return of != nil && of.drifts.beyond
}

// rebuild computes the places of all groups of a column: only from bounds, where their losses have
// not changed.
func (s *search) rebuild(column int, rescored bool) {
	place, of := s.place, s.columns[column].bounds()
	if of != nil && of.drifts.beyond {
		of.renew(len(s.queue.columns[column].groups))
	}
	if of != nil && !rescored {
		place = s.bound
	}
	s.queue.rebuild(column, place)
}

// bound computes the bound of a group.
func (s *search) bound(g int32) {
	of := &s.queue.groups[g]
	column := s.columns[of.column].bounds()
	of.bound, of.known = s.scoreOf(of, column.atMost(of.kind)), column.known(of.kind)
}

// isKnownBetter reports whether the gain of a group's kind was computed, for another group, after
// the group got its bound.
func (s *search) isKnownBetter(g int32) bool {
	of := &s.queue.groups[g]
	return s.columns[of.column].bounds().known(of.kind) != of.known
}

// findBest finds the best group of a column. Where the column has bounds, it computes only the
// scores that may be as good as the best one so far.
func (s *search) findBest(column int) {
	c, of := &s.queue.columns[column], s.columns[column].bounds()
	if len(c.groups) == 0 {
		return
	}
	if of == nil {
		c.best = c.groups[0]
		return
	}
	least := math.Inf(-1)
	for s.scored = s.scored[:0]; len(c.groups) > 0 && s.queue.groups[c.groups[0]].bound >= least; {
		g := c.groups[0]
		if s.isKnownBetter(g) {
			s.bound(g)
			heap.Fix(c, 0)
			continue
		}
		heap.Pop(c)
		s.rescore(g)
		if s.scored = append(s.scored, g); len(s.scored) == 1 || s.queue.before(g, c.best) {
			c.best, least = g, s.leastAsGood(g, of.unit())
		}
	}
	for _, g := range s.scored {
		s.bound(g)
		heap.Push(c, g)
	}
}

// leastAsGood returns the smallest bound of a group that may be as good as another one.
func (s *search) leastAsGood(g int32, unit float64) float64 {
	of := &s.queue.groups[g]
	score := s.scoreOf(of, of.gain)
	if score > 0 && !(of.score > math.SmallestNonzeroFloat64*(1<<60) &&
		of.score <= math.MaxFloat64) {
		return math.Inf(-1) // balancing may make different scores equal
	}
	return score*unit - math.Abs(score*unit)*1e-12
}
