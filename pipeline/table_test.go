package pipeline

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/seedtest"
	"github.com/kcut/kcut/pipeline/job"
)

// null marks a null in the rows of a testTable.
const null = "\x00null"

// testTable is a small table of texts. Tests write it to files of every layout.
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
			fmt.Sprint(age), fmt.Sprintf("%d-%02d-11", 2020-age, 1+rng.IntN(12)),
			cities[rng.IntN(len(cities))],
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
		if row[c] == null {
			column.Codes = append(column.Codes, 0)
			continue
		}
		if t.fields[c].Type.Kind == formats.String {
			column.Values.AppendBytes([]byte(row[c]))
		} else if err := column.Values.Parse(row[c]); err != nil {
			tb.Fatal(err)
		}
		column.Codes = append(column.Codes, uint32(column.Values.Len()))
	}
	return column
}

// parquet writes rows from..to-1 to a file with row groups of the given number of rows.
func (t *testTable) parquet(tb testing.TB, path string, from, to, groupRows int) {
	tb.Helper()
	t.encode(tb, path, nil, from, to, groupRows)
}

// encode writes rows from..to-1 to a file with the given metadata.
func (t *testTable) encode(
	tb testing.TB, path string, metadata map[string]string, from, to, groupRows int,
) {
	tb.Helper()
	columns := make([]writer.Column, len(t.fields))
	for i, field := range t.fields {
		columns[i].Field = field
	}
	file, err := os.Create(path)
	must(tb, err)
	defer file.Close()
	out, err := writer.New(file, columns, metadata)
	must(tb, err)
	for ; from < to; from += groupRows {
		must(tb, out.Write(t.rowGroup(tb, columns, t.rows[from:min(to, from+groupRows)])))
	}
	must(tb, out.Close())
}

func (t *testTable) rowGroup(
	tb testing.TB, columns []writer.Column, rows [][]string,
) *writer.EncodedRowGroup {
	tb.Helper()
	group, err := writer.NewRowGroup(columns, writer.Options{Compression: "snappy"})
	must(tb, err)
	for c := range columns {
		must(tb, group.Append(c, t.column(tb, c, rows), 0, len(rows)))
	}
	encoded, err := group.Encode()
	must(tb, err)
	return encoded
}

// file writes the table as CSV or Parquet, by the ending of the name.
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
	must(tb, os.WriteFile(path, []byte(text), 0o600))
}

func mustRead(tb testing.TB, path string) []byte {
	tb.Helper()
	text, err := os.ReadFile(path)
	must(tb, err)
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
	must(tb, os.Mkdir(filepath.Join(dir, "in"), 0o700))
	return dir
}

// folder makes a jobFolder with the table as its input, in row groups of a given number of rows.
func (t *testTable) folder(tb testing.TB, job string, groupRows int) string {
	tb.Helper()
	dir := jobFolder(tb, job)
	t.parquet(tb, filepath.Join(dir, "in", "a.parquet"), 0, len(t.rows), groupRows)
	return dir
}

// editJob replaces a text of a folder's job.
func editJob(tb testing.TB, dir, old, replacement string) {
	tb.Helper()
	path := filepath.Join(dir, "job.yaml")
	text := string(mustRead(tb, path))
	if !strings.Contains(text, old) {
		tb.Fatalf("not in the job: %s", old)
	}
	write(tb, path, strings.Replace(text, old, replacement, 1))
}

// loadJob loads the folder's job with overrides given as key, value pairs. Without other
// overrides rows stay in the order of the input, since most tests find rows by their place, and
// any number of rows may be alone on all labels: the sets of tests are small.
func loadJob(dir string, overrides ...string) (*job.Job, error) {
	list := []job.Override{{Key: "order", Value: job.OrderInput, Origin: "test"},
		{Key: "max_unique", Value: "100%", Origin: "test"}}
	for i := 0; i < len(overrides); i += 2 {
		list = append(list, job.Override{Key: overrides[i], Value: overrides[i+1], Origin: "test"})
	}
	return job.Load(filepath.Join(dir, "job.yaml"), list)
}

