package induce

import (
	"cmp"
	"slices"
)

// Tree is a decision tree. Its nodes are those that records of the table reach, in
// preorder, the root is 0.
type Tree struct {
	columns []Column
	nodes   []node
	links   []link   // of all nodes, a node's adjacent and by ascending branch
	classes []uint32 // class counts of all nodes, a node's adjacent and by ascending class
	counts  []uint64
	next    int // the number of the next node
}

type node struct {
	size            uint64
	number          int    // in preorder, where branches without records count
	first           int    // of its class counts
	parent          int32  // none of the root
	column          int32  // that is tested, none of a leaf
	split           uint32 // of a numeric column
	branch          uint32 // of the parent's test
	passed          uint32 // of the branches: how many have been numbered
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

// Number returns a node's number in preorder when branches without records count as nodes.
func (t *Tree) Number(n int) int { return t.nodes[n].number }

// Parent returns the parent of a node, -1 of the root.
func (t *Tree) Parent(n int) int { return int(t.nodes[n].parent) }

// Branch returns the branch of its parent's test that leads to a node.
func (t *Tree) Branch(n int) uint32 { return t.nodes[n].branch }

// IsLeaf reports whether a node tests nothing.
func (t *Tree) IsLeaf(n int) bool { return t.nodes[n].column == none }

// Test returns the column that an inner node tests, and where it splits a numeric one.
func (t *Tree) Test(n int) (column int, split uint32) {
	return int(t.nodes[n].column), t.nodes[n].split
}

// Children returns the nodes that the branches of an inner node lead to, by branch.
func (t *Tree) Children(n int) []int {
	var children []int
	for _, l := range t.linksOf(n) {
		children = append(children, int(l.node))
	}
	return children
}

// Classes returns the class counts of a node: the classes that it has, ascending.
func (t *Tree) Classes(n int) (classes []uint32, counts []uint64) {
	first, end := t.nodes[n].first, len(t.counts)
	if n+1 < len(t.nodes) {
		end = t.nodes[n+1].first
	}
	return t.classes[first:end], t.counts[first:end]
}

// Bytes returns the memory that the tree takes.
func (t *Tree) Bytes() int64 {
	return int64(cap(t.nodes))*64 + int64(cap(t.links))*8 + int64(cap(t.classes))*4 + int64(cap(t.counts))*8
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

// find returns where a branch leads to, none if no record takes it.
func (t *Tree) find(n *node, branch uint32) int32 {
	links := t.links[n.links:][:n.children]
	if int(branch) < len(links) && links[branch].branch == branch { // all before it are taken, too
		return links[branch].node
	}
	i, ok := slices.BinarySearchFunc(links, branch, func(l link, branch uint32) int { return cmp.Compare(l.branch, branch) })
	if !ok {
		return none
	}
	return links[i].node
}

// Locate returns the deepest node that records with a row's codes reach: a leaf, or a node
// whose branch for them no record takes. Codes are by column.
func (t *Tree) Locate(codes [][]uint32, row int) int {
	at := int32(0)
	for {
		n := &t.nodes[at]
		if n.column == none {
			return int(at)
		}
		next := t.find(n, t.columns[n.column].branch(codes[n.column][row], n.split))
		if next == none {
			return int(at)
		}
		at = next
	}
}

// Predict returns the class counts of the leaf of a tuple of codes, as Classes does. Where
// no record takes a branch, it goes to where most of the records go, the first of several.
func (t *Tree) Predict(codes []uint32) (classes []uint32, counts []uint64) {
	at := int32(0)
	for t.nodes[at].column != none {
		n := &t.nodes[at]
		next := t.find(n, t.columns[n.column].branch(codes[n.column], n.split))
		if next == none {
			next = t.largest(int(at))
		}
		at = next
	}
	return t.Classes(int(at))
}

// largest returns the largest child of an inner node.
func (t *Tree) largest(n int) int32 {
	links := t.linksOf(n)
	largest := links[0].node
	for _, l := range links[1:] {
		if t.nodes[l.node].size > t.nodes[largest].size {
			largest = l.node
		}
	}
	return largest
}
