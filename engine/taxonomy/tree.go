// Package taxonomy holds the trees of generalized attributes.
//
//	texts ──Generator──▶ paths ──Grower──▶ Tree ──Finder──▶ codes of leaves
//	nested Node ──NewTree──▶ Tree
//
// A Tree is given, or generated from the values that occur: prefixes, dates, ranges of numbers,
// spellings. A Grower takes values in the order of their texts and forgets the nodes that no search
// refines, so that it holds at most one node for every K records of each level, however many values
// there are, but of spellings one for each value.
// For an earlier cut, Above makes the tree that a Finder uses.
//
// Contract: trees, generators and cuts are safe for concurrent use; growers and finders belong to
// one goroutine. The package depends on neither attributes nor algorithms.
package taxonomy

import (
	"fmt"
	"slices"
)

// Node is a taxonomy in nested form, as in files and from generators.
type Node struct {
	Name     string
	Children []Node
	Values   int // pruned: the number of leaves that were below it; else 0
}

// Tree is a taxonomy: its nodes in preorder, the root first. Leaves are numbered in the same order,
// and these numbers are the codes of the attribute's domain.
//
// A pruned node, below which no search goes, is a leaf that represents several values.
//
// Nulls are not in the tree. An attribute that has them adds a leaf after all others, directly
// under the root.
type Tree struct {
	names  []string
	parent []int32 // the root's is -1
	end    []int32 // one past the last node of the subtree
	lo, hi []int32 // codes of the leaves of the subtree: lo ≤ code < hi
	leaves []string
	nodes  map[string]int32 // by name
	pruned []bool           // by code
	values []int            // by code: number of leaves below smaller codes; at the end, of all
}

// NewTree checks and flattens a taxonomy. Names must be unique. They must not be empty, except that
// of a leaf below the root, which is the empty text. Errors have a node's position, counted from 1
// in preorder, not its name, which may be a value.
func NewTree(root Node) (*Tree, error) {
	t := newTree(0)
	t.add(root, -1)
	if err := t.check(); err != nil {
		return nil, err
	}
	return t, nil
}

// newTree returns an empty tree with room for some nodes.
func newTree(nodes int) *Tree {
	return &Tree{
		names:  make([]string, 0, nodes),
		parent: make([]int32, 0, nodes),
		end:    make([]int32, 0, nodes),
		lo:     make([]int32, 0, nodes),
		hi:     make([]int32, 0, nodes),
		values: make([]int, 1, nodes+1),
	}
}

func (t *Tree) add(n Node, parent int) {
	at := t.begin(n.Name, parent)
	if len(n.Children) == 0 {
		t.leaf(n.Values)
	}
	for _, c := range n.Children {
		t.add(c, at)
	}
	t.finish(at)
}

// begin adds a node. The caller then calls leaf or adds its children.
func (t *Tree) begin(name string, parent int) (at int) {
	at = len(t.names)
	t.names = append(t.names, name)
	t.parent = append(t.parent, int32(parent))
	t.lo = append(t.lo, int32(len(t.leaves)))
	t.hi = append(t.hi, 0)
	t.end = append(t.end, 0)
	return at
}

// leaf makes the last node a leaf; a pruned one gets its number of values.
func (t *Tree) leaf(values int) {
	t.leaves = append(t.leaves, t.names[len(t.names)-1])
	t.pruned = append(t.pruned, values > 0)
	t.values = append(t.values, t.values[len(t.values)-1]+max(1, values))
}

// finish completes a node whose subtree was added.
func (t *Tree) finish(at int) {
	t.hi[at] = int32(len(t.leaves))
	t.end[at] = int32(len(t.names))
}

func (t *Tree) check() error {
	t.nodes = make(map[string]int32, len(t.names))
	for i, name := range t.names {
		if name == "" && (i == 0 || !t.IsLeaf(i)) {
			return unnamed(i)
		}
		if first, ok := t.nodes[name]; ok {
			return sameName(int(first), i)
		}
		t.nodes[name] = int32(i)
	}
	return nil
}

func unnamed(n int) error { return fmt.Errorf("build taxonomy: node %d has no name", n+1) }

func sameName(first, second int) error {
	return fmt.Errorf("build taxonomy: nodes %d and %d have the same name", first+1, second+1)
}

