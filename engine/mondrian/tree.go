package mondrian

import ()

// tree is the tree of cuts: the Locator of strict regions. In relaxed ones it sends the records of
// a median to the side with most of their cells. A code that no record of a part has goes to the
// side given by its order or, if the part was not cut by order, to the largest side.
type tree struct {
	nodes []node
	links []int32 // children of all nodes: nodes, or regions from -1 downwards
	steps []step  // steps of all nodes that are not cut at a code
	root  int32   // a link
}

// rootLink is the place of the root among the links.
const rootLink int32 = -1

// node is a cut. Its children's links are adjacent.
type node struct {
	column int32
	links  int32
	at     uint32 // the first code of child 1 or, with steps, the position of the first step
	steps  int32  // number of steps; 0: there are two children, cut at a code
	lot    int32  // for a cut that shares the median's records: the number of its lot, from 1 on
}

// step sends the codes from its own to the next step's to a child.
type step struct {
	code  uint32
	child int32
}

// span is a range of codes lo ≤ code < hi that goes to a part.
type span struct {
	lo, hi uint32
	part   uint32
}

// Bytes returns the memory of the tree.
func (t *tree) Bytes() int64 {
	return int64(cap(t.nodes))*20 + int64(cap(t.links))*4 + int64(cap(t.steps))*8
}

// add appends a node with n children, and returns its number. Its links are not set.
func (t *tree) add(n node, children int) int32 {
	n.links = int32(len(t.links))
	t.links = append(t.links, make([]int32, children)...)
	t.nodes = append(t.nodes, n)
	return int32(len(t.nodes) - 1)
}

// addSteps makes the steps of ascending spans. Codes between them go to the largest part.
func (t *tree) addSteps(n *node, spans []span, largest uint32) {
	n.at = uint32(len(t.steps))
	next := uint32(0)
	for _, s := range spans {
		if s.lo > next {
			t.step(n, next, largest)
		}
		t.step(n, s.lo, s.part)
		next = s.hi
	}
	t.step(n, next, largest)
}

// truncate removes the nodes, links and steps from the given numbers on.
func (t *tree) truncate(nodes, links, steps int) {
	t.nodes, t.links, t.steps = t.nodes[:nodes], t.links[:links], t.steps[:steps]
}

// step adds a step, unless the last one goes to the same part.
func (t *tree) step(n *node, code, part uint32) {
	if n.steps > 0 && t.steps[len(t.steps)-1].child == int32(part) {
		return
	}
	t.steps = append(t.steps, step{code: code, child: int32(part)})
	n.steps++
}

// set sets the target of a link.
func (t *tree) set(link, to int32) {
	if link == rootLink {
		t.root = to
	} else {
		t.links[link] = to
	}
}

// Locate finds the regions of tuples.
func (t *tree) Locate(n int, codes [][]uint32, regions []int32) {
	for i := range n {
		at := t.root
		for at >= 0 {
			node := &t.nodes[at]
			at = t.links[node.links+t.child(node, codes[node.column][i])]
		}
		regions[i] = -1 - at
	}
}

// child returns the child of a node for a code.
func (t *tree) child(n *node, code uint32) int32 {
	if n.steps == 0 {
		if code < n.at {
			return 0
		}
		return 1
	}
	steps := t.steps[n.at:][:n.steps]
	for len(steps) > 1 {
		if half := len(steps) / 2; steps[half].code <= code {
			steps = steps[half:]
		} else {
			steps = steps[:half]
		}
	}
	return steps[0].child
}

// renumber replaces the numbers of regions.
func (t *tree) renumber(to []int32) {
	for i, link := range t.links {
		if link < 0 {
			t.links[i] = -1 - to[-1-link]
		}
	}
	if t.root < 0 {
		t.root = -1 - to[-1-t.root]
	}
}
