package boost

import "math/bits"

// Model holds the trees of one fit, round after round. No tree has more than 16 leaves. Each bin
// has a bit for every leaf that its records may be in; the bits of all bins of a record leave one
// leaf.
type Model struct {
	trees  int                  // number of trees of a round
	bins   int                  // number of bins of all columns
	words  int                  // number of words for a bin
	masks  []uint64             // by bin: the possible leaves of all trees, four trees in a word
	values [][maxLeaves]float64 // by tree and leaf: addition to the score
}

const (
	maxLeaves = 16
	together  = 64 / maxLeaves // number of trees in a word
)

// treesOf returns the number of trees in a round: one for each class, or one in all for two
// classes.
func treesOf(classes int) int {
	if classes == 2 {
		return 1
	}
	return classes
}

func newModel(trees, rounds, bins int) *Model {
	m := &Model{trees: trees, bins: bins, words: (trees*rounds + together - 1) / together}
	m.masks = make([]uint64, bins*m.words)
	for i := range m.masks { // every tree begins with one leaf
		m.masks[i] = 0x0001000100010001
	}
	return m
}

// modelBytes returns the memory of a model.
func modelBytes(trees, rounds, bins int) int64 {
	return int64(trees*rounds+together)*maxLeaves*8 + int64(bins)*int64(trees*rounds/together+1)*8
}

// split splits a leaf of the last tree: records with bins of a column that go right get another
// leaf.
func (m *Model) split(leaf, other int, from, to int, right *[maxBins]bool) {
	tree := len(m.values) - 1
	shift := maxLeaves * (tree % together)
	own, new := uint64(1)<<(shift+leaf), uint64(1)<<(shift+other)
	for bin := range m.bins {
		word := &m.masks[bin*m.words+tree/together]
		switch {
		case *word&own == 0:
		case bin < from || bin >= to:
			*word |= new
		case right[bin-from]:
			*word ^= own | new
		}
	}
}

// score writes the scores of a record, given by the bins of its columns.
func (m *Model) score(record []uint16, leaves []uint64, scores []float64) {
	leaves = leaves[:m.words]
	copy(leaves, m.masks[int(record[0])*m.words:])
	for _, bin := range record[1:] {
		masks := m.masks[int(bin)*m.words:][:len(leaves)]
		for i, mask := range masks {
			leaves[i] &= mask
		}
	}
	clear(scores)
	values, of := m.values, 0
	for _, word := range leaves {
		for range min(together, len(values)) {
			scores[of] += values[0][bits.TrailingZeros16(uint16(word))&(maxLeaves-1)]
			values, word = values[1:], word>>maxLeaves
			if of++; of == len(scores) {
				of = 0
			}
		}
	}
}
