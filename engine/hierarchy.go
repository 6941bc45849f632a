package engine

import (
	"math"

	"github.com/kcut/kcut/partition"
)

// Hierarchy is a tree of a column's values, whose leaves are all values of the column that there
// may be. A null, and a value that is no leaf, is a child of the root.
//
// Two values are as far apart as the height of their lowest common ancestor, and the root has
// height 1 (Li and others 2007, Section 4.2). So the way from a leaf up to that ancestor is half of
// their distance, if an edge is half as long as the heights of its ends differ.
type Hierarchy struct {
	leaf   map[string]uint32
	other  uint32    // the child of the root for other values
	parent []uint32  // by node, of which parents come before their children
	length []float64 // by node: of the edge to its parent
}

// NewHierarchy makes a hierarchy of a tree, whose root has children.
func NewHierarchy(root Node) *Hierarchy {
	h := &Hierarchy{leaf: make(map[string]uint32)}
	var height []int
	var add func(n *Node, parent uint32) int
	add = func(n *Node, parent uint32) int {
		at := uint32(len(height))
		h.parent, height = append(h.parent, parent), append(height, 0)
		for i := range n.Children {
			height[at] = max(height[at], 1+add(&n.Children[i], at))
		}
		if len(n.Children) == 0 {
			h.leaf[n.Name] = at
		}
		return height[at]
	}
	add(&root, 0)
	h.other = uint32(len(height))
	h.parent, height = append(h.parent, 0), append(height, 0)
	for node, parent := range h.parent {
		h.length = append(h.length, float64(height[parent]-height[node])/float64(2*height[0]))
	}
	return h
}

// Leaf returns the node of a value, and whether the tree has it.
func (h *Hierarchy) Leaf(value Label) (leaf uint32, found bool) {
	leaf, found = h.leaf[value.Text]
	if value.Null || !found {
		return h.other, value.Null
	}
	return leaf, true
}

// Spread is the records of a whole table in a hierarchy.
type Spread struct {
	*Hierarchy
	whole []float64 // by node: share of the records with a value below it, or with its own
}

// NewSpread spreads the records of a whole table, from their number by value and the leaves of the
// values.
func NewSpread(h *Hierarchy, leaves []uint32, whole []uint64) *Spread {
	return &Spread{h, h.shares(leaves, whole)}
}

// shares returns the share of records at or below each node.
func (h *Hierarchy) shares(leaves []uint32, records []uint64) []float64 {
	below, all := make([]uint64, len(h.parent)), partition.Sum(records)
	for i, n := range records {
		below[leaves[i]] += n
	}
	shares := make([]float64, len(below))
	for node := len(below) - 1; node > 0; node-- {
		below[h.parent[node]] += below[node]
		shares[node] = float64(below[node]) / float64(all)
	}
	return shares
}

// distance returns the distance of a class's shares from those of the whole table, when records
// move along the edges: over an edge move as many as its side has too many or too few.
func (s *Spread) distance(h Histogram) (moved float64) {
	for node, share := range s.shares(h.Leaf, h.Records) {
		moved += float64(s.length[node] * math.Abs(share-s.whole[node]))
	}
	return moved
}
