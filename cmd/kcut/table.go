package main

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// table aligns words in columns, two spaces apart, and keeps every row on a line of its own.
type table struct {
	rows   [][]string
	widths []int
}

func newTable(header ...string) *table {
	t := &table{widths: make([]int, len(header))}
	t.add(header...)
	return t
}

func (t *table) add(cells ...string) {
	cells = slices.Clone(cells)
	for i := range cells {
		cells[i] = printable(cells[i], "")
		t.widths[i] = max(t.widths[i], utf8.RuneCountInString(cells[i]))
	}
	t.rows = append(t.rows, cells)
}

func (t *table) String() string {
	var text strings.Builder
	for _, row := range t.rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell)
			line.WriteString(strings.Repeat(" ", t.widths[i]-utf8.RuneCountInString(cell)+2))
		}
		text.WriteString(strings.TrimRight(line.String(), " "))
		text.WriteByte('\n')
	}
	return text.String()
}

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
