package partition

import (
	"math/rand/v2"
	"testing"

	"github.com/kcut/kcut/spill"
	"github.com/kcut/kcut/spill/spilltest"
)

// TestPoolWritesThrough adds records to a list when there is neither memory nor anything
// that could make room.
func TestPoolWritesThrough(t *testing.T) {
	s := spilltest.NewMemoryStore()
	pool := NewPool(spill.NewBudget(1<<40), s, 10)
	table := randomTable(rand.New(rand.NewPCG(1, 1)), 5, []int{9}, NewLayout([]int{9}))
	p := &ChunkList{}
	for range 3 {
		if err := pool.Add(p, table.Block(Rows{Hi: 5, Size: 8})); err != nil {
			t.Fatal(err)
		}
	}
	if p.Records != 15 || p.Size != 24 || len(p.frames) != 0 || len(s.Sequences[p.sequences[0]]) != 3 {
		t.Errorf("got %+v, want three chunks in the store", p)
	}
}
