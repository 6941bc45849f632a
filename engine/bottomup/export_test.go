package bottomup

import (
	"math"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// WithLimits returns the engine that keeps so many witnesses of every set, and makes an
// index of so many vids; as many as usual for 0, and no index for -1.
func (e Engine) WithLimits(witnesses, indexed int) Engine {
	e.limited = limits{witnesses: witnesses, indexed: indexed}
	return e
}

// Thresholds are up to how many vids an index is made of: never, late, and from the start.
var Thresholds = []int{-1, 1, 5, 20, math.MaxInt}

// FirstStep is what is known of a set before the first step, by the generalizations' names.
type FirstStep struct {
	Segments   map[string][]int  // of the index: their sizes, ascending
	Candidates map[string]uint64 // A(QID) after those that the index leaves
	Examined   map[string]uint64 // A(QID) after those that the search tries
}

// NewFirstStep looks at the only set of a requirement.
func NewFirstStep(t *testing.T, e Engine, table *engine.Table, requirement engine.Requirement) FirstStep {
	t.Helper()
	s := newSearch(e, table, requirement, engine.Options{})
	q := s.sets[0]
	x := newPlain(q)
	if err := s.update(t.Context()); err != nil {
		t.Fatal(err)
	}
	f := FirstStep{Segments: map[string][]int{}, Candidates: map[string]uint64{}, Examined: map[string]uint64{}}
	name := func(g generalization) string { return q.columns[g.column].tree.Label(int(g.node)).Text }
	for level, links := range x.links {
		for to := range links {
			var sizes []int
			x.segments(level, to, func(_ *plainNode, segment []*plainNode) { sizes = append(sizes, len(segment)) })
			slices.Sort(sizes)
			if g := (generalization{level, to}); q.columns[level].isValid(int(to)) {
				f.Segments[name(g)] = sizes
			}
		}
	}
	for _, g := range x.candidates() {
		f.Candidates[name(g)] = x.after(g)
	}
	examined, err := q.examine(t.Context(), partition.Space{})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range examined {
		f.Examined[name(g.generalization)] = g.after
	}
	return f
}
