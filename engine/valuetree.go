package engine

import (
	"slices"

	"github.com/kcut/kcut/engine/taxonomy"
)

// DefaultBins is the largest number of bins of a discretized attribute by default.
const DefaultBins = 16

// ValueTree is the generalization hierarchy of an attribute over the values that occur: bottom-up
// generalization climbs it, and full-domain recoding uses its levels. Its nodes are numbered in
// preorder; the root is 0, the leaves are the values.
//
//	Generalize: the taxonomy, without nodes under which no record is
//	Discretize: bins of about equal numbers of records, adjacent ones joined in pairs, level by
//	            level, up to the full interval
//	Suppress:   all values under Suppressed
//
// The null is a leaf under the root, and the root covers it. The tree of a discretized attribute
// with one distinct number, or of a taxonomy of one node, is only its root, which is never split.
type ValueTree struct {
	attribute *Attribute
	nodes     []valueNode
	leaf      []int32 // by code: its leaf, or none
}

type valueNode struct {
	parent, end int32 // end: one past the last node of the subtree
	depth       int32
	lo, hi      int32 // codes, also of values that no record has
	taxon       int32 // Generalize: the node of the attribute's tree
}

const noLeaf = -1

// branch is a node with its subtree, while a hierarchy is made.
type branch struct {
	lo, hi, taxon int
	parts         []branch
}

// NewValueTree returns the hierarchy of the values that have records. Counts are by code; bins is
// the largest number of bins of a discretized attribute.
func NewValueTree(a *Attribute, counts []uint64, bins int) *ValueTree {
	t := &ValueTree{attribute: a, leaf: make([]int32, a.Len())}
	for code := range t.leaf {
		t.leaf[code] = noLeaf
	}
	root := branch{hi: a.Len()}
	null, split := len(a.Texts), false // the null, if the parts do not contain it
	switch a.Mask {
	case Generalize:
		before := make([]uint64, len(counts)+1) // by code: records of smaller codes
		for code, n := range counts {
			before[code+1] = before[code] + n
		}
		root.parts, split = taxa(a.Tree, 0, before), !a.Tree.IsLeaf(0)
	case Discretize:
		root.parts = binned(counts[:null], bins)
		split = len(root.parts) > 0
	case Suppress:
		for code, n := range counts {
			if n > 0 {
				root.parts = append(root.parts, branch{lo: code, hi: code + 1})
			}
		}
	}
	if split && a.HasNull && counts[null] > 0 {
		root.parts = append(root.parts, branch{lo: null, hi: null + 1})
	}
	t.add(&root, -1, counts)
	return t
}

// add adds a branch under a parent.
func (t *ValueTree) add(b *branch, parent int, counts []uint64) {
	at := len(t.nodes)
	t.nodes = append(t.nodes, valueNode{
		parent: int32(parent),
		lo:     int32(b.lo),
		hi:     int32(b.hi),
		taxon:  int32(b.taxon),
	})
	if parent >= 0 {
		t.nodes[at].depth = t.nodes[parent].depth + 1
	}
	for i := range b.parts {
		t.add(&b.parts[i], at, counts)
	}
	t.nodes[at].end = int32(len(t.nodes))
	for code := b.lo; code < b.hi && t.IsLeaf(at); code++ {
		if counts[code] > 0 {
			t.leaf[code] = int32(at)
		}
	}
}

// taxa returns the children of a taxonomy's node that have records.
func taxa(tree *taxonomy.Tree, node int, before []uint64) (parts []branch) {
	for _, c := range tree.Children(node) {
		if lo, hi := tree.Range(c); before[lo] < before[hi] {
			parts = append(parts, branch{lo: lo, hi: hi, taxon: c, parts: taxa(tree, c, before)})
		}
	}
	return parts
}

// binned returns the children of the root of a discretized attribute, or nothing if one number
// occurs. A value reaches from its own number to the next that occurs. The values are cut into at
// most `most` bins: bin i of n starts at the first value before which there are at least i/n of the
// records. Empty bins vanish, and a bin of one value is that value. Adjacent bins are joined in
// pairs until one is left; an odd one waits for the next level.
func binned(counts []uint64, most int) []branch {
	if most <= 0 {
		most = DefaultBins
	}
	total := uint64(0)
	var values []branch
	for code, n := range counts {
		if total += n; n > 0 {
			values = append(values, branch{lo: code})
		}
	}
	if len(values) < 2 {
		return nil
	}
	values[0].lo = 0
	var list []branch
	before, next := uint64(0), uint64(0) // records before a value, and the number of the next bin
	for i, v := range values {
		if v.hi = len(counts); i+1 < len(values) {
			v.hi = values[i+1].lo
		}
		if before*uint64(most) >= next*total {
			list = append(list, branch{lo: v.lo})
			next = before*uint64(most)/total + 1
		}
		bin := &list[len(list)-1]
		bin.hi, bin.parts = v.hi, append(bin.parts, v)
		for _, n := range counts[v.lo:v.hi] {
			before += n
		}
	}
	for i, bin := range list {
		if len(bin.parts) == 1 {
			list[i] = bin.parts[0]
		}
	}
	for len(list) > 1 {
		var joined []branch
		for pair := range slices.Chunk(list, 2) {
			if len(pair) == 2 {
				pair = []branch{{lo: pair[0].lo, hi: pair[1].hi, parts: pair}}
			}
			joined = append(joined, pair[0])
		}
		list = joined
	}
	return list[0].parts
}

