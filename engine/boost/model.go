package boost

import "math/bits"

// Model is the trees of one fit, round after round. No tree has more than 16 leaves. What a record's bin says of the leaves
// that it may be in is a bit a leaf; all bins together leave one.
type Model struct {
	trees  int                  // of a round
	bins   int                  // of all columns
	words  int                  // of a bin
	masks  []uint64             // by bin: the leaves of all trees, of four in a word
	values [][maxLeaves]float64 // by tree and leaf: what it adds to the score
}

const (
	maxLeaves = 16
	together  = 64 / maxLeaves // trees in a word
)

// treesOf returns how many trees a round adds: one a class, or of two classes one in all.
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

// modelBytes returns what a model takes.
func modelBytes(trees, rounds, bins int) int64 {
	return int64(trees*rounds+together)*maxLeaves*8 + int64(bins)*int64(trees*rounds/together+1)*8
}

// split splits a leaf of the last tree: records of bins of a column that go right get another leaf.
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

// score writes the scores of a record whose bins are given by column.
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
