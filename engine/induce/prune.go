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

// prune is told of a leaf, or an inner node that is grown. It replaces a subtree that is not
// expected to err less than a leaf in its place, as soon as it is grown (pessimistic pruning, by
// replacement alone): what was decided above it stays as it is, and no more is held than the tree
// in the end and one path down.
func (g *grower) prune(n int) {
	t := g.tree
	_, counts := t.Classes(n)
	leaf := expected(t.nodes[n].size, counts)
	if t.IsLeaf(n) {
		g.errors = append(g.errors[:n], leaf)
		return
	}
	for _, l := range t.linksOf(n) {
		g.errors[n] += g.errors[l.node]
	}
	if leaf <= g.errors[n]+patience {
		g.errors[n] = leaf
		t.fell(n)
	}
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