// Len returns the number of nodes.
func (t *ValueTree) Len() int { return len(t.nodes) }

// Parent returns the parent of node n, -1 for the root.
func (t *ValueTree) Parent(n int) int { return int(t.nodes[n].parent) }

// Depth returns the number of nodes above node n.
func (t *ValueTree) Depth(n int) int { return int(t.nodes[n].depth) }

// IsLeaf reports whether node n has no children.
func (t *ValueTree) IsLeaf(n int) bool { return int(t.nodes[n].end) == n+1 }

// Children returns the children of node n, in order.
func (t *ValueTree) Children(n int) []int {
	var children []int
	for c := int32(n) + 1; c < t.nodes[n].end; c = t.nodes[c].end {
		children = append(children, int(c))
	}
	return children
}

// Range returns the codes under node n: lo ≤ code < hi.
func (t *ValueTree) Range(n int) (lo, hi int) { return int(t.nodes[n].lo), int(t.nodes[n].hi) }

// Leaf returns the leaf of a code, or -1 when no record has it.
func (t *ValueTree) Leaf(code int) int { return int(t.leaf[code]) }

// Height returns the depth of the deepest node.
func (t *ValueTree) Height() int {
	height := int32(0)
	for _, n := range t.nodes {
		height = max(height, n.depth)
	}
	return int(height)
}

// Label returns the released value of node n.
func (t *ValueTree) Label(n int) Label {
	a := t.attribute
	switch {
	case t.isNull(n):
		return Label{Null: true}
	case a.Mask == Generalize:
		return Label{Text: a.Tree.Name(int(t.nodes[n].taxon))}
	case a.Mask == Discretize:
		return Label{Text: t.Interval(n).Label}
	case n == 0:
		return Label{Text: Suppressed}
	}
	return a.Label(int(t.nodes[n].lo))
}

// IsInterval reports whether node n belongs to a discretized attribute and is not the null.
func (t *ValueTree) IsInterval(n int) bool { return t.attribute.Mask == Discretize && !t.isNull(n) }

// Interval returns the interval of a node for which IsInterval is true.
func (t *ValueTree) Interval(n int) Interval {
	lo, hi := t.Range(n)
	return t.attribute.Interval(lo, min(hi, len(t.attribute.Texts)))
}

// isNull reports whether node n is the null's leaf.
func (t *ValueTree) isNull(n int) bool {
	return n > 0 && t.attribute.HasNull && int(t.nodes[n].lo) == t.attribute.Len()-1
}

// Cut returns the cut through the given nodes, ascending, exactly one on the path to every leaf.
// Parts of a taxonomy that have no record stay as coarse as the nodes allow.
func (t *ValueTree) Cut(nodes []int) ColumnCut {
	if t.attribute.Mask == Generalize {
		return CutTree(t.attribute, t.taxons(nodes))
	}
	var starts, disclosed []int
	for _, n := range nodes {
		if !t.isNull(n) {
			starts = append(starts, int(t.nodes[n].lo))
		}
		if n > 0 {
			disclosed = append(disclosed, int(t.nodes[n].lo))
		}
	}
	if t.attribute.Mask == Discretize {
		return CutIntervals(t.attribute, starts)
	}
	return CutSuppressed(t.attribute, disclosed)
}

// taxons returns the nodes of the taxonomy for a cut: those of the given nodes, and the empty ones
// next to them.
func (t *ValueTree) taxons(nodes []int) []int {
	tree := t.attribute.Tree
	above := make([]bool, tree.Len()) // by taxon: a node of the cut is below it
	for _, n := range nodes {
		for n = t.Parent(n); n >= 0 && !above[t.nodes[n].taxon]; n = t.Parent(n) {
			above[t.nodes[n].taxon] = true
		}
	}
	var taxons []int
	var walk func(taxon int)
	walk = func(taxon int) {
		if !above[taxon] {
			taxons = append(taxons, taxon)
			return
		}
		for _, c := range tree.Children(taxon) {
			walk(c)
		}
	}
	walk(0)
	return taxons
}
