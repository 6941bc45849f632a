package kactus

import (
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/induce"
)

// regions returns what was found.
func (s *search) regions(t *induce.Tree) *engine.Regions {
	slices.Sort(s.groups)
	var contents [][]content // by group
	for _, node := range s.groups {
		contents = append(contents, s.contents(t, node))
	}
	r := &engine.Regions{Suppressed: s.suppressed, DroppedRecords: s.dropped}
	labels := make([][]uint32, len(s.groups))
	widths, sizes := make([]float64, len(s.groups)), make([]uint64, len(s.groups))
	for group, node := range s.groups {
		sizes[group] = s.groupSizes[node]
	}
	for a := range s.attributes {
		c := newColumn(&s.attributes[a], contents, a)
		r.Columns = append(r.Columns, c.RegionColumn)
		for group := range contents {
			label := c.number[contents[group][a]]
			labels[group] = append(labels[group], label)
			widths[group] += c.widths[label]
		}
	}
	regions := r.Release(func(group int32) []uint32 { return labels[group] }, widths, sizes)
	l := s.locator(t, regions)
	r.Locator = l
	r.Reassigned = s.moved.Reassigned(s.keys.Fields, len(s.attributes), l.regions)
	r.Index()
	return r
}

// locator returns the tree with the region of the records that are left at every node: of
// the group that it is or is in.
func (s *search) locator(t *induce.Tree, regions []int32) *locator {
	l := &locator{tree: t, regions: make([]int32, t.Len())}
	group := 0
	for n := range l.regions {
		switch {
		case group < len(s.groups) && s.groups[group] == n:
			l.regions[n] = regions[group]
			group++
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
