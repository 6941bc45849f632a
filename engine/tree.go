package engine

import (
	"fmt"
	"slices"
)

// Node is a taxonomy in nested form, as files and generators give it.
type Node struct {
	Name     string
	Children []Node
}

// Tree is a taxonomy: its nodes in preorder, the root first. Leaves are numbered in the
// same order, and these numbers are the codes of the attribute's domain.
//
// Nulls are not in the tree. An attribute that has them adds a leaf after all others,
// directly under the root.
type Tree struct {
	names  []string
	parent []int // the root's is -1
	end    []int // one past the last node of the subtree
	lo, hi []int // codes of the leaves of the subtree: lo ≤ code < hi
	leaves []string
	codes  map[string]uint32 // of leaves
}

// NewTree checks and flattens a taxonomy. Names must not be empty and not repeat. Errors
// give a node's place, counted from 1 in preorder, not its name, which may be a value.
func NewTree(root Node) (*Tree, error) {
	t := &Tree{codes: map[string]uint32{}}
	t.add(root, -1)
	if err := t.check(); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *Tree) add(n Node, parent int) {
	at := len(t.names)
	t.names = append(t.names, n.Name)
	t.parent = append(t.parent, parent)
	t.lo = append(t.lo, len(t.leaves))
	t.hi = append(t.hi, 0)
	t.end = append(t.end, 0)
	if len(n.Children) == 0 {
		t.codes[n.Name] = uint32(len(t.leaves))
		t.leaves = append(t.leaves, n.Name)
	}
	for _, c := range n.Children {
		t.add(c, at)
	}
	t.hi[at] = len(t.leaves)
	t.end[at] = len(t.names)
}

func (t *Tree) check() error {
	seen := make(map[string]int, len(t.names))
	for i, name := range t.names {
		if name == "" {
			return fmt.Errorf("build taxonomy: node %d has no name", i+1)
		}
		if first, ok := seen[name]; ok {
			return fmt.Errorf("build taxonomy: nodes %d and %d have the same name", first+1, i+1)
		}
		seen[name] = i
	}
	return nil
}

// WithLeaves returns the tree with more leaves directly under the root, after its own
// children, in bytewise order. It is an error if one of them is a name that the tree has,
// or if the root is a leaf itself.
func (t *Tree) WithLeaves(names []string) (*Tree, error) {
	if len(names) == 0 {
		return t, nil
	}
	if t.Len() == 1 {
		return nil, fmt.Errorf("extend taxonomy: its root is a leaf")
	}
	root := t.node(0)
	for _, name := range slices.Sorted(slices.Values(names)) {
		root.Children = append(root.Children, Node{Name: name})
	}
	extended, err := NewTree(root)
	if err != nil {
		return nil, fmt.Errorf("extend taxonomy: %w", err)
	}
	return extended, nil
}

// node returns the subtree of n in nested form.
func (t *Tree) node(n int) Node {
	root := Node{Name: t.names[n]}
	for _, c := range t.Children(n) {
		root.Children = append(root.Children, t.node(c))
	}
	return root
}

// Len returns the number of nodes.
func (t *Tree) Len() int { return len(t.names) }

// Name returns the name of node n.
func (t *Tree) Name(n int) string { return t.names[n] }

// Parent returns the parent of node n, -1 for the root.
func (t *Tree) Parent(n int) int { return t.parent[n] }

// Children returns the children of node n, in order.
func (t *Tree) Children(n int) []int {
	var children []int
	for c := n + 1; c < t.end[n]; c = t.end[c] {
		children = append(children, c)
	}
	return children
}

// Range returns the codes of the leaves under node n: lo ≤ code < hi.
func (t *Tree) Range(n int) (lo, hi int) { return t.lo[n], t.hi[n] }

// IsLeaf reports whether node n has no children.
func (t *Tree) IsLeaf(n int) bool { return t.end[n] == n+1 }

// Leaves returns the names of all leaves by code. It is the tree's own slice.
func (t *Tree) Leaves() []string { return t.leaves }

// Code returns the code of the leaf with the given name.
func (t *Tree) Code(leaf string) (code uint32, ok bool) {
	code, ok = t.codes[leaf]
	return code, ok
}
