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

// within returns the table within a width. The last column breaks between words, but is never
// narrower than fewestCharacters.
func (t *table) within(width int) string {
	last := len(t.widths) - 1
	others := 2 * last
	for _, w := range t.widths[:last] {
		others += w
	}
	if others+t.widths[last] <= width {
		return t.String()
	}
	room := max(width-others, fewestCharacters)
	folded := &table{widths: slices.Clone(t.widths)}
	for _, row := range t.rows {
		cells := slices.Clone(row)
		for line := range strings.SplitSeq(text.Wrap(row[last], room, ""), "\n") {
			cells[last] = line
			folded.rows = append(folded.rows, cells)
			cells = make([]string, len(row))
		}
	}
	return folded.String()
}

// blocks returns the table within a width: columns that do not fit stand below, next to the first
// ones once more. A column that is too wide has a block of its own.
func (t *table) blocks(first, width int) string {
	var blocks []string
	for from := first; from < len(t.widths); {
		shown := make([]int, first, len(t.widths))
		line := 0
		for i := range shown {
			shown[i] = i
			line += t.widths[i] + 2
		}
		for from < len(t.widths) && (len(shown) == first || line+t.widths[from] <= width) {
			line += t.widths[from] + 2
			shown = append(shown, from)
			from++
		}
		blocks = append(blocks, t.columns(shown).String())
	}
	return strings.Join(blocks, "\n")
}

// columns returns a table of some columns, without rows that have nothing behind the first one.
func (t *table) columns(shown []int) *table {
	part := &table{widths: make([]int, len(shown))}
	for to, from := range shown {
		part.widths[to] = t.widths[from]
	}
	for _, row := range t.rows {
		var cells []string
		for _, from := range shown {
			if from < len(row) {
				cells = append(cells, row[from])
			}
		}
		if strings.Join(cells[1:], "") != "" {
			part.rows = append(part.rows, cells)
		}
	}
	return part
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
