package partition

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/internal/seedtest"
)

func TestIndexAgreesWithList(t *testing.T) {
	seed := seedtest.Seed(t)
	for _, domains := range [][]int{{1}, {3, 5}, {1 << 30, 1 << 30, 1 << 30}} {
		for _, n := range []int{0, 1, 2, 100, 3000} {
			r := rand.New(rand.NewPCG(seed, uint64(n)))
			layout := NewLayout(domains)
			index, grown := NewIndex(layout, n), NewIndex(layout, 0)
			var keys [][]uint64
			number := func(key []uint64) int {
				return slices.IndexFunc(keys, func(k []uint64) bool { return slices.Equal(k, key) })
			}
			draw := randomTable(r, 2*n+1, domains, layout)
			for i := range draw.Counts {
				key := draw.Keys[i*layout.Words:][:layout.Words]
				if got := index.Find(key); got != number(key) {
					t.Fatalf("seed %d: found %d, want %d", seed, got, number(key))
				}
				if len(keys) == n {
					continue
				}
				if number(key) < 0 {
					keys = append(keys, key)
				}
				if got := index.Add(key); got != number(key) || index.Len() != len(keys) ||
					!slices.Equal(index.Key(got), key) {
					t.Fatalf("seed %d: added as %d of %d, want %d of %d",
						seed, got, index.Len(), number(key), len(keys))
				}
				if got := grown.Add(key); got != number(key) || grown.Len() != len(keys) {
					t.Fatalf("seed %d: added as %d of %d without room, want %d of %d",
						seed, got, grown.Len(), number(key), len(keys))
				}
			}
			if got := int64(8*cap(index.keys) + 4*len(index.slots)); got != IndexBytes(layout, n) {
				t.Errorf("%d keys take %d bytes, not %d", n, got, IndexBytes(layout, n))
			}
		}
	}
}
