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
	Segments map[string][]int  // of the index, if there is one: their sizes, by what is above them
	Examined map[string]uint64 // A(QID) after those that the search tries
}

// NewFirstStep looks at the only set of a requirement.
func NewFirstStep(t *testing.T, e Engine, table *engine.Table, requirement engine.Requirement) FirstStep {
	t.Helper()
	s := newSearch(e, table, requirement, engine.Options{})
	q := s.sets[0]
	if err := s.update(t.Context()); err != nil {
		t.Fatal(err)
	}
	f := FirstStep{Segments: map[string][]int{}, Examined: map[string]uint64{}}
	name := func(g generalization) string { return q.columns[g.column].tree.Label(int(g.node)).Text }
	var visit func(n *teaNode, depth int)
	visit = func(n *teaNode, depth int) {
		sizes := map[int32]int{}
		for _, child := range n.children {
			if to := q.columns[depth].up(child.value); to >= 0 {
				sizes[to]++
			}
			visit(child, depth+1)
		}
		for to, size := range sizes {
			of := name(generalization{depth, to})
			f.Segments[of] = append(f.Segments[of], size)
			slices.Sort(f.Segments[of])
		}
	}
	if q.tea != nil {
		visit(q.tea.root, 0)
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
