package bottomup

import (
	"math"
	"slices"
)

// maxIndexed is of how many vids an index is made, at most. While there are more, to make it
// and merge it takes longer than what a census and its witnesses do.
const maxIndexed = 1 << 15

// tea is the Taxonomy Encoded Anonymity index of a set (section 5.1): a tree with a level for
// every column, in which every path is a vid. Siblings are in the order of their values, so
// that those that a valid generalization merges, a segment, stand side by side; and the
// segments of a generalization are linked. Memory is drawn when it is made; nothing is
// allocated afterwards.
type tea struct {
	k      uint64
	levels []level
	depth  []int     // by column of the set: its level
	nodes  []teaNode // the first one is the root of the tree; as a number it stands for none
	a      uint64    // A(VID), or k if that is less
	first  int       // no node before it is an anonymity vid
	o      []int32   // O[i] (section 5.3): how many vids have i records; O[k]: k or more
	spare  []int32   // as o, while a generalization is tried
	stack  []entry   // what is being merged
	drawn  int64
}

// level is a column's. Columns with few values are at the top, so that there are few nodes to merge.
type level struct {
	*column
	position int     // the column, in the set
	segments []int32 // by node of the taxonomy: the first segment that generalizes to it
}

// teaNode is a node of the index.
type teaNode struct {
	value          int32 // of the taxonomy; its root when the node has become part of another one
	parent         int32
	previous, next int32  // sibling
	child          int32  // the first
	link           int32  // of a segment's first node: the next segment of the same generalization
	records        uint32 // a(vid), of a leaf; 0 when it has become part of another one
}

// entry is a node, sorted by its value.
type entry uint64

func (x *tea) entry(n int32) entry { return entry(x.nodes[n].value)<<32 | entry(n) }
func (e entry) node() int32        { return int32(e & math.MaxUint32) }
func (e entry) value() int32       { return int32(e >> 32) }

// up returns the node of the taxonomy that a node's value generalizes to, or -1.
func (x *tea) up(depth int, n int32) int32 {
	return int32(x.levels[depth].tree.Parent(int(x.nodes[n].value)))
}

// enlist links a node's segment, if the node is its first. A node that is not will never be,
// for what stands before it goes only when the whole segment does.
func (x *tea) enlist(depth int, n int32) {
	to := x.up(depth, n)
	if to < 0 || !x.isFirst(depth, n, to) {
		return
	}
	segments := x.levels[depth].segments
	x.nodes[n].link, segments[to] = segments[to], n
}

// isFirst reports whether a node is the first one of a segment of a generalization.
func (x *tea) isFirst(depth int, n, to int32) bool {
	before := x.nodes[n].previous
	return x.up(depth, n) == to && (before == 0 || x.up(depth, before) != to)
}

// walk follows the links of a valid generalization's segments.
func (x *tea) walk(depth int, to int32, visit func(segment []entry)) {
	for n := x.levels[depth].segments[to]; n != 0; {
		next := x.nodes[n].link
		if x.isFirst(depth, n, to) { // or it is linked no longer
			for s := n; s != 0 && x.up(depth, s) == to; s = x.nodes[s].next {
				x.stack = append(x.stack, x.entry(s))
			}
			visit(x.stack)
			x.stack = x.stack[:0]
		}
		n = next
	}
}

// candidates is step 1 (section 5.2): the generalizations that merge every anonymity vid with
// another one, at most one a column (Theorem 1), by column. These are the critical ones.
func (x *tea) candidates() (list []generalization) {
	to := make([]int32, len(x.levels)) // by level: what all vids so far have in common, or -1
	path := make([]int32, len(x.levels))
	for x.first < len(x.nodes) && uint64(x.nodes[x.first].records) != x.a {
		x.first++
	}
	x.path(int32(x.first), path)
	for depth, n := range path {
		to[depth] = x.levels[depth].up(x.nodes[n].value)
	}
	for i := x.first; i < len(x.nodes); i++ {
		if uint64(x.nodes[i].records) == x.a {
			x.path(int32(i), path)
			if !x.retain(to, path) {
				return nil
			}
		}
	}
	for column, depth := range x.depth {
		if to[depth] >= 0 {
			list = append(list, generalization{column: column, node: to[depth]})
		}
	}
	return list
}

// path writes the nodes from the first level to a leaf.
func (x *tea) path(leaf int32, path []int32) {
	for depth := len(path) - 1; depth >= 0; depth-- {
		path[depth], leaf = leaf, x.nodes[leaf].parent
	}
}

// retain drops the generalizations that do not merge a vid, and reports whether any is left.
func (x *tea) retain(to, path []int32) (left bool) {
	for depth := range to {
		if to[depth] >= 0 && !x.isMerged(depth, to[depth], path) {
			to[depth] = -1
		}
		left = left || to[depth] >= 0
	}
	return left
}

