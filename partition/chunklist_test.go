package partition

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/internal/seedtest"
)

// TestChunkListRecordsBlocks adds blocks of random lengths. The varying bits of the list are the
// varying bits of all records together.
func TestChunkListRecordsBlocks(t *testing.T) {
	seed := seedtest.Seed(t)
	for i := range 200 {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		layout := NewLayout([]int{9 << r.IntN(30), 70 << r.IntN(30), 2})
		table := randomTable(r, 2+r.IntN(40), []int{9, 70, 2}, layout)
		n := table.Len()
		whole, p := Summarize(table, table.Rows(0, n)), &ChunkList{}
		for lo := 0; lo < n; {
			hi := lo + 1 + r.IntN(n-lo)
			p.Summary.add(Summarize(table, table.Rows(lo, hi)))
			lo = hi
		}
		if p.Records != n || p.Size != table.Size() || !slices.Equal(p.Varying, whole.Varying) {
			t.Fatalf("seed %d, case %d: got %d records of %d, varying %x, want %d of %d, %x",
				seed, i, p.Size, p.Records, p.Varying, whole.Size, whole.Records, whole.Varying)
		}
	}
}
