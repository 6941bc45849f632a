package pipeline

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/pipeline/job"
)

// null marks a null in the rows of a testTable.
const null = "\x00null"

// testTable is a small table of texts, from which files of every shape are made.
type testTable struct {
	fields []formats.Field
	rows   [][]string
}

// people returns rows of a table with a column for every mask and correlations that a
// search can find.
func people(rng *rand.Rand, rows int) *testTable {
	t := &testTable{fields: []formats.Field{
		{Name: "age", Type: wholeType, Nullable: true},
		{Name: "born", Type: formats.Type{Kind: formats.Date}, Nullable: true},
		{Name: "city", Type: textType, Nullable: true},
		{Name: "job", Type: textType, Nullable: true},
		{Name: "weight", Type: floatType, Nullable: true},
		{Name: "income", Type: textType},
	}}
	cities := []string{"Bonn", "Köln", "Paris", "Lyon", "Nice"}
	jobs := []string{"nurse", "clerk", "cook", "judge"}
	for range rows {
		age := 17 + rng.IntN(70)
		class := "low"
		if age+rng.IntN(40) > 70 {
			class = "high"
		}
		row := []string{
			fmt.Sprint(age), fmt.Sprintf("%d-%02d-11", 2020-age, 1+rng.IntN(12)), cities[rng.IntN(len(cities))],
			jobs[min(rng.IntN(len(jobs)), age/20)], fmt.Sprint(float64(rng.IntN(1000)) / 8), class,
		}
		if rng.IntN(20) == 0 {
			row[rng.IntN(5)] = null
		}
		t.rows = append(t.rows, row)
	}
	return t
}

const peopleTaxonomies = `
city:
  Europe:
    Germany: [Bonn, Köln]
    France:
      Paris: {}
      South: [Lyon, Nice]
`

// column returns one column of some rows.
func (t *testTable) column(tb testing.TB, c int, rows [][]string) *formats.Column {
	tb.Helper()
	column := &formats.Column{Values: &formats.Values{Type: t.fields[c].Type}}
	for _, row := range rows {
		column.Valid = append(column.Valid, row[c] != null)
		if row[c] == null {
			continue
		}
		if t.fields[c].Type.Kind == formats.String {
			column.Values.AppendBytes([]byte(row[c]))
		} else if err := column.Values.Parse(row[c]); err != nil {
			tb.Fatal(err)
		}
	}
	return column
}

// parquet writes rows from..to-1 to a file with row groups of the given number of rows.
func (t *testTable) parquet(tb testing.TB, path string, from, to, groupRows int) {
	tb.Helper()
	t.encode(tb, path, nil, from, to, groupRows)
}

