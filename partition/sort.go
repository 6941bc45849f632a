package partition

import (
	"cmp"
	"sort"
)

// Sort puts the records of a table in memory in the order of their keys' words.
func (t *Table) Sort() { sort.Sort(byKey{t}) }

// byKey sorts a table.
type byKey struct{ *Table }

func (b byKey) key(i int) []uint64 { return b.Keys[i*b.Layout.Words : (i+1)*b.Layout.Words] }

func (b byKey) Less(i, j int) bool {
	other := b.key(j)
	for w, word := range b.key(i) {
		if c := cmp.Compare(word, other[w]); c != 0 {
			return c < 0
		}
	}
	return false
}

func (b byKey) Swap(i, j int) {
	b.Counts[i], b.Counts[j] = b.Counts[j], b.Counts[i]
	other := b.key(j)
	for w, word := range b.key(i) {
		b.key(i)[w], other[w] = other[w], word
	}
}