// mustLoad loads the folder's job with overrides given as key, value pairs.
func mustLoad(tb testing.TB, dir string, overrides ...string) *job.Job {
	tb.Helper()
	job, err := loadJob(dir, overrides...)
	must(tb, err)
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
	must(tb, err)
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
func tryJob(
	t *testing.T, dir string, ctx context.Context, opt RunOptions, overrides ...string,
) error {
	t.Helper()
	job := mustLoad(t, dir, overrides...)
	report, err := Run(ctx, job, opt)
	if (err == nil) != (report != nil) {
		t.Errorf("report %v with error %v", report, err)
	}
	return err
}

// mustRefuse demands that the folder's job fails as in mustFail, and changes no file.
func mustRefuse(t *testing.T, dir string, opt RunOptions, class fault.Class, want ...string) {
	t.Helper()
	before := listing(t, dir)
	mustFail(t, tryJob(t, dir, t.Context(), opt), class, want...)
	unchanged(t, dir, before)
}

// mustFail demands an error of a class with some words in its text or its hint, and without the
// secret.
func mustFail(tb testing.TB, err error, class fault.Class, want ...string) {
	tb.Helper()
	said := fmt.Sprint(err)
	if hint := fault.HintOf(err); hint != "" {
		said += "\n" + hint
	}
	if err == nil || fault.ClassOf(err) != class || strings.Contains(said, secret) {
		tb.Errorf("got %v of class %v, want class %v", err, fault.ClassOf(err), class)
	}
	for _, text := range want {
		if !strings.Contains(said, text) {
			tb.Errorf("got %q, want %q in it", said, text)
		}
	}
}

// listing returns names, modes and contents of everything below a folder, without the private
// records of finished runs, which have durations.
func listing(tb testing.TB, dir string) map[string]string {
	tb.Helper()
	found := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if isRecord(path) {
			return err
		}
		if err != nil || !entry.Type().IsRegular() {
			found[path] = fmt.Sprint(entry.Type())
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		found[path] = fmt.Sprintf("%v %x", info.Mode(), sha256.Sum256(text))
		return err
	})
	must(tb, err)
	return found
}

// isRecord reports whether a path is a work folder or the record in one.
func isRecord(path string) bool {
	return strings.HasSuffix(path, ".kcut") || strings.HasSuffix(path, ".kcut/"+recordFile)
}

// unchanged demands that a folder has the same files as before.
func unchanged(tb testing.TB, dir string, before map[string]string) {
	tb.Helper()
	after := listing(tb, dir)
	for path := range maps.Keys(after) {
		if after[path] != before[path] {
			tb.Errorf("the run left or changed %s", path)
		}
	}
	if len(after) < len(before) {
		tb.Errorf("the run removed something: %d files, %d before", len(after), len(before))
	}
}

// cases returns how many random cases to try: KCUT_CASES, or a few.
func cases(tb testing.TB, few int) int {
	tb.Helper()
	text := os.Getenv("KCUT_CASES")
	if text == "" {
		return few
	}
	n, err := strconv.Atoi(text)
	must(tb, err)
	return n
}

// seeded returns the seeds of random cases: KCUT_SEED alone, or one for each case.
func seeded(tb testing.TB, few int) []uint64 {
	tb.Helper()
	first := seedtest.Seed(tb)
	if os.Getenv("KCUT_SEED") != "" {
		return []uint64{first}
	}
	seeds := make([]uint64, cases(tb, few))
	for i := range seeds {
		seeds[i] = first + uint64(i)
	}
	return seeds
}

// outcome is the result of a run.
type outcome struct {
	release, trace []byte
	notices        []string // without those about spilling
	steps          int
	err            string
	class          fault.Class
}

// outcomeOf runs a folder's job and removes the release.
func outcomeOf(t *testing.T, dir string, opt RunOptions, overrides ...string) (o outcome) {
	t.Helper()
	job, err := loadJob(dir, overrides...)
	if err != nil {
		t.Fatalf("%v\n%s", err, mustRead(t, filepath.Join(dir, "job.yaml")))
	}
	before := listing(t, dir)
	var trace bytes.Buffer
	opt.Trace = &trace
	report, err := Run(t.Context(), job, opt)
	o.trace = trace.Bytes()
	if err != nil {
		o.err, o.class = strings.ReplaceAll(err.Error(), dir, ""), fault.ClassOf(err)
	} else {
		o.release = mustRead(t, job.Output.Path)
		o.steps = report.Steps
		o.notices = slices.DeleteFunc(report.Notices, func(text string) bool {
			// the risk of many rows is that of a part of them, as large as memory allows
			return strings.HasSuffix(text, "spilling to disk") ||
				strings.HasPrefix(text, "risk of a row")
		})
		must(t, os.Remove(job.Output.Path))
	}
	unchanged(t, dir, before)
	return o
}

// mustAgree demands that two runs ended in the same way.
func mustAgree(t *testing.T, got, want outcome) {
	t.Helper()
	if got.err != want.err || got.class != want.class {
		t.Errorf("out of core: %q of class %d\nin memory:   %q of class %d",
			got.err, got.class, want.err, want.class)
	}
	if !bytes.Equal(got.trace, want.trace) {
		t.Errorf("another trace:\n%s\nin memory:\n%s", got.trace, want.trace)
	}
	if !bytes.Equal(got.release, want.release) {
		t.Errorf("other bytes, %d instead of %d", len(got.release), len(want.release))
	}
	if !slices.Equal(got.notices, want.notices) {
		t.Errorf("notices %q, in memory %q", got.notices, want.notices)
	}
}

// must ends the test at an error.
func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
