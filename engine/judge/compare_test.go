package judge

import (
	"math"
	"testing"
)

// A sample has about the wanted number of rows, or all.
func TestSampler(t *testing.T) {
	const rows = 100_000
	for _, n := range []uint64{1000, 50_000, rows, 2 * rows} {
		take, taken := Sampler(n), uint64(0)
		for row := range uint64(rows) {
			taken += take(row, 1, rows)
		}
		if want := float64(min(n, rows)); math.Abs(float64(taken)-want) > 4*math.Sqrt(want) ||
			n >= rows && taken < rows {
			t.Errorf("%d rows are taken, want %g", taken, want)
		}
		taken = 0
		for row := range uint64(1000) {
			taken += take(row<<24, 1<<24, 1000<<24)
		}
		if want := min(n, 1000<<24); max(taken, want)-min(taken, want) > 200 {
			t.Errorf("%d rows are taken of many that are alike, want %d", taken, want)
		}
	}
}
