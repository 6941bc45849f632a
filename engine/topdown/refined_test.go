package topdown

import (
	"reflect"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats/formatstest"
)

// Goroutines grow the same nodes as one, and as a naive growth that goes from node to node.
func TestThreadsGrowTheSameNodes(t *testing.T) {
	rng, most := formatstest.Rand(t), 0
	for round := range 6 {
		p := randomProfile(rng, 3*shareCodes, round%kinds)
		one := newRefined(p, &intervals{p, 1}, 1)
		most = max(most, len(one.nodes))
		sameTree(t, one, 0, one.shape.root(), 0)
		several := newRefined(p, &intervals{p, 3}, 3)
		if !reflect.DeepEqual(one.nodes, several.nodes) || !reflect.DeepEqual(one.code, several.code) {
			t.Fatalf("round %d: %d nodes, and others of %d", round, len(one.nodes), len(several.nodes))
		}
	}
	if most <= 4*subtrees {
		t.Errorf("no column had more than %d nodes", most)
	}
}

// sameTree grows what is below a span anew, node by node, and compares it with that of a node.
func sameTree(t *testing.T, r *refined, n int, of span, depth int) {
	t.Helper()
	frequencies := make([]uint64, r.histogram.Classes)
	whole := part{size: r.count(frequencies, of.lo, of.hi)}
	if r.classes == 0 {
		whole.impurity = r.shape.penalty(of)
	} else if whole.size > 0 {
		whole.impurity = engine.Entropy(frequencies, whole.size)
	}
	got := r.nodes[n]
	if got.span != of || got.part != whole || got.grown != (depth < patience) {
		t.Fatalf("node %d at depth %d: %+v, want %+v of %+v", n, depth, got, whole, of)
	}
	if depth == patience {
		return
	}
	var children []span
	why := engine.WhyClass
	if r.beneficial(frequencies) {
		children, why = r.shape.children(of, frequencies), engine.WhyRecords
	}
	var parts []part
	for _, s := range children {
		scratch := make([]uint64, r.histogram.Classes)
		child := r.measure(s, scratch)
		if child.size > 0 && !r.standsAlone(child.size) {
			children, parts = nil, nil
			break
		}
		parts = append(parts, child.part)
	}
	gain := 0.0
	if len(parts) > 0 {
		gain = r.gainOf(whole, parts...)
	}
	if got.children != len(children) || got.why != why || got.gain != gain {
		t.Fatalf("node %d at depth %d: %+v, want %d children, gain %v, why %v", n, depth, got, len(children), gain, why)
	}
	for c, s := range children {
		sameTree(t, r, got.first+c, s, depth+1)
	}
}
