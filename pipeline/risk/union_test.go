package risk

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The order of pairs is total: whatever order they come in, the worst are the same ones.
func TestOrderOfPairs(t *testing.T) {
	want := []Pair{
		{Sets: [2]int{3, 4}, K: 9, Below: 0.5},
		{Sets: [2]int{2, 4}, K: 5, Below: 0.2, Unique: 0.1},
		{Sets: [2]int{2, 3}, K: 7, Below: 0.2, Unique: 0.1},
		{Sets: [2]int{1, 2}, K: 2, Below: 0.2},
		{Sets: [2]int{1, 5}, K: 2, Below: 0.2},
		{Sets: [2]int{3, 5}, K: 2, Below: 0.2},
		{Sets: [2]int{1, 3}, K: 3, Below: 0.2},
		{Sets: [2]int{1, 4}, K: 2},
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		got := slices.Clone(want)
		rng.Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
		if slices.SortFunc(got, Pair.Compare); !slices.Equal(got, want) {
			t.Fatalf("%+v, want %+v", got, want)
		}
	}
}
