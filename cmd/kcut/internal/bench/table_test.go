package bench

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/internal/text"
)

// benchRows are the sizes of the table.
var benchRows = []int64{100_000, 1_000_000, 10_000_000}

// benchRounds is the number of runs of each side, in turn with the others.
const benchRounds = 5

// benchInput is a sample of people, and the columns of its release.
type benchInput struct {
	name    string
	columns []string // released columns
	dropped []string
	order   string // of the release's rows
}

var (
	benchMasked = []string{"age", "workclass", "education", "marital-status", "occupation", "race",
		"sex", "native-country"}
	benchFew = []string{"relationship", "zip", "education-num", "hours-per-week", "capital-gain",
		"capital-loss", "income"}
	benchMany = []string{"id", "name", "email", "birth-date"}

	benchInputs = []benchInput{
		{"15 columns of few values", slices.Concat(benchMasked, benchFew), benchMany, "input"},
		{"19 columns, ids, names and addresses kept",
			slices.Concat(benchMasked, benchFew, benchMany), nil, "input"},
		{"15 columns of few values in the order of the release",
			slices.Concat(benchMasked, benchFew), benchMany, "released"},
	}
)

// job returns a job over people.parquet.
func (in *benchInput) job() string {
	text := &strings.Builder{}
	fmt.Fprintf(text, "input: people.parquet\noutput: release.parquet\nclass: "+
		"income\ntaxonomies: taxonomies.yaml\norder: %s\n", in.order)
	fmt.Fprintf(text, "quasi_identifiers: [{k: 100, columns: [%s]}]\ncolumns:\n",
		strings.Join(benchMasked, ", "))
	for _, column := range in.columns {
		mask := "{keep: {identifying: accepted}}"
		switch {
		case column == "income":
			mask = "keep"
		case column == "age":
			mask = "discretize"
		case slices.Contains([]string{"education", "marital-status"}, column):
			mask = "generalize"
		case column == "native-country":
			mask = "{mask: generalize, taxonomy: countries}"
		case slices.Contains(benchMasked, column):
			mask = "suppress"
		}
		fmt.Fprintf(text, "  %s: %s\n", column, mask)
	}
	for _, column := range in.dropped {
		fmt.Fprintf(text, "  %s: drop\n", column)
	}
	return text.String()
}

// BenchmarkTable writes the table of docs/performance.md to the file that KCUT_BENCH names.
func BenchmarkTable(b *testing.B) {
	path := os.Getenv("KCUT_BENCH")
	if path == "" {
		b.Skip("KCUT_BENCH names no file for the table")
	}
	var table bytes.Buffer
	fmt.Fprintf(&table, "%s, %d CPUs, %s/%s; medians of %d rounds\n", runtime.Version(),
		runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, benchRounds)
	for _, rows := range benchRows {
		dir := b.TempDir()
		people := filepath.Join(dir, "people.parquet")
		benchTask{Result: filepath.Join(dir, "result"), Sample: people, Rows: rows}.spawn(b)
		copyDemo(b, dir, "taxonomies.yaml")
		for _, in := range benchInputs {
			c := comparison{
				benchInput: in,
				rows:       rows,
				dir:        dir,
				people:     people,
				duckDB:     findDuckDB(),
			}
			c.measure(b)
			c.write(&table)
		}
		if err := os.RemoveAll(dir); err != nil {
			b.Fatal(err)
		}
	}
	if err := os.WriteFile(path, table.Bytes(), 0o644); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(0, "ns/op")
}

func copyDemo(tb testing.TB, dir string, names ...string) {
	tb.Helper()
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", "demo", name))
		if err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			tb.Fatal(err)
		}
	}
}

// comparison is the measures of one input of one size: by round, and for a run by stage.
type comparison struct {
	benchInput
	rows   int64
	dir    string
	people string
	duckDB duckDB

	size       int64 // stored size of the released columns in the input
	runs       [2][][]measure
	loops      [][]measure
	statements [][]measure // of DuckDB on two threads; none if it is not found
}

// measure runs the sides in turn.
func (c *comparison) measure(b *testing.B) {
	result, job := filepath.Join(c.dir, "result"), filepath.Join(c.dir, "job.yaml")
	if err := os.WriteFile(job, []byte(c.job()), 0o600); err != nil {
		b.Fatal(err)
	}
	_, values := formatstest.CountGroups(b, c.people, benchMasked)
	c.size = formatstest.StoredBytes(b, c.people, c.columns)
	for range benchRounds {
		for threads := range c.runs {
			task := benchTask{Result: result, Job: job, Threads: fmt.Sprint(threads + 1)}
			c.runs[threads] = append(c.runs[threads], task.spawn(b))
		}
		if c.duckDB != nil {
			sql := duckDBStatements(c.people, filepath.Join(c.dir, "duckdb.parquet"), c.columns,
				benchMasked, values, "income", c.order)
			c.statements = append(c.statements, c.duckDB.run(b, sql))
		}
		task := benchTask{
			Result:  result,
			Loop:    c.people,
			Out:     filepath.Join(c.dir, "loop.parquet"),
			Columns: c.columns,
			Masked:  benchMasked,
			Class:   "income",
		}
		c.loops = append(c.loops, task.spawn(b))
	}
}

// write writes the measures and the ratios as two Markdown tables.
func (c *comparison) write(w io.Writer) {
	fmt.Fprintf(w, "\n### %s rows, %s, %.1f MB\n\n", text.Grouped(c.rows), c.name,
		float64(c.size)/1e6)
	fmt.Fprintln(w, "| stage | threads | wall s | CPU s | M rows/s | MB/s | allocations | MB "+
		"allocated | peak MB | GC % |")
	fmt.Fprintln(w, "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
	for threads, rounds := range c.runs {
		for _, m := range medians(rounds) {
			fmt.Fprintf(w, "| %s | %d | %.3f | %.3f | %.1f | %.0f | %.0f | %.1f | %.0f | %.2f |\n",
				m.Stage, threads+1, m.Wall, m.CPU,
				float64(c.rows)/1e6/m.Wall, float64(c.size)/1e6/m.Wall, m.Allocs, m.Bytes/1e6,
				m.Peak/1e6, 100*m.GC/max(m.CPU, 1e-9))
		}
	}
	fmt.Fprintln(w, "\n| kcut on | by | wall s | CPU s | wall ratio | CPU ratio |")
	fmt.Fprintln(w, "|---|---|---:|---:|---:|---:|")
	c.compare(w, 1, "a plain loop", c.loops)
	if c.duckDB != nil {
		c.compare(w, 2, "DuckDB on 2 threads", c.statements)
	}
	c.compare(w, 2, "kcut on 1 thread", c.runs[0])
}

// compare writes the cost of the other side, and the ratios to it of kcut on a number of threads.
func (c *comparison) compare(w io.Writer, threads int, name string, other [][]measure) {
	ours, all := c.runs[threads-1], last(medians(other))
	fmt.Fprintf(w, "| %d | %s | %.3f | %.3f | %s | %s |\n", threads, name, all.Wall, all.CPU,
		ratio(ours, other, func(m measure) float64 {
			return m.Wall
		}), ratio(ours, other, func(m measure) float64 { return m.CPU }))
}
