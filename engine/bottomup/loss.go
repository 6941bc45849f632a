package bottomup

import (
	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// losses returns what the generalization to every node loses (section 3): I(G) is the
// entropy of the classes in the node's records, less that in its children's, each weighted
// with its share of them. A leaf's is 0.
func losses(tree *engine.ValueTree, h *partition.Histogram, loss Loss) []float64 {
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
		if loss == Size {
			lost[node] *= size / float64(sizes[0])
		}
	}
	return lost
}

// impurities returns the number of records of every node and the entropy of their classes.
func impurities(tree *engine.ValueTree, h *partition.Histogram) (sizes []uint64, entropies []float64) {
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