// Within returns the tree down to a level, in steps from the root. By code of a leaf it also
// returns the code of the new leaf that is it or contains it. Nodes of the level are pruned.
func (t *Tree) Within(level int) (within *Tree, codes []uint32) {
	within = newTree(0)
	var add func(n, depth, parent int)
	add = func(n, depth, parent int) {
		at, lo, hi := within.begin(t.names[n], parent), t.lo[n], t.hi[n]
		if t.IsLeaf(n) || depth == level {
			for range hi - lo {
				codes = append(codes, uint32(len(within.leaves)))
			}
			values := t.Values(n)
			if t.IsLeaf(n) && !t.IsPruned(n) {
				values = 0
			}
			within.leaf(values)
			within.finish(at)
			return
		}
		for _, child := range t.Children(n) {
			add(child, depth+1, at)
		}
		within.finish(at)
	}
	add(0, 0, -1)
	_ = within.check() // names are a part of the tree's
	return within, codes
}

// IsWhole reports whether no node is pruned.
func (t *Tree) IsWhole() bool { return !slices.Contains(t.pruned, true) }

// Depth returns the number of nodes above node n.
func (t *Tree) Depth(n int) (depth int) {
	for ; t.parent[n] >= 0; n = int(t.parent[n]) {
		depth++
	}
	return depth
}

// AddLeaves adds leaves directly under the root, after its own children, in bytewise order. It
// returns an error if the tree does not admit one of them.
func (t *Tree) AddLeaves(names []string) error {
	for _, name := range slices.Sorted(slices.Values(names)) {
		if err := t.Admit(name, 0); err != nil {
			return err
		}
		at := t.begin(name, 0)
		t.leaf(0)
		t.finish(at)
		t.nodes[name] = int32(at)
	}
	t.finish(0)
	return nil
}

// Admit returns the error of adding a leaf with a name under the root, after added others: the root
// is itself a leaf, or the tree has the name already.
func (t *Tree) Admit(name string, added int) error {
	if t.Len() == 1 {
		return fmt.Errorf("extend taxonomy: its root is a leaf")
	}
	if n, ok := t.nodes[name]; ok {
		return fmt.Errorf("extend taxonomy: %w", sameName(int(n), t.Len()+added))
	}
	return nil
}

// Len returns the number of nodes.
func (t *Tree) Len() int { return len(t.names) }

// Name returns the name of node n.
func (t *Tree) Name(n int) string { return t.names[n] }

// Parent returns the parent of node n, -1 for the root.
func (t *Tree) Parent(n int) int { return int(t.parent[n]) }

// Children returns the children of node n, in order.
func (t *Tree) Children(n int) []int {
	var children []int
	for c := n + 1; c < int(t.end[n]); c = int(t.end[c]) {
		children = append(children, c)
	}
	return children
}

// Range returns the codes of the leaves under node n: lo ≤ code < hi.
func (t *Tree) Range(n int) (lo, hi int) { return int(t.lo[n]), int(t.hi[n]) }

// IsLeaf reports whether node n has no children.
func (t *Tree) IsLeaf(n int) bool { return int(t.end[n]) == n+1 }

// IsPruned reports whether node n replaces a subtree.
func (t *Tree) IsPruned(n int) bool { return t.IsLeaf(n) && t.pruned[t.lo[n]] }

// Values returns the number of leaves under node n, with those of pruned nodes.
func (t *Tree) Values(n int) int { return t.ValuesIn(t.Range(n)) }

// ValuesIn returns the number of leaves of the codes lo ≤ code < hi: one for each code, more for a
// pruned node.
func (t *Tree) ValuesIn(lo, hi int) int { return t.values[hi] - t.values[lo] }

// Branch returns a node with its subtree.
func (t *Tree) Branch(n int) Node {
	node := Node{Name: t.Name(n)}
	if t.IsPruned(n) {
		node.Values = t.Values(n)
	}
	for _, child := range t.Children(n) {
		node.Children = append(node.Children, t.Branch(child))
	}
	return node
}

// Leaves returns the names of all leaves by code. The slice belongs to the tree.
func (t *Tree) Leaves() []string { return t.leaves }

// Node returns the node with the given name.
func (t *Tree) Node(name string) (n int, ok bool) {
	at, ok := t.nodes[name]
	return int(at), ok
}

// Code returns the code of the leaf with the given name.
func (t *Tree) Code(leaf string) (code uint32, ok bool) {
	n, ok := t.nodes[leaf]
	if !ok || !t.IsLeaf(int(n)) {
		return 0, false
	}
	return uint32(t.lo[n]), true
}
