package partition

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPileNotesFragments notes records in fragments of random lengths: what varies is what
// varies in all of them together.
func TestPileNotesFragments(t *testing.T) {
	seed := rand.Uint64()
	for i := range 200 {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		table := randomTable(r, 2+r.IntN(40), []int{9, 70, 2}, NewLayout([]int{9 << r.IntN(30), 70 << r.IntN(30), 2}))
		n := table.Len()
		whole, p := describe(table, 0, n, table.size()), &pile{}
		for lo := 0; lo < n; {
			hi := lo + 1 + r.IntN(n-lo)
			size := uint64(0)
			for _, count := range table.Counts[lo:hi] {
				size += uint64(count)
			}
			p.note(describe(table, lo, hi, size))
			lo = hi
		}
		if p.records != n || p.size != table.size() || !slices.Equal(p.varying, whole.varying) {
			t.Fatalf("seed %d, case %d: got %d records of %d, varying %x, want %d of %d, %x",
				seed, i, p.size, p.records, p.varying, whole.size, whole.records, whole.varying)
		}
	}
}
