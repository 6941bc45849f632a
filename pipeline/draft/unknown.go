package draft

import (
	"math"
	"slices"
	"strings"
)

const (
	// unknownShare is the least share of the rows with a number that looks like a code for unknown,
	// and mostUnknownCodes the largest number of such codes.
	unknownShare     = 0.005
	mostUnknownCodes = 4
	// leastMeasured is the number of values from which numbers are measurements or counts: -1 next
	// to fewer may be one of them.
	leastMeasured = 10
	// leastGap is the least distance of such a number from the others: 9 may be one more than 8.
	leastGap = 3
)

// The reasons of columns with numbers that look like codes for unknown.
const (
	largestUnknown = "; its largest values look like a code for unknown"
	leastUnknown   = "; its least values look like a code for unknown"
)

// unknownOf finds in sorted numbers the largest or the least ones that look like codes for unknown,
// as surveys have 99 or -9: they hold some rows, and are as far from the others as these are from
// each other, or they are the only ones below 1, or below 0 and next to many others.
func unknownOf(sorted []float64) string {
	values := slices.Compact(slices.Clone(sorted))
	n := len(values)
	held := func(rows int) bool { return float64(rows) >= unknownShare*float64(len(sorted)) }
	for codes := 1; codes <= mostUnknownCodes && n-codes >= 2 &&
		isUnknown(values[n-codes], values[n-1]); codes++ {
		first, _ := slices.BinarySearch(sorted, values[n-codes])
		known := values[n-codes-1]
		if gap := values[n-codes] - known; gap >= known-values[0] && gap >= leastGap &&
			held(len(sorted)-first) {
			return largestUnknown
		}
	}
	for codes := 1; codes <= mostUnknownCodes && n-codes >= 2 && values[codes-1] < 0 &&
		isUnknown(values[codes-1], values[0]); codes++ {
		end, _ := slices.BinarySearch(sorted, values[codes])
		known := values[codes]
		gap := known - values[codes-1]
		if held(end) && (gap >= values[n-1]-known && gap >= leastGap || known > 0 ||
			known == 0 && n-codes > leastMeasured) {
			return leastUnknown
		}
	}
	return ""
}

// isUnknown reports whether a number has the form of a code for unknown, with as many digits as
// another one: 9 or 8 or 7 in all places, or 9 in all but the last one, as 97 and 998, or -1.
func isUnknown(x, like float64) bool {
	if x == -1 {
		return true
	}
	text := roundText(math.Abs(x))
	if len(text) != len(roundText(math.Abs(like))) {
		return false
	}
	last := text[len(text)-1]
	return last >= '6' && last <= '9' && len(text) > 1 &&
		strings.Trim(text[:len(text)-1], "9") == "" ||
		last >= '7' && last <= '9' && strings.Trim(text, string(last)) == ""
}
