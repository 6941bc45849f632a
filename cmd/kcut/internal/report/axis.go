package report

import (
	"fmt"
	"math"
	"slices"
)

// scale maps from..to linearly to first..last.
func scale(v, from, to, first, last float64) float64 {
	if to == from {
		return first
	}
	return first + (v-from)/(to-from)*(last-first)
}

func coordinate(v float64) string { return fmt.Sprintf("%.1f", v) }

// ticks returns round numbers from 0 to most: at most count of them, and 0.
func ticks(most float64, count int) (at []float64) {
	step := math.Pow10(int(math.Floor(math.Log10(most / float64(count)))))
	for _, factor := range []float64{1, 2, 5, 10} {
		if most <= step*factor*float64(count) {
			step *= factor
			break
		}
	}
	for i := 0; float64(i)*step <= most; i++ {
		at = append(at, float64(i)*step)
	}
	return at
}

// logEnds returns the ends of a logarithmic axis for some values; they are positive and different.
func logEnds(values []float64) (left, right float64) {
	right = slices.Max(values)
	left = right
	for _, v := range values {
		if v > 0 {
			left = min(left, v)
		}
	}
	if left <= 0 {
		return 1, 10
	}
	if left == right {
		return left / 2, right * 2
	}
	return left, right
}

// logTicks returns 1, 2 and 5 times powers of ten between two numbers: if these are too many, only
// powers; if they are too few, round numbers at equal distances.
func logTicks(left, right float64) (at []float64) {
	for _, factors := range [][]float64{{1, 2, 5}, {1}} {
		at = at[:0]
		for power := math.Floor(math.Log10(left)); power <= math.Log10(right); power++ {
			for _, f := range factors {
				if v := f * math.Pow10(int(power)); v >= left*(1-1e-9) && v <= right*(1+1e-9) {
					at = append(at, v)
				}
			}
		}
		if len(at) <= chartTicks+3 {
			break
		}
	}
	if len(at) < 2 {
		outside := func(v float64) bool { return v < left || v > right }
		return slices.DeleteFunc(roundBetween(left, right), outside)
	}
	return at
}

// roundBetween returns round numbers at equal distances, the first not above low and the last not
// below high.
func roundBetween(low, high float64) (at []float64) {
	if high-low < 1e-9 {
		low, high = low-0.5, high+0.5
	}
	step := math.Pow10(int(math.Floor(math.Log10((high - low) / chartTicks))))
	for _, factor := range []float64{1, 2, 5, 10} {
		if high-low <= step*factor*chartTicks {
			step *= factor
			break
		}
	}
	for i := math.Floor(low / step); ; i++ {
		at = append(at, i*step)
		if i*step >= high-step*1e-9 {
			return at
		}
	}
}
