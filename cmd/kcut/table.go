package main

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// table aligns words in columns, two spaces apart.
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
	for i, cell := range cells {
		t.widths[i] = max(t.widths[i], utf8.RuneCountInString(cell))
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

// grouped writes a number with a comma between groups of three digits.
func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	var text strings.Builder
	for i, digit := range digits {
		if left := len(digits) - i; i > 0 && left%3 == 0 && digits[i-1] != '-' {
			text.WriteByte(',')
		}
		text.WriteRune(digit)
	}
	return text.String()
}
