package mondrian

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine/enginetest"
)

// grow makes the link to a random part of a tree, and returns the regions that there are then.
func (t *tree) grow(rng *rand.Rand, link int32, regions, depth int) int {
	if depth == 0 || rng.IntN(4) == 0 {
		t.set(link, -1-int32(regions))
		return regions + 1
	}
	n, children := node{column: int32(rng.IntN(3)), at: uint32(rng.IntN(20))}, 2
	if rng.IntN(2) == 0 {
		children = 2 + rng.IntN(3)
		var spans []span
		for at := uint32(rng.IntN(3)); at < 20; {
			hi := at + 1 + uint32(rng.IntN(6))
			spans = append(spans, span{at, hi, uint32(rng.IntN(children))})
			at = hi + uint32(rng.IntN(3))
		}
		t.addSteps(&n, spans, uint32(rng.IntN(children)))
	}
	at := t.add(n, children)
	t.set(link, at)
	for child := range children {
		regions = t.grow(rng, t.nodes[at].links+int32(child), regions, depth-1)
	}
	return regions
}

// A tree that is made again of its numbers finds the same regions; fewer or more numbers are none.
func TestReadLocator(t *testing.T) {
	enginetest.Cases(t, 100, func(rng *rand.Rand) {
		grown := &tree{}
		grown.grow(rng, rootLink, 0, rng.IntN(6))
		numbers := grown.Numbers()
		read, err := ReadLocator(numbers)
		if err != nil {
			t.Fatal(err)
		}
		const n = 300
		codes := make([][]uint32, 3)
		for a := range codes {
			for range n {
				codes[a] = append(codes[a], uint32(rng.IntN(22)))
			}
		}
		got, want := make([]int32, n), make([]int32, n)
		read.Locate(n, codes, got)
		if grown.Locate(n, codes, want); !slices.Equal(got, want) {
			t.Fatalf("regions %v, want %v", got, want)
		}
		for _, other := range [][]uint32{numbers[:rng.IntN(len(numbers))], append(numbers, 0)} {
			if _, err := ReadLocator(other); err == nil {
				t.Errorf("%d of %d numbers are a tree", len(other), len(numbers))
			}
		}
	})
}
