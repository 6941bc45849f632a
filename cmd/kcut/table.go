package main

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kcut/kcut/internal/text"
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
		cells[i] = text.Printable(cells[i], "")
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
