package recheck

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine/enginetest"
)

// Holding returns the same labels as a linear search.
func TestIntervals(t *testing.T) {
	enginetest.Cases(t, 200, func(r *rand.Rand) {
		interval := func() Interval {
			low := r.Int32N(40)
			return Interval{Low: low, High: low + r.Int32N(40-low)}
		}
		var list []Interval
		for label := range uint32(r.IntN(60)) {
			i := interval()
			i.Label = label
			list = append(list, i)
		}
		all := slices.Clone(list)
		x := NewIntervals(list)
		for range 50 {
			of := interval()
			var want []uint32
			for _, i := range all {
				if i.Low <= of.Low && of.High <= i.High {
					want = append(want, i.Label)
				}
			}
			if got := x.Holding(of.Low, of.High); !slices.Equal(got, want) {
				t.Fatalf("%v hold %v, want %v of %v", got, of, want, all)
			}
		}
	})
}
