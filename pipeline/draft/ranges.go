package draft

import (
	"math"
	"strconv"
	"strings"
)

// mostEdges is how many ranges a draft has, about.
const mostEdges = 8

// roundRanges is a generator of ranges with round ends that cover the numbers from low to
// high. The ends depend on the order of magnitude only: they are no values of the data.
func roundRanges(low, high float64) string {
	step := roundUp((high - low) / mostEdges)
	first := math.Floor(low / step)
	var edges []string
	for i := first; i*step <= high || len(edges) < 2; i++ {
		edges = append(edges, plain(i*step))
	}
	return "{ranges: [" + strings.Join(edges, ", ") + "]}"
}

// roundUp returns the next number that is 1, 2 or 5 times a power of ten.
func roundUp(x float64) float64 {
	if x <= 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, digit := range []float64{1, 2, 5} {
		if x <= digit*power {
			return digit * power
		}
	}
	return 10 * power
}

// plain writes a number without an exponent and without the noise of its last bits.
func plain(x float64) string {
	text := strconv.FormatFloat(x, 'f', 12, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
