package pipeline

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/formats/writer"
)

// layout is how a table is stored: by whom, in how many files, in row groups of how many rows.
type layout struct {
	Writer string
	Files  int
	formatstest.ArrowLayout
}

// The writers of tables.
const (
	byKcut    = "kcut"    // Parquet
	byPqarrow = "pqarrow" // Parquet
	byArrow   = "arrow"
	byCSV     = "csv"
)

// drawLayout draws a layout that the columns of a table may have.
func drawLayout(rng *rand.Rand, t *truthTable, groupRows int) layout {
	l := layout{Writer: []string{byKcut, byPqarrow, byPqarrow, byArrow, byCSV}[rng.IntN(5)], Files: []int{1, 1, 2, 5}[rng.IntN(4)]}
	for i := range t.columns {
		c := &t.columns[i]
		if !formatstest.ArrowTakes(c.Type) || c.inCSV == "" && l.Writer == byCSV {
			l.Writer = byKcut
		}
	}
	l.GroupRows = max(groupRows, t.rows/100) // arrow-go takes long for thousands of row groups
	l.PageBytes = []int64{200, 5000, 1 << 20}[rng.IntN(3)]
	l.DictionaryBytes = []int64{0, 1000, 1 << 20}[rng.IntN(3)]
	l.Version2 = rng.IntN(2) == 0
	l.Codec = []string{"zstd", "snappy", "gzip", "none"}[rng.IntN(4)]
	if l.Writer == byArrow {
		l.Codec = []string{"zstd", "lz4", "none"}[rng.IntN(3)]
	}
	return l
}

// put stores a table below a folder.
func (l *layout) put(tb testing.TB, dir string, t *truthTable) {
	tb.Helper()
	must(tb, os.RemoveAll(dir))
	must(tb, os.MkdirAll(dir, 0o700))
	table := formatstest.ArrowTable{}
	for i := range t.columns {
		table.Fields, table.Columns = append(table.Fields, t.columns[i].Field), append(table.Columns, t.columns[i].coded())
	}
	for i := range l.Files {
		from, to := i*t.rows/l.Files, (i+1)*t.rows/l.Files
		path := filepath.Join(dir, fmt.Sprint(i))
		switch l.Writer {
		case byKcut:
			l.ownParquet(tb, path+".parquet", &table, from, to)
		case byPqarrow:
			must(tb, table.WriteParquet(path+".parquet", from, to, l.ArrowLayout))
		case byArrow:
			must(tb, table.WriteIPC(path+".arrow", from, to, l.ArrowLayout))
		case byCSV:
			t.csv(tb, path+".csv", from, to)
		}
	}
}

// ownParquet stores rows as kcut writes them.
func (l *layout) ownParquet(tb testing.TB, path string, table *formatstest.ArrowTable, from, to int) {
	tb.Helper()
	var columns []writer.Column
	for _, field := range table.Fields {
		columns = append(columns, writer.Column{Field: field})
	}
	file, err := os.Create(path)
	must(tb, err)
	defer file.Close()
	out, err := writer.New(file, columns, nil)
	must(tb, err)
	for ; from < to; from += l.GroupRows {
		group, err := writer.NewRowGroup(columns, writer.Options{Compression: l.Codec})
		must(tb, err)
		for i, c := range table.Columns {
			must(tb, group.Append(i, c, from, min(to, from+l.GroupRows)))
		}
		encoded, err := group.Encode()
		must(tb, err)
		must(tb, out.Write(encoded))
	}
	must(tb, out.Close())
}

// csv stores rows as CSV, in which every text is in quotes.
func (t *truthTable) csv(tb testing.TB, path string, from, to int) {
	tb.Helper()
	var out strings.Builder
	for i := range t.columns {
		out.WriteString([]string{"", ","}[min(i, 1)] + t.columns[i].Name)
	}
	for row := from; row < to; row++ {
		out.WriteByte('\n')
		for i := range t.columns {
			c := &t.columns[i]
			if i > 0 {
				out.WriteByte(',')
			}
			switch code := c.codes[row]; {
			case code == 0:
			case c.Type.Kind == formats.String:
				out.WriteString(`"` + strings.ReplaceAll(c.text(code), `"`, `""`) + `"`)
			default:
				out.WriteString(c.text(code))
			}
		}
	}
	out.WriteByte('\n')
	write(tb, path, out.String())
}
