package induce

// open adds a node, which is a leaf until it is divided: the root, or what a link of a node
// leads to. Nodes are opened in preorder.
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

// test makes a leaf an inner node, of whose test records take the given branches.
func (t *Tree) test(n int, column int, split uint32, branches []uint32) {
	node := &t.nodes[n]
	node.column, node.split = int32(column), split
	node.links, node.children = int32(len(t.links)), int32(len(branches))
	for _, b := range branches {
		t.links = append(t.links, link{branch: b, node: none})
	}
}

// close ends an inner node, of which all children are closed.
func (t *Tree) close(n int) {
	node := &t.nodes[n]
	t.next += int(t.columns[node.column].branches() - node.passed)
}

// fell makes an inner node a leaf whose subtree is the last that was grown.
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
