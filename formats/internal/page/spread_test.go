package page

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSpread compares the result with entries that are written one by one.
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

// BenchmarkSpread spreads the codes of a step of rows, some of which are null.
func BenchmarkSpread(b *testing.B) {
	const rows = 1 << 13
	for _, nulls := range []float64{0.01, 0.05, 0.5} {
		r := rand.New(rand.NewPCG(1, 2))
		codes, levels, values := make([]uint32, rows), make([]byte, rows), 0
		for i := range levels {
			if r.Float64() >= nulls {
				levels[i] = 1
				values++
			}
		}
		b.Run(fmt.Sprintf("nulls=%v", nulls), func(b *testing.B) {
			for b.Loop() {
				Spread(codes, levels, values, []uint32{0, 1})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
		})
	}
}
