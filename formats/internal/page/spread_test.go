package page

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSpread compares entries with those that are written down one by one.
func TestSpread(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		highest, fullness := 1+r.IntN(2), r.Float64()
		ofLevel := []uint32{77, 88, 99}[:highest+1]
		var levels []byte
		var values, want []uint32
		for range r.IntN(60) {
			level := highest
			if r.Float64() > fullness {
				level = r.IntN(highest)
			}
			levels, want = append(levels, byte(level)), append(want, ofLevel[level])
			if level == highest {
				want[len(want)-1] = uint32(len(values))
				values = append(values, uint32(len(values)))
			}
		}
		codes := append(slices.Clone(values), make([]uint32, len(levels)-len(values))...)
		if Spread(codes, levels, len(values), ofLevel); !slices.Equal(codes, want) {
			t.Fatalf("levels %v: %v, want %v", levels, codes, want)
		}
	}
}
