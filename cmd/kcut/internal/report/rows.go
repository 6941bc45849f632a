package report

import (
	"slices"

	"github.com/kcut/kcut"
)

// Limits of the tables of rows: columns of one table, of all tables, and characters of a cell.
const (
	rowColumns     = 7
	mostRowColumns = 28
	mostCell       = 48
)

// SampledRows is the number of rows of the release that a page shows.
const SampledRows = 10

// rowTable is some columns of the sampled rows.
type rowTable struct {
	Columns []rowColumn
	Rows    [][]rowCell
}

// rowColumn is a released column, with the input column that it comes from as far as that is known.
type rowColumn struct{ Name, Before, Mask string }

// rowCell is a released value, under the name of its column.
type rowCell struct {
	Text    string
	Special bool // it is no text of the data
	Column  *rowColumn
}

// RowTables lays out the sampled rows, some columns in each table. The last two share theirs where
// the last one would have few, perhaps one alone.
func (p *page) RowTables() (tables []rowTable) {
	if p.Rows == nil {
		return nil
	}
	shown := min(len(p.Rows.Columns), mostRowColumns)
	for from, to := 0, 0; from < shown; from = to {
		var t rowTable
		if to = min(from+rowColumns, shown); to < shown && shown-to <= rowColumns/2 {
			to = (from + shown + 1) / 2
		}
		for _, name := range p.Rows.Columns[from:to] {
			t.Columns = append(t.Columns, p.rowColumn(name))
		}
		for _, row := range p.Rows.Rows {
			var cells []rowCell
			for i, cell := range row[from:to] {
				cells = append(cells, newRowCell(cell, &t.Columns[i]))
			}
			t.Rows = append(t.Rows, cells)
		}
		tables = append(tables, t)
	}
	return tables
}

// MoreColumns is the number of released columns that the tables of rows leave out.
func (p *page) MoreColumns() int { return max(len(p.Rows.Columns)-mostRowColumns, 0) }

func newRowCell(cell kcut.SampleCell, column *rowColumn) rowCell {
	switch {
	case cell.Null:
		return rowCell{"null", true, column}
	case cell.Nested:
		return rowCell{"…", true, column}
	}
	text := []rune(cell.Text)
	if len(text) > mostCell {
		text = append(text[:mostCell:mostCell], '…')
	}
	return rowCell{string(text), false, column}
}

// rowColumn describes a released column by the report of the run.
func (p *page) rowColumn(released string) rowColumn {
	column := rowColumn{Name: released}
	if p.Run == nil {
		return column
	}
	for _, c := range p.Run.Columns {
		if !slices.ContainsFunc(c.Released, func(r kcut.ReleasedColumn) bool {
			return r.Name == released
		}) {
			continue
		}
		column.Before, column.Mask = c.Type, c.Mask
		if before := masked(p.Run, c.Name); before != nil {
			column.Before = counted(grouped(before.Values), c.Type+" value")
		}
	}
	return column
}
