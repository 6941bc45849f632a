package partition

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/internal/seedtest"
)

func TestPairsMergeAsInMap(t *testing.T) {
	seed := seedtest.Seed(t)
	for i := range 500 {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		n, codes, classes := rng.IntN(200), 1+rng.IntN(1<<rng.IntN(9)), 1+rng.IntN(5)
		newCodes, newClasses := randomImages(rng, codes), randomImages(rng, classes)
		var given Pairs
		for range n {
			code, class := rng.Uint32N(uint32(codes)), rng.Uint32N(uint32(classes))
			given = append(given, Pair{code, class, 1 + rng.Uint64N(9)})
		}
		for name, got := range map[string]Pairs{
			"merged":          slices.Clone(given).Merge(),
			"merged again":    slices.Clone(given).Merge().Merge(),
			"codes":           slices.Clone(given).Translate(newCodes, nil),
			"classes":         slices.Clone(given).Merge().Translate(nil, newClasses),
			"codes and class": slices.Clone(given).Translate(newCodes, newClasses),
		} {
			want := make(map[[2]uint32]uint64)
			for _, pair := range given {
				if name == "codes" || name == "codes and class" {
					pair.Code = newCodes[pair.Code]
				}
				if name == "classes" || name == "codes and class" {
					pair.Class = newClasses[pair.Class]
				}
				want[[2]uint32{pair.Code, pair.Class}] += pair.Count
			}
			if !slices.IsSortedFunc(got, comparePairs) || len(got) != len(want) {
				t.Fatalf("seed %d: %s: %v are not the %d pairs in order of %v",
					seed, name, got, len(want), given)
			}
			for _, pair := range got {
				if n := want[[2]uint32{pair.Code, pair.Class}]; n != pair.Count {
					t.Fatalf("seed %d: %s: %v has %d records, of %v", seed, name, pair, n, given)
				}
			}
		}
	}
}

// randomImages returns a map of the numbers below n, sometimes to much larger numbers.
func randomImages(rng *rand.Rand, n int) []uint32 {
	images := make([]uint32, n)
	for i := range images {
		images[i] = rng.Uint32N(uint32(1 + rng.IntN(4*n)))
	}
	return images
}
