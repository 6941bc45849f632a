// Package text formats numbers for people, encodes JSON, and removes secrets and control characters
// from texts.
package text

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
)

// Grouped formats a number with a comma between groups of three digits.
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

// Count formats a number of things whose plural ends in s: "1 row", "1,234 rows".
func Count[N int | int64 | uint64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return Grouped(int64(n)) + " " + what + "s"
}

// MostNamed is the largest number of columns that a message names.
const MostNamed = 40

// List lists at most most names, and the number of the others: "a, b, and 3 more".
func List(names []string, most int) string {
	if more := len(names) - most; more > 0 {
		names = append(names[:most:most], fmt.Sprintf("and %s more", Grouped(int64(more))))
	}
	return strings.Join(names, ", ")
}

// Percent formats a share in percent with one digit after the point.
func Percent(share float64) string {
	if share > 0 && share < 0.0005 {
		return "< 0.1 %"
	}
	return fmt.Sprintf("%.1f %%", 100*share)
}

// Printable escapes, as Go does, characters that would control a terminal instead of being shown:
// names of columns and labels may contain any. It does not escape the characters in keep.
func Printable(text, keep string) string {
	steers := func(r rune) bool { return !strconv.IsPrint(r) && !strings.ContainsRune(keep, r) }
	if !strings.ContainsFunc(text, steers) {
		return text
	}
	var shown strings.Builder
	for _, r := range text {
		if steers(r) {
			quoted := strconv.QuoteRune(r)
			shown.WriteString(quoted[1 : len(quoted)-1])
		} else {
			shown.WriteRune(r)
		}
	}
	return shown.String()
}

// Escaped returns JSON in which characters that would control a terminal, which strings may
// contain, are written as \u and four digits. It keeps line ends.
func Escaped(json string) string {
	steers := func(r rune) bool { return !strconv.IsPrint(r) && r != '\n' }
	if strings.IndexFunc(json, steers) < 0 {
		return json
	}
	var escaped strings.Builder
	for _, r := range json {
		if !steers(r) {
			escaped.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&escaped, "\\u%04x", unit)
		}
	}
	return escaped.String()
}

var partitionFolder = regexp.MustCompile(`([^/\\\s=]+=)[^/\\]+([/\\])`)

// WithoutPartitions returns a text without the values in the names of partition folders, as
// zip=12345/: they are cells of the table.
func WithoutPartitions(text string) string {
	return partitionFolder.ReplaceAllString(text, "${1}…$2")
}

// JSON is json.Marshal without escapes for <, > and &, which labels may contain.
func JSON(v any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimRight(out.Bytes(), "\n"), err
}
