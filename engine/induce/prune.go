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

// pruner replaces subtrees that are not expected to err less than a leaf in their place, as
// soon as they are grown (pessimistic pruning, by replacement alone): what was decided above
// them stays as it is, and no more is held than the tree in the end and one path down.
type pruner struct {
	tree   *Tree
	errors []float64 // that are expected below the nodes
}

// leaf is told of a leaf.
func (p *pruner) leaf(n int) {
	p.errors = append(p.errors[:n], p.expected(n))
}

// open is told of an inner node.
func (p *pruner) open(n int) { p.errors = append(p.errors[:n], 0) }

// close is told that an inner node is grown.
func (p *pruner) close(n int) {
	for _, l := range p.tree.linksOf(n) {
		p.errors[n] += p.errors[l.node]
	}
	if leaf := p.expected(n); leaf <= p.errors[n]+patience {
		p.errors[n] = leaf
		p.tree.fell(n)
	}
}

func (p *pruner) expected(n int) float64 {
	_, counts := p.tree.Classes(n)
	return expected(p.tree.nodes[n].size, counts)
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
