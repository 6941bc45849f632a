package partition

import (
	"math/rand/v2"
	"testing"
)

// TestCountsWithoutAllocating counts rows that the counter has counted before: in an array, and
// with keys of one word and of two words.
func TestCountsWithoutAllocating(t *testing.T) {
	const rows = 20_000
	for _, domain := range []int{1 << 6, 1 << 16, 1 << 30} {
		rng := rand.New(rand.NewPCG(1, 2))
		codes := make([][]uint32, 3)
		for c := range codes {
			codes[c] = make([]uint32, rows)
			for i := range codes[c] {
				codes[c][i] = uint32(rng.IntN(min(domain, 200)))
			}
		}
		counter := NewCounter(make([]int, 3), Space{Budget: plenty()})
		add := func() {
			if err := counter.Add(rows, codes, []int{domain, domain, domain}); err != nil {
				t.Fatal(err)
			}
		}
		for range 20 {
			add()
		}
		// A bucket may still double now and then.
		if got := testing.AllocsPerRun(10, add); got > 60 {
			t.Errorf("domains of %d: %v allocations for %d rows", domain, got, rows)
		}
	}
}