// encode writes rows from..to-1 to a file with the given metadata.
func (t *testTable) encode(tb testing.TB, path string, metadata map[string]string, from, to, groupRows int) {
	tb.Helper()
	columns := make([]writer.Column, len(t.fields))
	for i, field := range t.fields {
		columns[i].Field = field
	}
	file, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer file.Close()
	out, err := writer.New(file, columns, metadata)
	if err != nil {
		tb.Fatal(err)
	}
	for ; from < to; from += groupRows {
		if err := out.Write(t.rowGroup(tb, columns, t.rows[from:min(to, from+groupRows)])); err != nil {
			tb.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		tb.Fatal(err)
	}
}

func (t *testTable) rowGroup(tb testing.TB, columns []writer.Column, rows [][]string) *writer.EncodedRowGroup {
	tb.Helper()
	group, err := writer.NewRowGroup(columns, writer.Options{Compression: "snappy"})
	if err != nil {
		tb.Fatal(err)
	}
	for c := range columns {
		if err := group.Append(c, t.column(tb, c, rows), 0, len(rows)); err != nil {
			tb.Fatal(err)
		}
	}
	encoded, err := group.Encode()
	if err != nil {
		tb.Fatal(err)
	}
	return encoded
}

// file writes the table as CSV or Parquet, whichever the name ends in.
func (t *testTable) file(tb testing.TB, path string) {
	if filepath.Ext(path) == ".csv" {
		t.csv(tb, path)
	} else {
		t.parquet(tb, path, 0, len(t.rows), 1000)
	}
}

// csv writes all rows as CSV.
func (t *testTable) csv(tb testing.TB, path string) {
	tb.Helper()
	var out strings.Builder
	for i, field := range t.fields {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(field.Name)
	}
	for _, row := range t.rows {
		out.WriteByte('\n')
		out.WriteString(strings.ReplaceAll(strings.Join(row, ","), null, ""))
	}
	write(tb, path, out.String())
}

func write(tb testing.TB, path, text string) {
	tb.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
}

func mustRead(tb testing.TB, path string) []byte {
	tb.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

// peopleJob is a job over people's columns in a folder of its own.
const peopleJob = `
input: in
output: out.parquet
class: income
quasi_identifiers:
  - {columns: [city, age, job], k: 5}
  - {columns: [born, city, weight], k: 3}
columns:
  age: {mask: discretize, bounds: [17, 90]}
  born: discretize
  city: generalize
  job: suppress
  weight: discretize
  income: keep
taxonomies: trees.yaml
`

// jobFolder makes a folder with a job file and taxonomies, and an empty folder "in".
func jobFolder(tb testing.TB, job string) string {
	tb.Helper()
	dir := tb.TempDir()
	write(tb, filepath.Join(dir, "job.yaml"), job)
	write(tb, filepath.Join(dir, "trees.yaml"), peopleTaxonomies)
	if err := os.Mkdir(filepath.Join(dir, "in"), 0o700); err != nil {
		tb.Fatal(err)
	}
	return dir
}

// folder makes a jobFolder with the table as its input, in row groups of so many rows.
func (t *testTable) folder(tb testing.TB, job string, groupRows int) string {
	tb.Helper()
	dir := jobFolder(tb, job)
	t.parquet(tb, filepath.Join(dir, "in", "a.parquet"), 0, len(t.rows), groupRows)
	return dir
}

// loadJob loads the folder's job with overrides given as key, value pairs.
func loadJob(dir string, overrides ...string) (*job.Job, error) {
	var list []job.Override
	for i := 0; i < len(overrides); i += 2 {
		list = append(list, job.Override{Key: overrides[i], Value: overrides[i+1], Origin: "test"})
	}
	return job.Load(filepath.Join(dir, "job.yaml"), list)
}

// mustLoad loads the folder's job with overrides given as key, value pairs.
func mustLoad(tb testing.TB, dir string, overrides ...string) *job.Job {
	tb.Helper()
	job, err := loadJob(dir, overrides...)
	if err != nil {
		tb.Fatal(err)
	}
	return job
}

// runJob runs the folder's job with overrides given as key, value pairs.
func runJob(tb testing.TB, dir string, trace io.Writer, overrides ...string) (*Report, error) {
	tb.Helper()
	job, err := loadJob(dir, overrides...)
	if err != nil {
		return nil, err
	}
	return Run(context.Background(), job, RunOptions{Overwrite: true, Trace: trace})
}

func mustRun(tb testing.TB, dir string, trace io.Writer, overrides ...string) *Report {
	tb.Helper()
	report, err := runJob(tb, dir, trace, overrides...)
	if err != nil {
		tb.Fatal(err)
	}
	return report
}

// textFields are nullable text columns.
func textFields(names ...string) []formats.Field {
	var fields []formats.Field
	for _, name := range names {
		fields = append(fields, formats.Field{Name: name, Type: textType, Nullable: true})
	}
	return fields
}

// peopleFolder makes a folder with a job and people as its input.
func peopleFolder(t *testing.T, job string, rows int) string {
	t.Helper()
	return people(rand.New(rand.NewPCG(3, 4)), rows).folder(t, job, 50)
}

// changed returns the people job with a part of its text replaced.
func changed(old, replacement string) string {
	if !strings.Contains(peopleJob, old) {
		panic("not in the job: " + old)
	}
	return strings.Replace(peopleJob, old, replacement, 1)
}

// tryJob runs the folder's job with options.
func tryJob(t *testing.T, dir string, ctx context.Context, opt RunOptions, overrides ...string) error {
	t.Helper()
	job := mustLoad(t, dir, overrides...)
	report, err := Run(ctx, job, opt)
	if (err == nil) != (report != nil) {
		t.Errorf("report %v with error %v", report, err)
	}
	return err
}
