package pipeline

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
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
	Empty  bool   // and a file without rows
	Hive   string // the column that folders have the values of, each in a file
	Lacks  string // the column that the last file lacks
	formatstest.ArrowLayout
	Delimiter string // of CSV
	LineEnd   string
	Null      string
}

// The writers of tables.
const (
	byKcut    = "kcut"    // Parquet
	byPqarrow = "pqarrow" // Parquet
	byArrow   = "arrow"
	byCSV     = "csv"
)

// drawLayout draws a layout by a writer, or by one that knows the types of all columns.
func drawLayout(rng *rand.Rand, writer string, t *truthTable, groupRows int) layout {
	l := layout{Writer: writer, Files: []int{1, 1, 2, 5}[rng.IntN(4)]}
	for i := range t.columns {
		c := &t.columns[i]
		switch {
		case c.nested != nil && l.Writer != byArrow:
			l.Writer = byPqarrow
		case c.nested == nil && (!formatstest.ArrowTakes(c.Type) || c.inCSV == "" && l.Writer == byCSV):
			l.Writer = byKcut
		}
	}
	l.Empty = rng.IntN(6) == 0
	l.Delimiter = []string{",", ",", ";", "\t"}[rng.IntN(4)]
	l.LineEnd = []string{"\n", "\n", "\r\n"}[rng.IntN(3)]
	l.Null = []string{"", "", "?"}[rng.IntN(3)]
	l.Int96 = l.Writer == byPqarrow && rng.IntN(2) == 0
	t.int96 = l.Int96
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
			l.file(tb, filepath.Join(folder, "0"), t, from, starts[i+1], l.Hive)
		}
		return
	}
	for i := range l.Files {
		from, to := i*t.rows/l.Files, (i+1)*t.rows/l.Files
		lacks := ""
		if i == l.Files-1 && i > 0 && l.Lacks != "" {
			lacks = l.Lacks
			clear(t.column(lacks).codes[from:])
			t.column(lacks).Nullable = true
		}
		l.file(tb, filepath.Join(dir, fmt.Sprint(i)), t, from, to, lacks)
	}
	if l.Empty {
		l.file(tb, filepath.Join(dir, "empty"), t, 0, 0, "")
	}
}

// file stores rows, without a column.
func (l *layout) file(tb testing.TB, path string, t *truthTable, from, to int, without string) {
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
		table.Fields, table.Columns = append(table.Fields, c.Field), append(table.Columns, c.coded())
	}
	switch l.Writer {
	case byKcut:
		l.ownParquet(tb, path+".parquet", &table, from, to)
	case byPqarrow:
		must(tb, table.WriteParquet(path+".parquet", from, to, l.ArrowLayout))
	case byArrow:
		must(tb, table.WriteIPC(path+".arrow", from, to, l.ArrowLayout))
	case byCSV:
		l.csv(tb, path+".csv", t, from, to, without)
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

// options returns what a job says of the layout.
func (l *layout) options() string {
	if l.Writer != byCSV {
		return ""
	}
	options := fmt.Sprintf("csv: {delimiter: %q", l.Delimiter)
	if l.Null != "" {
		options += fmt.Sprintf(", nulls: [%q]", l.Null)
	}
	return options + "}\n"
}

// csv stores rows as CSV, in which every text is in quotes.
func (l *layout) csv(tb testing.TB, path string, t *truthTable, from, to int, without string) {
	tb.Helper()
	var out strings.Builder
	quote := func(text string) { out.WriteString(`"` + strings.ReplaceAll(text, `"`, `""`) + `"`) }
	columns := slices.DeleteFunc(slices.Clone(t.columns), func(c truthColumn) bool {
		return c.Name == without
	})
	for i := range columns {
		out.WriteString([]string{"", l.Delimiter}[min(i, 1)])
		quote(columns[i].Name)
	}
	for row := from; row < to; row++ {
		out.WriteString(l.LineEnd)
		for i := range columns {
			c := &columns[i]
			if i > 0 {
				out.WriteString(l.Delimiter)
			}
			switch code := c.codes[row]; {
			case code == 0:
				out.WriteString(l.Null)
			case c.Type.Kind == formats.String:
				quote(c.text(code))
			default:
				out.WriteString(c.text(code))
			}
		}
	}
	out.WriteString(l.LineEnd)
	write(tb, path, out.String())
}
