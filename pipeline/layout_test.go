package pipeline

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/formats/writer"
)

// layout is the way in which a table is stored: the writer, the number of files, the rows of a
// row group.
type layout struct {
	Writer string
	Files  int
	Empty  bool   // add a file without rows
	Hive   string // the column whose values are names of folders, with a file in each
	Lacks  string // the column that is not in the last file
	Narrow string // the column with a narrower type in the last file
	formatstest.ArrowLayout
	CSV csvForm
}

// The writers of tables.
const (
	byKcut    = "kcut"    // Parquet
	byPqarrow = "pqarrow" // Parquet
	byArrow   = "arrow"
	byCSV     = "csv"
)

// drawLayout draws a layout by a writer, or by another writer that has types for all columns.
func drawLayout(rng *rand.Rand, writer string, t *truthTable, groupRows int) layout {
	l := layout{Writer: writer, Files: []int{1, 1, 2, 5}[rng.IntN(4)]}
	for i := range t.columns {
		c := &t.columns[i]
		switch {
		case c.nested != nil && l.Writer != byArrow:
			l.Writer = byPqarrow
		case c.nested == nil && (!formatstest.ArrowTakes(c.Type) ||
			c.inCSV == "" && l.Writer == byCSV):
			l.Writer = byKcut
		}
	}
	l.Empty = rng.IntN(6) == 0
	if c := &t.columns[rng.IntN(len(t.columns))]; l.Writer != byCSV && c.isNarrow() {
		l.Narrow = c.Name
	}
	l.Int96 = l.Writer == byPqarrow && rng.IntN(2) == 0
	t.int96, t.csv = l.Int96, l.Writer == byCSV
	l.GroupRows = max(groupRows, t.rows/100) // arrow-go takes long for thousands of row groups
	l.PageBytes = []int64{200, 5000, 1 << 20}[rng.IntN(3)]
	l.DictionaryBytes = []int64{0, 1000, 1 << 20}[rng.IntN(3)]
	if slices.ContainsFunc(t.columns, func(c truthColumn) bool {
		return c.Type.Kind == formats.Float && slices.Contains(c.texts, "NaN")
	}) {
		l.DictionaryBytes = 0 // arrow-go's have one NaN, of other bits
	}
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
	if l.Hive != "" {
		starts := t.sort(l.Hive)
		for i, from := range starts[:len(starts)-1] {
			label := "__HIVE_DEFAULT_PARTITION__"
			if code := t.column(l.Hive).codes[from]; code > 0 {
				label = url.PathEscape(t.column(l.Hive).text(code))
			}
			folder := filepath.Join(dir, l.Hive+"="+label)
			must(tb, os.Mkdir(folder, 0o700))
			l.file(tb, filepath.Join(folder, "0"), t, from, starts[i+1], l.Hive, "")
		}
		return
	}
	for i := range l.Files {
		from, to := i*t.rows/l.Files, (i+1)*t.rows/l.Files
		lacks, narrow := "", ""
		if i == l.Files-1 && i > 0 {
			narrow = l.Narrow
		}
		if i == l.Files-1 && i > 0 && l.Lacks != "" {
			lacks = l.Lacks
			clear(t.column(lacks).codes[from:])
			t.column(lacks).Nullable = true
		}
		l.file(tb, filepath.Join(dir, fmt.Sprint(i)), t, from, to, lacks, narrow)
	}
	if l.Empty {
		l.file(tb, filepath.Join(dir, "empty"), t, 0, 0, "", "")
	}
}

// file stores rows, without one column, and with fewer bits for the integers of another.
func (l *layout) file(
	tb testing.TB, path string, t *truthTable, from, to int, without, narrow string,
) {
	tb.Helper()
	table := formatstest.ArrowTable{Nested: make(map[int]*formatstest.NestedValues)}
	for i := range t.columns {
		c := &t.columns[i]
		if c.Name == without {
			continue
		}
		if c.nested != nil {
			table.Nested[len(table.Fields)] = c.nested
		}
		field, column := c.Field, c.coded()
		if c.Name == narrow {
			field.Type.Bits = 32
			column.Values = &formats.Values{Type: field.Type, Words: c.values.Words}
		}
		table.Fields, table.Columns = append(table.Fields, field), append(table.Columns, column)
	}
	switch l.Writer {
	case byKcut:
		l.ownParquet(tb, path+".parquet", &table, from, to)
	case byPqarrow:
		must(tb, table.WriteParquet(path+".parquet", from, to, l.ArrowLayout))
	case byArrow:
		must(tb, table.WriteIPC(path+".arrow", from, to, l.ArrowLayout))
	case byCSV:
		l.CSV.put(tb, path+".csv", t, from, to, without)
	}
}

// ownParquet stores rows with the writer of kcut.
func (l *layout) ownParquet(
	tb testing.TB, path string, table *formatstest.ArrowTable, from, to int,
) {
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
