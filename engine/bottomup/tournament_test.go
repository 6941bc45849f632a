package bottomup

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestTournamentAgreesWithList(t *testing.T) {
	seed := rand.Uint64()
	for _, n := range []int{1, 2, 3, 7, 8, 100} {
		r := rand.New(rand.NewPCG(seed, uint64(n)))
		tournament, list := newTournament(n), slices.Repeat([]float64{math.Inf(1)}, n)
		for range 10 * n {
			place := r.IntN(n)
			list[place] = float64(r.IntN(5))
			if r.IntN(3) == 0 {
				list[place] = math.Inf(1)
			}
			tournament.set(place, list[place])
			least := slices.Min(list)
			if tournament.min() != least {
				t.Fatalf("seed %d: the least of %v is %f", seed, list, tournament.min())
			}
			bound := least + float64(r.IntN(3))
			first := slices.IndexFunc(list, func(x float64) bool { return x <= bound })
			if got := tournament.first(bound); got != first {
				t.Fatalf("seed %d: the first up to %f of %v is %d", seed, bound, list, got)
			}
		}
	}
}
