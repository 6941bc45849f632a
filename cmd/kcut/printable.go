package main

import (
	"strconv"
	"strings"
)

// printable writes what steers a terminal instead of being shown on it as in Go: names of columns
// and labels may hold anything. Characters to keep stay as they are.
func printable(text, keep string) string {
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
