package bottomup

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/kcut/kcut/partition"
)

// maxIndexed is of how many vids an index is made, at most. While there are more, witnesses
// take no longer, and a survey of them less memory.
const maxIndexed = 1 << 10

// tea is the Taxonomy Encoded Anonymity index of a set (section 5.1): a tree with a level for
// every column, in which every path is a vid. Siblings are in the order of their values, so
// that those that a valid generalization merges, a segment, stand side by side. Since there are
// few vids, what the paper keeps in links and counters is found by walking the tree.
type tea struct {
	columns   []*column
	root      *teaNode
	anonymity uint64 // A(VID)
	drawn     int64
}

// teaNode is a node of the index.
type teaNode struct {
	value    int32 // of the column's taxonomy
	children []*teaNode
	records  uint64 // a(vid), of a leaf
}

// teaBytes is what a node takes, with its place among its siblings.
const teaBytes = 96

// newTEA returns the index of the vids of a table whose codes stand for the given nodes.
func newTEA(ctx context.Context, s *survey, space partition.Space) (*tea, error) {
	x := &tea{columns: s.columns, root: &teaNode{}}
	bytes := int64(s.table.Len()) * int64(len(s.columns)) * teaBytes
	if err := space.Draw("index of vids", bytes); err != nil {
		return nil, err
	}
	x.drawn = bytes
	err := s.table.Scan(ctx, space, func(t *partition.Table) error {
		for i, n := range t.Counts {
			x.add(s.vid(t.Layout, t.Keys[i*t.Layout.Words:][:t.Layout.Words]), n)
		}
		return nil
	})
	if err != nil {
		x.release(space)
		return nil, err
	}
	x.anonymity = x.after(noGeneralization)
	return x, nil
}

// add adds records of a vid.
func (x *tea) add(v vid, records uint64) {
	n := x.root
	for _, value := range v {
		at, ok := slices.BinarySearchFunc(n.children, value, func(c *teaNode, value int32) int {
			return cmp.Compare(c.value, value)
		})
		if !ok {
			n.children = slices.Insert(n.children, at, &teaNode{value: value})
		}
		n = n.children[at]
	}
	n.records += records
}

// release returns what the index has drawn.
func (x *tea) release(space partition.Space) {
	if space.Budget != nil {
		space.Budget.Return(x.drawn)
	}
}

// examine returns A(VID) after the generalizations that step 1 leaves.
func (x *tea) examine() (gains []gain) {
	for _, g := range x.candidates() {
		gains = append(gains, gain{generalization: g, after: x.after(g)})
	}
	return gains
}

// candidates is step 1 (section 5.2): the generalizations of which a segment of several nodes
// generalizes every anonymity vid, at most one a column (Theorem 1), by column.
func (x *tea) candidates() (list []generalization) {
	var common []int32 // by level: what all anonymity vids so far are generalized to, or -1
	x.visit(x.root, make([]int32, 0, len(x.columns)), func(to []int32) {
		if common == nil {
			common = slices.Clone(to)
		}
		for depth := range common {
			if common[depth] != to[depth] {
				common[depth] = -1
			}
		}
	})
	for column, node := range common {
		if node >= 0 {
			list = append(list, generalization{column: column, node: node})
		}
	}
	return list
}

// visit hands out, of every anonymity vid, the nodes that segments of several generalize it to,
// by level, or -1.
func (x *tea) visit(n *teaNode, to []int32, anonymityVID func(to []int32)) {
	depth := len(to)
	if depth == len(x.columns) {
		if n.records == x.anonymity {
			anonymityVID(to)
		}
		return
	}
	up := x.columns[depth].up
	for i, child := range n.children {
		node := up(child.value)
		before := i > 0 && up(n.children[i-1].value) == node
		after := i+1 < len(n.children) && up(n.children[i+1].value) == node
		if !before && !after {
			node = -1
		}
		x.visit(child, append(to, node), anonymityVID)
	}
}

// after is step 2 (section 5.3): A(VID) after a generalization.
func (x *tea) after(g generalization) uint64 { return x.least([]*teaNode{x.root}, 0, g) }

// least returns the least a(vid) below nodes that a generalization makes one.
func (x *tea) least(nodes []*teaNode, depth int, g generalization) uint64 {
	if depth == len(x.columns) {
		sum := uint64(0)
		for _, n := range nodes {
			sum += n.records
		}
		return sum
	}
	least := uint64(math.MaxUint64)
	x.each(nodes, depth, g, func(_ int32, same []*teaNode) {
		least = min(least, x.least(same, depth+1, g))
	})
	return least
}

// each hands out the children of nodes: those that have, or get, the same value together.
func (x *tea) each(nodes []*teaNode, depth int, g generalization, visit func(value int32, same []*teaNode)) {
	children := nodes[0].children
	if len(nodes) > 1 {
		children = nil
		for _, n := range nodes {
			children = append(children, n.children...)
		}
		slices.SortStableFunc(children, func(a, b *teaNode) int { return cmp.Compare(a.value, b.value) })
	}
	value := func(n *teaNode) int32 {
		if depth == g.column && x.columns[depth].tree.Parent(int(n.value)) == int(g.node) {
			return g.node
		}
		return n.value
	}
	for from, to := 0, 0; from < len(children); from = to {
		own := value(children[from])
		for to = from + 1; to < len(children) && value(children[to]) == own; to++ {
		}
		visit(own, children[from:to])
	}
}

// apply is step 3 (section 5.4): it merges the segments of a generalization.
func (x *tea) apply(g generalization) {
	x.merge([]*teaNode{x.root}, 0, g)
	x.anonymity = x.after(noGeneralization)
}

// merge returns the first of some nodes, which becomes them all.
func (x *tea) merge(nodes []*teaNode, depth int, g generalization) *teaNode {
	first := nodes[0]
	switch {
	case depth == len(x.columns):
		for _, n := range nodes[1:] {
			first.records += n.records
		}
	case depth <= g.column || len(nodes) > 1:
		var children []*teaNode
		x.each(nodes, depth, g, func(value int32, same []*teaNode) {
			child := x.merge(same, depth+1, g)
			child.value = value
			children = append(children, child)
		})
		first.children = children
	}
	return first
}
