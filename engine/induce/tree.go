package induce

import (
	"cmp"
	"slices"

	"github.com/kcut/kcut/engine"
)

// Tree is a decision tree. Its nodes are those that records of the table reach, in preorder; the
// root is 0.
type Tree struct {
	columns []Column
	nodes   []node
	links   []link   // of all nodes, those of a node adjacent and by ascending branch
	classes []uint32 // of all nodes, those of a node adjacent and by ascending class
	counts  []uint64
	next    int // the number of the next node
}

type node struct {
	size            uint64
	number          int    // in preorder, with branches without records
	first           int    // position of its class counts
	parent          int32  // none: the root
	column          int32  // column of the test; none: a leaf
	split           uint32 // of a numeric column
	branch          uint32 // of the parent's test
	passed          uint32 // number of branches that have been numbered
	links, children int32
}

// link is a branch that records take.
type link struct {
	branch uint32
	node   int32
}

const none = -1

// Len returns the number of nodes.
func (t *Tree) Len() int { return len(t.nodes) }

// Size returns the number of records that reach a node.
func (t *Tree) Size(n int) uint64 { return t.nodes[n].size }

// Number returns a node's number in preorder, where branches without records count as nodes.
func (t *Tree) Number(n int) int { return t.nodes[n].number }

// Parent returns the parent of a node, -1 for the root.
func (t *Tree) Parent(n int) int { return int(t.nodes[n].parent) }

// Branch returns the branch of the parent's test that leads to a node.
func (t *Tree) Branch(n int) uint32 { return t.nodes[n].branch }

// IsLeaf reports whether a node has no test.
func (t *Tree) IsLeaf(n int) bool { return t.nodes[n].column == none }

// Test returns the column that an inner node tests, and the split of a numeric column.
func (t *Tree) Test(n int) (column int, split uint32) {
	return int(t.nodes[n].column), t.nodes[n].split
}

// Classes returns the class counts of a node: its classes, ascending.
func (t *Tree) Classes(n int) (classes []uint32, counts []uint64) {
	first, end := t.nodes[n].first, len(t.counts)
	if n+1 < len(t.nodes) {
		end = t.nodes[n+1].first
	}
	return t.classes[first:end], t.counts[first:end]
}

// Bytes returns the memory of the tree.
func (t *Tree) Bytes() int64 {
	return int64(cap(t.nodes))*64 + int64(cap(t.links))*8 + int64(cap(t.classes))*4 +
		int64(cap(t.counts))*8
}

// Forget drops the class counts.
func (t *Tree) Forget() {
	t.classes, t.counts = nil, nil
	for n := range t.nodes {
		t.nodes[n].first = 0
	}
}

func (t *Tree) linksOf(n int) []link {
	node := &t.nodes[n]
	return t.links[node.links:][:node.children]
}

// follow returns the child for records with a code of the column that a node tests, none if no
// record goes there.
func (t *Tree) follow(n *node, code uint32) int32 {
	branch, links := t.columns[n.column].branch(code, n.split), t.links[n.links:][:n.children]
	// all branches before it are taken, too
	if int(branch) < len(links) && links[branch].branch == branch {
		return links[branch].node
	}
	i, ok := slices.BinarySearchFunc(links, branch, func(l link, branch uint32) int {
		return cmp.Compare(l.branch, branch)
	})
	if !ok {
		return none
	}
	return links[i].node
}

// Locate returns the deepest node that records with a row's codes reach: a leaf, or a node whose
// branch for them no record takes. Codes are by column.
func (t *Tree) Locate(codes [][]uint32, row int) int {
	at := int32(0)
	for t.nodes[at].column != none {
		n := &t.nodes[at]
		next := t.follow(n, codes[n.column][row])
		if next == none {
			break
		}
		at = next
	}
	return int(at)
}

// Predict returns the class counts of the leaf for a tuple of codes, as Classes does. Where no
// record takes a branch, it follows the branch of most records, the first of several.
func (t *Tree) Predict(codes []uint32) (classes []uint32, counts []uint64) {
	at := int32(0)
	for t.nodes[at].column != none {
		n := &t.nodes[at]
		next := t.follow(n, codes[n.column])
		if next == none {
			next = slices.MaxFunc(t.linksOf(int(at)), func(a, b link) int {
				return cmp.Compare(t.nodes[a.node].size, t.nodes[b.node].size)
			}).node
		}
		at = next
	}
	return t.Classes(int(at))
}

// open adds a node: the root, or the child of a link. It is a leaf until test divides it. Nodes are
// opened in preorder.
func (t *Tree) open(parent, link int32, size uint64, classes []uint32, counts []uint64) int {
	n := node{size: size, number: t.next, first: len(t.counts), parent: parent, column: none}
	at := len(t.nodes)
	if parent != none {
		l, above := &t.links[link], &t.nodes[parent]
		l.node = int32(at)
		n.branch = l.branch
		n.number += int(l.branch - above.passed)
		above.passed = l.branch + 1
	}
	t.next = n.number + 1
	t.nodes = append(t.nodes, n)
	t.classes, t.counts = append(t.classes, classes...), append(t.counts, counts...)
	return at
}

// test makes a leaf an inner node. Records take the given branches of its test.
func (t *Tree) test(n int, column int, split uint32, branches []uint32) {
	node := &t.nodes[n]
	node.column, node.split = int32(column), split
	node.links, node.children = int32(len(t.links)), int32(len(branches))
	for _, b := range branches {
		t.links = append(t.links, link{branch: b, node: none})
	}
}

// close ends an inner node whose children are all closed.
func (t *Tree) close(n int) {
	node := &t.nodes[n]
	t.next += int(t.columns[node.column].branches() - node.passed)
}

// fell makes an inner node a leaf. Its subtree must be the last that was grown.
func (t *Tree) fell(n int) {
	node := &t.nodes[n]
	t.next = node.number + 1
	t.links = t.links[:node.links]
	_, counts := t.Classes(n)
	end := node.first + len(counts)
	t.classes, t.counts = t.classes[:end], t.counts[:end]
	node.column, node.split, node.links, node.children, node.passed = none, 0, 0, 0, 0
	t.nodes = t.nodes[:n+1]
}

// Column describes a column of codes, 0 ≤ code < Domain.
type Column struct {
	Domain  int  // number of codes, with the null's
	Numeric bool // codes ascend with the values
	Null    bool // the last code is the null's
}

// ColumnOf returns the column of an attribute. A taxonomy counts only by its leaves.
func ColumnOf(a *engine.Attribute) Column {
	return Column{Domain: a.Len(), Numeric: a.Mask == engine.Discretize, Null: a.HasNull}
}

// The branches of a test of a numeric column.
const (
	Below   = 0 // codes below the split
	AtLeast = 1 // the split's code and those above it
	Null    = 2
)

// branches returns the number of branches of a test of the column.
func (c Column) branches() uint32 {
	switch {
	case !c.Numeric:
		return uint32(c.Domain)
	case c.Null:
		return 3
	}
	return 2
}

// isNull reports whether a code is the null's.
func (c Column) isNull(code uint32) bool { return c.Null && int(code) == c.Domain-1 }

// branch returns the branch of a code: in a nominal column the code itself.
func (c Column) branch(code, split uint32) uint32 {
	switch {
	case !c.Numeric:
		return code
	case c.isNull(code):
		return Null
	case code < split:
		return Below
	}
	return AtLeast
}
