package recheck

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine/enginetest"
)

// TestRegionIndex compares with a look at every region.
func TestRegionIndex(t *testing.T) {
	enginetest.Cases(t, 200, func(rand *rand.Rand) {
		columns, labels := 1+rand.IntN(4), 1+rand.IntN(5)
		var released []uint32
		for range rand.IntN(30) * columns {
			released = append(released, uint32(rand.IntN(labels)))
		}
		index := NewRegionIndex(columns, released)
		for range 20 {
			allowed := make([][]uint32, columns)
			for a := range allowed {
				for label := range labels {
					if rand.IntN(2) == 0 {
						allowed[a] = append(allowed[a], uint32(label))
					}
				}
			}
			want := int32(-1)
		region:
			for region := 0; region*columns < len(released) && want < 0; region++ {
				for a, label := range released[region*columns:][:columns] {
					if !slices.Contains(allowed[a], label) {
						continue region
					}
				}
				want = int32(region)
			}
			if got := index.First(allowed); got != want {
				t.Fatalf("%v in %v: region %d, want %d", allowed, released, got, want)
			}
		}
	})
}
