package engine

// ValueTree is the generalization hierarchy of an attribute over the values that occur:
// what bottom-up generalization climbs, and what full-domain recoding takes levels of. Its
// nodes are numbered in preorder; the root is 0, the leaves are the values.
//
//	Generalize: the taxonomy, without what no record is under
//	Discretize: bins of about as many records each, adjacent ones joined in pairs, level by
//	            level, up to the full interval
//	Suppress:   all values under Suppressed
//
// The null is a leaf under the root, and the root covers it. A discretized attribute with
// one distinct number is its root alone, as is a taxonomy of one node: they are never split.
type ValueTree struct {
	attribute *Attribute
	nodes     []valueNode
	leaf      []int32 // by code: its leaf, or none
}

type valueNode struct {
	parent, end int32 // end: one past the last node of the subtree
	depth       int32
	lo, hi      int32 // codes, also those that no record has
	taxon       int32 // Generalize: of the attribute's tree
}

const noLeaf = -1

// NewValueTree returns the hierarchy of the values with records. Counts are by code; bins
// is how many bins a discretized attribute has at most.
func NewValueTree(a *Attribute, counts []uint64, bins int) *ValueTree {
	t := &ValueTree{attribute: a, leaf: make([]int32, a.Len())}
	for code := range t.leaf {
		t.leaf[code] = noLeaf
	}
	switch a.Mask {
	case Generalize:
		t.growTaxonomy(counts)
	case Discretize:
		t.growBins(counts, bins)
	case Suppress:
		t.growFlat(counts)
	}
	t.findLeaves(counts)
	return t
}

// open adds a node under a parent; close ends its subtree.
func (t *ValueTree) open(parent, lo, hi int) int {
	n := valueNode{parent: int32(parent), lo: int32(lo), hi: int32(hi)}
	if parent >= 0 {
		n.depth = t.nodes[parent].depth + 1
	}
	t.nodes = append(t.nodes, n)
	return len(t.nodes) - 1
}

func (t *ValueTree) close(n int) { t.nodes[n].end = int32(len(t.nodes)) }

func (t *ValueTree) addLeaf(parent, lo, hi int) { t.close(t.open(parent, lo, hi)) }

// openRoot adds the root, which covers all codes.
func (t *ValueTree) openRoot() { t.open(-1, 0, t.attribute.Len()) }

// closeRoot adds the null's leaf, if there are other nodes and nulls, and ends the root.
func (t *ValueTree) closeRoot(split bool, counts []uint64) {
	if null := len(counts) - 1; split && t.attribute.HasNull && counts[null] > 0 {
		t.addLeaf(0, null, null+1)
	}
	t.close(0)
}

// findLeaves tells codes with records their leaves.
func (t *ValueTree) findLeaves(counts []uint64) {
	for i, n := range t.nodes {
		if !t.IsLeaf(i) {
			continue
		}
		for code := n.lo; code < n.hi; code++ {
			if counts[code] > 0 {
				t.leaf[code] = int32(i)
			}
		}
	}
}

func (t *ValueTree) growFlat(counts []uint64) {
	t.openRoot()
	for code, n := range counts {
		if n > 0 {
			t.addLeaf(0, code, code+1)
		}
	}
	t.close(0)
}

func (t *ValueTree) growTaxonomy(counts []uint64) {
	before := make([]uint64, len(counts)+1) // records of smaller codes
	for code, n := range counts {
		before[code+1] = before[code] + n
	}
	tree := t.attribute.Tree
	var grow func(taxon, parent int)
	grow = func(taxon, parent int) {
		for _, c := range tree.Children(taxon) {
			lo, hi := tree.Range(c)
			if before[lo] == before[hi] {
				continue
			}
			n := t.open(parent, lo, hi)
			t.nodes[n].taxon = int32(c)
			grow(c, n)
			t.close(n)
		}
	}
	t.openRoot()
	grow(0, 0)
	t.closeRoot(!tree.IsLeaf(0), counts)
}

// Len returns the number of nodes.
func (t *ValueTree) Len() int { return len(t.nodes) }

// Parent returns the parent of node n, -1 for the root.
func (t *ValueTree) Parent(n int) int { return int(t.nodes[n].parent) }

// Depth returns how many nodes are above node n.
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

// IsInterval reports whether node n is one of a discretized attribute, and not the null.
func (t *ValueTree) IsInterval(n int) bool { return t.attribute.Mask == Discretize && !t.isNull(n) }

// Interval returns the interval of a node that is one.
func (t *ValueTree) Interval(n int) Interval {
	lo, hi := t.Range(n)
	return t.attribute.Interval(lo, min(hi, len(t.attribute.Texts)))
}

// isNull reports whether node n is the null's leaf.
func (t *ValueTree) isNull(n int) bool {
	return n > 0 && t.attribute.HasNull && int(t.nodes[n].lo) == t.attribute.Len()-1
}

// Cut returns the cut through the given nodes, ascending, exactly one on the path to every
// leaf. Of a taxonomy, what no record is under stays as coarse as the nodes allow.
func (t *ValueTree) Cut(nodes []int) ColumnCut {
	switch t.attribute.Mask {
	case Generalize:
		return CutTree(t.attribute, t.taxons(nodes))
	case Discretize:
		return CutIntervals(t.attribute, t.starts(nodes))
	}
	var disclosed []int
	for _, n := range nodes {
		if n > 0 {
			disclosed = append(disclosed, int(t.nodes[n].lo))
		}
	}
	return CutSuppressed(t.attribute, disclosed)
}

// starts returns where the nodes' intervals start.
func (t *ValueTree) starts(nodes []int) []int {
	var starts []int
	for _, n := range nodes {
		if !t.isNull(n) {
			starts = append(starts, int(t.nodes[n].lo))
		}
	}
	return starts
}

// taxons returns the cut through the nodes' taxons, and those beside them that are empty.
func (t *ValueTree) taxons(nodes []int) []int {
	tree := t.attribute.Tree
	above := make([]bool, tree.Len()) // by taxon: a node of the cut is below
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
