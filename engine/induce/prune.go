package induce

import (
	"math"
	"slices"
)

// The constants of pessimistic pruning.
const (
	confidence = 0.25 // C4.5's CF: the smaller, the more is pruned
	patience   = 0.1  // errors by which a leaf may be worse
)

// Prune returns the tree without the subtrees that are not expected to err less than a leaf
// in their place (pessimistic pruning, by replacement alone).
func (t *Tree) Prune() *Tree {
	replaced, last := t.replaced()
	p := &Tree{columns: t.columns}
	to, links := make([]int32, len(t.nodes)), make([]int32, len(t.nodes)) // in p
	open := []int{none}
	for n := 0; n < len(t.nodes); n++ {
		node := &t.nodes[n]
		for ; open[len(open)-1] != int(node.parent); open = open[:len(open)-1] {
			p.close(int(to[open[len(open)-1]]))
		}
		parent := int32(none)
		if node.parent != none {
			parent = to[node.parent]
		}
		classes, counts := t.Classes(n)
		to[n] = int32(p.open(parent, links[n], node.size, classes, counts))
		switch {
		case replaced[n]:
			n = last[n]
		case node.column != none:
			open = append(open, n)
			p.repeat(int(to[n]), t, n, links)
		}
	}
	return p
}

// repeat makes a leaf test what node n of another tree does, and notes the links to its
// children.
func (t *Tree) repeat(leaf int, from *Tree, n int, links []int32) {
	var branches []uint32
	for i, l := range from.linksOf(n) {
		branches = append(branches, l.branch)
		links[l.node] = int32(len(t.links) + i)
	}
	column, split := from.Test(n)
	t.test(leaf, column, split, branches)
}

// replaced tells which inner nodes become leaves, and of every node the last one below it.
func (t *Tree) replaced() (replaced []bool, last []int) {
	replaced, last = make([]bool, len(t.nodes)), make([]int, len(t.nodes))
	errors := make([]float64, len(t.nodes)) // that are expected below a node
	for n := len(t.nodes) - 1; n >= 0; n-- {
		_, counts := t.Classes(n)
		leaf := expected(t.nodes[n].size, counts)
		if last[n] = n; t.IsLeaf(n) {
			errors[n] = leaf
			continue
		}
		for _, l := range t.linksOf(n) {
			errors[n] += errors[l.node]
			last[n] = last[l.node]
		}
		if leaf <= errors[n]+patience {
			replaced[n], errors[n] = true, leaf
		}
	}
	return replaced, last
}

// expected returns the errors that are expected of a leaf with so many records.
func expected(size uint64, counts []uint64) float64 {
	if len(counts) == 0 {
		return 0
	}
	errors := float64(size - slices.Max(counts))
	return errors + moreErrors(float64(size), errors)
}

// moreErrors returns by how much a leaf of n records with e errors is expected to err more:
// up to the end of the one-sided confidence interval.
func moreErrors(n, e float64) float64 {
	switch {
	case e == 0:
		return n * (1 - math.Pow(confidence, 1/n))
	case e+0.5 >= n:
		return max(n-e, 0)
	}
	z := math.Sqrt2 * math.Erfinv(1-2*confidence)
	f := (e + 0.5) / n
	r := (f + z*z/(2*n) + z*math.Sqrt(f/n-f*f/n+z*z/(4*n*n))) / (1 + z*z/n)
	return r*n - e
}
