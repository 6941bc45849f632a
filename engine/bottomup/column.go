package bottomup

import (
	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// column is the cut of one attribute.
type column struct {
	tree     *engine.ValueTree
	loss     []float64 // by node: information lost by generalizing its children to it
	inCut    []bool    // by node
	outside  []int32   // by node: number of its children that are not in the cut
	children []int32   // by node: number of its children
	leaves   []int32   // by code: its leaf, or -1 where no record has it
	first    int       // number of the root among the nodes of all columns
	retired  bool      // no set with the column is open
}

// newColumn returns the column with its raw values as the cut.
func newColumn(a *engine.Attribute, h *partition.Histogram, e Engine) *column {
	tree := engine.NewValueTree(a, h.Sizes(), e.Bins)
	n := tree.Len()
	c := &column{
		tree: tree, loss: losses(tree, h, e.Weighted),
		inCut: make([]bool, n), outside: make([]int32, n), children: make([]int32, n),
	}
	for node := range n {
		if p := tree.Parent(node); p >= 0 {
			c.children[p]++
			c.outside[p]++
		}
	}
	for node := range n {
		if tree.IsLeaf(node) {
			c.enter(node)
		}
	}
	for code := range a.Len() {
		c.leaves = append(c.leaves, int32(tree.Leaf(code)))
	}
	return c
}

// enter adds a node to the cut. It returns the node to which a generalization thereby becomes
// valid, or -1.
func (c *column) enter(node int) (valid int32) {
	c.inCut[node] = true
	if p := c.tree.Parent(node); p >= 0 {
		c.outside[p]--
	}
	return c.up(int32(node))
}

// generalize replaces the children of a node by the node. It returns the same as enter.
func (c *column) generalize(node int) (valid int32) {
	for _, child := range c.tree.Children(node) {
		c.inCut[child] = false
	}
	return c.enter(node)
}

// up returns the parent of a node of the cut if generalizing to it is valid, or -1.
func (c *column) up(node int32) int32 {
	p := c.tree.Parent(int(node))
	if p < 0 || c.outside[p] > 0 {
		return -1
	}
	return int32(p)
}

// isValid reports whether the children of a node can be generalized to it.
func (c *column) isValid(node int) bool {
	return c.children[node] > 0 && c.outside[node] == 0 && !c.inCut[node]
}

// cut returns the nodes of the cut, in preorder.
func (c *column) cut() (nodes []int32) {
	for node, in := range c.inCut {
		if in {
			nodes = append(nodes, int32(node))
		}
	}
	return nodes
}

// above returns the node of the cut on the path from a node to the root.
func (c *column) above(node int32) int32 {
	for !c.inCut[node] {
		node = int32(c.tree.Parent(int(node)))
	}
	return node
}

// losses returns the information lost by generalizing to every node (section 3): I(G) is the
// entropy of the classes in the node's records, minus that in its children's, each weighted with
// its share of them. It is 0 for a leaf.
func losses(tree *engine.ValueTree, h *partition.Histogram, weighted bool) []float64 {
	sizes, entropies := impurities(tree, h)
	lost := make([]float64, tree.Len())
	for node := range lost {
		if tree.IsLeaf(node) {
			continue
		}
		rest, size := 0.0, float64(sizes[node])
		for _, c := range tree.Children(node) {
			rest += float64(float64(sizes[c]) / size * entropies[c])
		}
		lost[node] = entropies[node] - rest
		if weighted {
			lost[node] *= size / float64(sizes[0])
		}
	}
	return lost
}

// impurities returns the number of records of every node and the entropy of their classes.
func impurities(tree *engine.ValueTree, h *partition.Histogram) (sizes []uint64,
	entropies []float64) {
	sizes, entropies = make([]uint64, tree.Len()), make([]float64, tree.Len())
	frequencies := make([]uint64, h.Classes)
	for node := range sizes {
		clear(frequencies)
		lo, hi := tree.Range(node)
		for i := h.Start[lo]; i < h.Start[hi]; i++ {
			frequencies[h.Class[i]] += h.Count[i]
			sizes[node] += h.Count[i]
		}
		entropies[node] = engine.Entropy(frequencies, sizes[node])
	}
	return sizes, entropies
}
