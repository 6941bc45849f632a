package iac

import (
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// level is one level of an attribute's hierarchy: the nodes of one depth, and the leaves
// above it (full-domain generalization).
type level struct {
	tree      *engine.ValueTree
	histogram *partition.Histogram
	nodes     []int // in domain order
}

// bestLevel returns the level with the largest normalized mutual information with the class, the
// most specific if there are several (section 3.1). The root is a level only where there is no
// other.
func (e Engine) bestLevel(a *engine.Attribute, h *partition.Histogram) level {
	tree := engine.NewValueTree(a, h.Sizes(), e.Bins)
	var best engine.Best[level]
	best.Reset(1)
	for depth := tree.Height(); depth >= min(1, tree.Height()); depth-- {
		l := level{tree: tree, histogram: h, nodes: nodesAt(tree, depth)}
		best.Offer(-inform(l.counts()).normalized(), l)
	}
	chosen, _ := best.First()
	return chosen
}

// nodesAt returns the nodes of a depth, and the leaves above it.
func nodesAt(tree *engine.ValueTree, depth int) (nodes []int) {
	for n := range tree.Len() {
		if d := tree.Depth(n); d == depth || d < depth && tree.IsLeaf(n) {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// merge numbers the level's nodes. Codes under no node, which no record has, get one more number.
func (l level) merge() engine.CodeMerge {
	none := uint32(len(l.nodes))
	c := engine.CodeMerge{
		Codes:  slices.Repeat([]uint32{none}, l.histogram.Len()),
		Domain: len(l.nodes),
	}
	for i, n := range l.nodes {
		lo, hi := l.tree.Range(n)
		for code := lo; code < hi; code++ {
			c.Codes[code] = uint32(i)
		}
	}
	if slices.Contains(c.Codes, none) {
		c.Domain++
	}
	return c
}

// counts returns the class frequencies of the level's nodes.
func (l level) counts() frequencies {
	f := newFrequencies(len(l.nodes), l.histogram.Classes)
	for i, n := range l.nodes {
		lo, hi := l.tree.Range(n)
		for j := l.histogram.Start[lo]; j < l.histogram.Start[hi]; j++ {
			f.add(i, int(l.histogram.Class[j]), l.histogram.Count[j])
		}
	}
	return f
}

// frequencies are the numbers of records of an attribute, by value and class.
type frequencies struct {
	classes int
	counts  []uint64
	sizes   []uint64 // by value
	all     []uint64 // by class
	total   uint64
}

func newFrequencies(values, classes int) frequencies {
	return frequencies{
		classes: classes, counts: make([]uint64, values*classes),
		sizes: make([]uint64, values), all: make([]uint64, classes),
	}
}

func (f *frequencies) add(value, class int, n uint64) {
	f.counts[value*f.classes+class] += n
	f.sizes[value] += n
	f.all[class] += n
	f.total += n
}

// information is the information of an attribute: its own, H(A), and that about the class, I(A;C).
type information struct {
	own, class, mutual float64
}

// inform measures the attribute's records (section 3.1). Without records it returns 0.
func inform(f frequencies) information {
	if f.total == 0 {
		return information{}
	}
	i := information{own: engine.Entropy(f.sizes, f.total), class: engine.Entropy(f.all, f.total)}
	left := 0.0
	for v, size := range f.sizes {
		if size > 0 {
			share := float64(size) / float64(f.total)
			left += float64(share * engine.Entropy(f.counts[v*f.classes:(v+1)*f.classes], size))
		}
	}
	i.mutual = i.class - left
	return i
}

// normalized returns I_N, 0 for an attribute with one value.
func (i information) normalized() float64 {
	if i.own <= 0 {
		return 0
	}
	return i.mutual / i.own
}
