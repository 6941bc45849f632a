package engine

import (
	"math/big"
	"strings"
)

// Interval is one interval of a discretized attribute. An end without a text is open.
type Interval struct {
	// in the notation of PostgreSQL's ranges, or plain; in a region also in a set with the null
	Label        string
	Lower, Upper string
	Lo, Hi       int // the codes of its numbers: Lo ≤ code < Hi; unknown in an earlier cut
}

// rangeText returns an interval in the notation of PostgreSQL's ranges.
func rangeText(lower, upper string, closed bool) string {
	opening, closing := "[", ")"
	if lower == "" {
		opening = "("
	}
	if closed {
		closing = "]"
	}
	return opening + lower + "," + upper + closing
}

// HasNull reports whether the label is a set of the interval and the null, as {[17,37)|\N}.
func (i Interval) HasNull() bool { return strings.HasSuffix(i.Label, nullMark+"}") }

// WithNull returns the interval with the label of its set with the null.
func (i Interval) WithNull() Interval {
	i.Label = SetLabel([]Label{{Text: i.Label}, {Null: true}}).Text
	return i
}

// labeled returns the text of a label that has the null if the interval's own has it.
func (i Interval) labeled(numbers string) string {
	if i.HasNull() {
		return Interval{Label: numbers}.WithNull().Label
	}
	return numbers
}

// Closed reports whether the upper end belongs to the interval.
func (i Interval) Closed() bool {
	numbers := Members(Label{Text: i.Label})[0].Text
	return i.Upper != "" && (strings.HasSuffix(numbers, "]") || numbers == i.Upper)
}

// Range returns the label in the notation of PostgreSQL's ranges.
func (i Interval) Range() string { return i.labeled(rangeText(i.Lower, i.Upper, i.Closed())) }

// Plain returns the label without what integers and days do not need: the integer if the interval
// has only one, and ends without times if none is within a day. Other labels are ranges.
func (i Interval) Plain() string {
	switch {
	case i.isOne():
		return i.labeled(i.Lower)
	case i.HasDays():
		return i.labeled(rangeText(withoutTime(i.Lower), withoutTime(i.Upper), i.Closed()))
	}
	return i.Range()
}

// isOne reports whether one integer is in an interval with integers as ends.
func (i Interval) isOne() bool {
	lower, isInteger := new(big.Int).SetString(i.Lower, 10)
	if !isInteger {
		return false
	}
	if i.Closed() {
		return i.Upper == i.Lower
	}
	return i.Upper == lower.Add(lower, big.NewInt(1)).String()
}

// HasDays reports whether all ends are midnights.
func (i Interval) HasDays() bool {
	isDay := func(end string) bool { return end == "" || withoutTime(end) != end }
	return isDay(i.Lower) && isDay(i.Upper)
}

// withoutTime removes midnight from a date with a time.
func withoutTime(end string) string {
	if day, is := strings.CutSuffix(strings.TrimSuffix(end, "Z"), "T00:00:00"); is {
		return day
	}
	return end
}
