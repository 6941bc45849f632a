package domain

import (
	"math/rand/v2"
	"testing"
)

func TestBinStartsAreQuantileEdges(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 300 {
		var found []occurrence
		var total uint64
		for range 1 + rng.IntN(60) {
			n := 1 + rng.Uint64N(1<<rng.IntN(8))
			found, total = append(found, occurrence{records: n}), total+n
		}
		limit := 1 + rng.IntN(40)
		// The definition, word for word: bin i starts at the first value below which at least
		// i/limit of the records lie.
		want := make(map[int]bool)
		for i := range limit {
			below := uint64(0)
			for at, o := range found {
				if below*uint64(limit) >= uint64(i)*total {
					want[at] = true
					break
				}
				below += o.records
			}
		}
		if len(found) <= limit {
			for at := range found {
				want[at] = true
			}
		}
		got := binStarts(found, limit)
		if len(got) != len(want) {
			t.Fatalf("%d values, limit %d: %d bins, want %d", len(found), limit, len(got), len(want))
		}
		for _, at := range got {
			if !want[at] {
				t.Fatalf("%d values, limit %d: a bin starts at value %d", len(found), limit, at)
			}
		}
	}
}
