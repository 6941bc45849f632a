package kactus

import (
	"maps"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/induce"
)

// regions returns the result as regions.
func (s *search) regions(t *induce.Tree) *engine.Regions {
	groups := engine.NewRegionBuilder(s.table)
	for _, node := range slices.Sorted(maps.Keys(s.groups)) {
		for _, c := range s.contents(t, node) {
			groups.Put(c)
		}
		groups.End(s.groups[node], s.kinds.weight(node), engine.Overlap{})
	}
	r, regions := groups.Regions()
	l := s.locator(t, regions)
	r.Locator, r.Suppressed, r.DroppedRecords = l, s.suppressed, s.dropped
	r.Reassigned = s.moved.Reassigned(s.keys.Fields, len(s.table.Attributes), l.regions)
	r.Index()
	return r
}

// locator returns the tree with the region of the records left at every node: that of its own group
// or of the group above that contains it. The regions of groups are given in the order of nodes.
func (s *search) locator(t *induce.Tree, regions []int32) *locator {
	l := &locator{tree: t, regions: make([]int32, t.Len())}
	for n := range l.regions {
		_, isGroup := s.groups[n]
		switch {
		case isGroup:
			l.regions[n], regions = regions[0], regions[1:]
		case s.kinds.hasJoined(n):
			l.regions[n] = l.regions[0]
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

// contents returns, for every attribute, the values that the tests on the path to a node leave:
// all, only the nulls, one value, or an interval; for numbers see section 4.5.
func (s *search) contents(t *induce.Tree, node int) []engine.Content {
	attributes := s.table.Attributes
	contents := make([]engine.Content, len(attributes))
	for a := range contents {
		if attributes[a].Mask == engine.Discretize {
			contents[a].Hi = uint32(len(attributes[a].Texts))
		}
	}
	for ; t.Parent(node) >= 0; node = t.Parent(node) {
		at, split := t.Test(t.Parent(node))
		a, c, branch := &attributes[at], &contents[at], t.Branch(node)
		switch {
		case a.Mask == engine.Suppress:
			*c = a.Named([]uint32{branch})
		case a.Mask == engine.Generalize && int(branch) < len(a.Texts):
			leaf, _ := a.Tree.Node(a.Texts[branch])
			c.Lo = uint32(leaf)
		case a.Mask == engine.Generalize || branch == induce.Null:
			*c = engine.OnlyNulls
		case branch == induce.Below:
			c.Hi = min(c.Hi, split)
		default:
			c.Lo = max(c.Lo, split)
		}
	}
	return contents
}
