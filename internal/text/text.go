// Package text writes numbers as people read them.
package text

import (
	"fmt"
	"strconv"
)

// Grouped writes a number with a comma between groups of three digits.
func Grouped(n int64) string {
	digits, first := strconv.FormatInt(n, 10), 0
	if n < 0 {
		first = 1
	}
	for i := len(digits) - 3; i > first; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Count says how many there are of something that takes an s when there are several: "1 row",
// "1,234 rows".
func Count[N int | int64 | uint64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return Grouped(int64(n)) + " " + what + "s"
}

// Percent writes a share in percent with one digit after the point.
func Percent(share float64) string {
	if share > 0 && share < 0.0005 {
		return "< 0.1 %"
	}
	return fmt.Sprintf("%.1f %%", 100*share)
}
