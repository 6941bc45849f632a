package iac

import (
	"math"
	"testing"
)

// TestNormalizedInformation: two values with the classes 0Y5N and 3Y1N are one table with the I_N
// of the paper's Example 1, 0.56.
func TestNormalizedInformation(t *testing.T) {
	for _, c := range []struct {
		counts       [][]uint64 // by value and class
		mutual, want float64
	}{
		{[][]uint64{{0, 5}, {3, 1}}, 0.5577, 0.5627},
		{[][]uint64{{2, 0}, {0, 2}}, 1, 1},
		{[][]uint64{{1, 1}, {1, 1}}, 0, 0},
		{[][]uint64{{3, 4}, {0, 0}}, 0, 0},
		{[][]uint64{{0, 0}}, 0, 0},
	} {
		f := newFrequencies(len(c.counts), 2)
		for value, counts := range c.counts {
			for class, n := range counts {
				f.add(value, class, n)
			}
		}
		got := inform(f)
		if math.Abs(got.mutual-c.mutual) > 5e-5 || math.Abs(got.normalized()-c.want) > 5e-5 {
			t.Errorf("%v: I is %f, I_N %f, want %f and %f", c.counts, got.mutual, got.normalized(),
				c.mutual, c.want)
		}
	}
}

// TestDivergence: the divergence is largest when one record of every value is left, even when some
// values have no record.
func TestDivergence(t *testing.T) {
	before := []uint64{4, 2, 2}
	for _, c := range []struct {
		after []uint64
		want  float64
	}{
		{[]uint64{4, 2, 2}, 0},
		{[]uint64{2, 2, 2}, 0.5},
		{[]uint64{1, 1, 1}, 1.5},
		{[]uint64{0, 0, 0}, 1.5},
		{nil, 1.5},
	} {
		if got := divergence(before, c.after, 8); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v: got %f, want %f", c.after, got, c.want)
		}
	}
}
