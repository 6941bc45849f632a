package classify

import (
	"math/rand/v2"
	"testing"
)

// Of more tuples than trees are fitted to, about as many as that are taken, and of no more all are.
func TestSampled(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, all := range []int{mostBoosted, mostBoosted + 1, 3 * mostBoosted} {
		taken := 0
		for range all {
			if isSampled([]uint32{r.Uint32N(1 << 20), r.Uint32N(1 << 20)}, all) {
				taken++
			}
		}
		if least := mostBoosted - 1500; all > mostBoosted &&
			(taken < least || taken > mostBoosted+1500) || all == mostBoosted && taken < all {
			t.Errorf("%d of %d are taken", taken, all)
		}
	}
}