// isMerged reports whether a generalization merges a vid with another one: whether its node is
// in a segment with one below which the path is the same.
func (x *tea) isMerged(depth int, to int32, path []int32) bool {
	n, below := path[depth], path[depth+1:]
	if x.up(depth, n) != to {
		return false
	}
	s := n
	for !x.isFirst(depth, s, to) {
		s = x.nodes[s].previous
	}
	for ; s != 0 && x.up(depth, s) == to; s = x.nodes[s].next {
		if s != n && x.has(s, below) {
			return true
		}
	}
	return false
}

// has reports whether the values of a path are below a node, too.
func (x *tea) has(n int32, path []int32) bool {
	for _, p := range path {
		value := x.nodes[p].value
		for n = x.nodes[n].child; n != 0 && x.nodes[n].value < value; n = x.nodes[n].next {
		}
		if n == 0 || x.nodes[n].value > value {
			return false
		}
	}
	return true
}

// examine returns A(VID) after the candidates.
func (x *tea) examine() (gains []gain) {
	for _, g := range x.candidates() {
		gains = append(gains, gain{generalization: g, after: x.after(g)})
	}
	return gains
}

// after is step 2 (section 5.3): A(VID) after a generalization, or k if that is less. It costs
// as much as the vids that are generalized.
func (x *tea) after(g generalization) uint64 {
	copy(x.spare, x.o)
	depth := x.depth[g.column]
	x.walk(depth, g.node, func(segment []entry) { x.merge(depth, segment, false) })
	after := x.least()
	x.o, x.spare = x.spare, x.o
	return after
}

// apply is step 3 (section 5.4): it merges the segments of a generalization.
func (x *tea) apply(g generalization) {
	depth := x.depth[g.column]
	x.walk(depth, g.node, func(segment []entry) {
		first, after := segment[0].node(), x.nodes[segment[len(segment)-1].node()].next
		x.merge(depth, segment, true)
		x.nodes[first].value = g.node
		x.join(first, after)
		x.enlist(depth, first)
	})
	if a := x.least(); a != x.a {
		x.a, x.first = a, 0
	}
}

// join makes two nodes, or one and none, neighbours among their siblings.
func (x *tea) join(before, after int32) {
	if before > 0 {
		x.nodes[before].next = after
	}
	if after > 0 {
		x.nodes[after].previous = before
	}
}

// merge makes the first of some nodes of them all, and children that have become siblings and
// are of one value are merged in turn. Unless it is to last, this is done to O[i] only.
func (x *tea) merge(depth int, nodes []entry, last bool) {
	if len(nodes) == 1 {
		return
	}
	if depth == len(x.levels)-1 {
		x.add(nodes, last)
		return
	}
	from := len(x.stack)
	for _, n := range nodes {
		for c := x.nodes[n.node()].child; c != 0; c = x.nodes[c].next {
			x.stack = append(x.stack, x.entry(c))
		}
	}
	children := x.stack[from:]
	slices.Sort(children)
	parent, before := nodes[0].node(), int32(0)
	for len(children) > 0 {
		same := children[:run(children)]
		x.merge(depth+1, same, last)
		if last {
			before = x.adopt(parent, before, same[0].node())
		}
		children = children[len(same):]
	}
	if last {
		x.join(before, 0)
		x.drop(nodes[1:])
	}
	x.stack = x.stack[:from]
}

// run returns how many entries at the start are of one value.
func run(entries []entry) (n int) {
	for n < len(entries) && entries[n].value() == entries[0].value() {
		n++
	}
	return n
}

// adopt makes a node the child of another one, after its children so far.
func (x *tea) adopt(parent, before, n int32) int32 {
	x.nodes[n].parent, x.nodes[n].previous = parent, 0
	if x.join(before, n); before == 0 {
		x.nodes[parent].child = n
	}
	return n
}

// add gives the first of some leaves the records of them all.
func (x *tea) add(leaves []entry, last bool) {
	sum := uint64(0)
	for _, n := range leaves {
		records := uint64(x.nodes[n.node()].records)
		x.o[min(records, x.k)]--
		sum += records
	}
	x.o[min(sum, x.k)]++
	if last {
		x.nodes[leaves[0].node()].records = uint32(min(sum, math.MaxUint32))
		x.drop(leaves[1:])
	}
}

// drop marks nodes that have become part of another one.
func (x *tea) drop(nodes []entry) {
	for _, n := range nodes {
		x.nodes[n.node()].value, x.nodes[n.node()].records = 0, 0
	}
}

// least returns A(VID), or k if that is less. It never falls.
func (x *tea) least() uint64 {
	a := x.a
	for a < x.k && x.o[a] == 0 {
		a++
	}
	return a
}

// anonymity returns A(VID).
func (x *tea) anonymity() uint64 {
	if x.a < x.k {
		return x.a
	}
	least := uint32(math.MaxUint32)
	for _, n := range x.nodes {
		if n.records > 0 {
			least = min(least, n.records)
		}
	}
	return uint64(least)
}
