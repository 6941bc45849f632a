package kactus

import (
	"cmp"
	"maps"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/induce"
)

// regions returns what was found.
func (s *search) regions(t *induce.Tree) *engine.Regions {
	labelers := make([]labeler, len(s.attributes))
	for a := range labelers {
		labelers[a].Attribute = &s.attributes[a]
	}
	groups := engine.NewRegionBuilder[content](labelers)
	for _, node := range slices.Sorted(maps.Keys(s.groups)) {
		for _, c := range s.contents(t, node) {
			groups.Put(c)
		}
		groups.End(s.groups[node])
	}
	r, regions := groups.Regions()
	l := s.locator(t, regions)
	r.Locator, r.Suppressed, r.DroppedRecords = l, s.suppressed, s.dropped
	r.Reassigned = s.moved.Reassigned(s.keys.Fields, len(s.attributes), l.regions)
	r.Index()
	return r
}

// locator returns the tree with the region of the records that are left at every node: of
// the group that it is or is in. Groups' regions are given in the nodes' order.
func (s *search) locator(t *induce.Tree, regions []int32) *locator {
	l := &locator{tree: t, regions: make([]int32, t.Len())}
	for n := range l.regions {
		_, isGroup := s.groups[n]
		switch {
		case isGroup:
			l.regions[n], regions = regions[0], regions[1:]
		case n == 0:
			l.regions[n] = engine.Dropped
		default:
			l.regions[n] = l.regions[t.Parent(n)]
		}
	}
	return l
}

// locator finds regions along the tree.
type locator struct {
	tree    *induce.Tree
	regions []int32 // by node
}

// Locate writes the regions of n tuples.
func (l *locator) Locate(n int, codes [][]uint32, regions []int32) {
	for i := range n {
		regions[i] = l.regions[l.tree.Locate(codes, i)]
	}
}

// content is the codes of an attribute that the tests on a path leave, lo ≤ code < hi: all,
// the null's alone, one value's, or an interval's.
type content struct{ lo, hi uint32 }

// contents returns what the tests on the path to a node leave of every attribute.
func (s *search) contents(t *induce.Tree, node int) []content {
	contents := make([]content, len(s.attributes))
	for a := range contents {
		contents[a] = content{hi: uint32(s.attributes[a].Len())}
	}
	for ; t.Parent(node) >= 0; node = t.Parent(node) {
		a, split := t.Test(t.Parent(node))
		contents[a] = contents[a].within(&s.attributes[a], t.Branch(node), split)
	}
	return contents
}

// within returns what a branch of a test leaves of a content; of numbers see section 4.5.
func (c content) within(a *engine.Attribute, branch, split uint32) content {
	values := uint32(len(a.Texts))
	switch {
	case a.Mask != engine.Discretize:
		return content{branch, branch + 1}
	case branch == induce.Null:
		return content{values, values + 1}
	case branch == induce.Below:
		return content{c.lo, min(c.hi, split)}
	}
	return content{max(c.lo, split), min(c.hi, values)}
}

// labeler labels the contents of an attribute.
type labeler struct{ *engine.Attribute }

// Compare orders contents by the first code, the wider first.
func (labeler) Compare(x, y content) int {
	return cmp.Or(cmp.Compare(x.lo, y.lo), cmp.Compare(y.hi, x.hi))
}

// Width returns 0 for a value, 1 for all.
func (l labeler) Width(c content) float64 {
	return float64(c.hi-c.lo-1) / max(1, float64(l.Len()-1))
}

// Label returns the released value, and of an interval its ends. A value may have the same
// label as all.
func (l labeler) Label(c content) (engine.Label, *engine.Interval) {
	all := int(c.hi-c.lo) == l.Len()
	switch {
	case !all && int(c.lo) == len(l.Texts):
		return engine.Label{Null: true}, nil
	case l.Mask == engine.Discretize:
		i := l.Interval(int(c.lo), min(int(c.hi), len(l.Texts)))
		return engine.Label{Text: i.Label}, &i
	case !all && l.Mask == engine.Suppress:
		return engine.SetLabel([]engine.Label{l.Attribute.Label(int(c.lo))}), nil
	case !all:
		return l.Attribute.Label(int(c.lo)), nil
	case l.Mask == engine.Generalize:
		return engine.Label{Text: l.Tree.Name(0)}, nil
	}
	return engine.Label{Text: engine.Suppressed}, nil
}
