package topdown

import (
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats/formatstest"
)

func TestGrownNodesAgreeWithNaive(t *testing.T) {
	rng := formatstest.Rand(t)
	for round := range 6 {
		p := randomProfile(rng, 3000, round%kinds)
		r := newRefined(p, &intervals{p})
		sameTree(t, r, 0, span{hi: p.attribute.Len()}, 0)
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
		child := r.measure(s)
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
