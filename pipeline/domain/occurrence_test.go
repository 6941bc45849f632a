package domain

import (
	"cmp"
	"slices"
	"testing"

	"github.com/kcut/kcut/formats/formatstest"
)

func TestOccurrencesAreOrderedByKey(t *testing.T) {
	rng := formatstest.Rand(t)
	for range 500 {
		keys := make([]uint64, rng.IntN(300))
		found := make([]occurrence, len(keys))
		mask, common := rng.Uint64()&rng.Uint64()&rng.Uint64(), rng.Uint64()
		for i := range keys {
			keys[i] = common ^ rng.Uint64()&mask>>rng.IntN(60)
			found[i] = occurrence{provisional: uint32(i), first: rng.Uint32N(4)}
		}
		compare := func(a, b occurrence) int {
			return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.provisional, b.provisional))
		}
		want := slices.SortedFunc(slices.Values(found), func(a, b occurrence) int {
			return cmp.Or(cmp.Compare(keys[a.provisional], keys[b.provisional]), compare(a, b))
		})
		sortOccurrences(found, func(o *occurrence) uint64 { return keys[o.provisional] }, compare)
		if !slices.Equal(found, want) {
			t.Fatalf("keys %x: got %v, want %v", keys, found, want)
		}
	}
}
