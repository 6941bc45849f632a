package pipeline

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/pipeline/coding"
	"github.com/kcut/kcut/pipeline/fault"
	"github.com/kcut/kcut/spill"
)

// listing returns everything below a folder: names, modes and contents. The private records of
// runs that made releases, which tell how long that took, are left out.
func listing(tb testing.TB, dir string) map[string]string {
	tb.Helper()
	found := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if isRecord(path) {
			return err
		}
		if err != nil || entry.IsDir() {
			found[path] = "directory"
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
	if err != nil {
		tb.Fatal(err)
	}
	return found
}

// isRecord reports whether a path is that of a work folder, or of the record in one.
func isRecord(path string) bool {
	return strings.HasSuffix(path, ".kcut") || strings.HasSuffix(path, ".kcut/"+recordFile)
}

// unchanged demands that a folder holds what it held before.
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

// textFields are nullable text columns.
func textFields(names ...string) []formats.Field {
	var fields []formats.Field
	for _, name := range names {
		fields = append(fields, formats.Field{Name: name, Type: formats.Type{Kind: formats.String}, Nullable: true})
	}
	return fields
}

// peopleFile writes 300 people to the folder's input.
func peopleFile(t *testing.T, dir string) *testTable {
	table := people(rand.New(rand.NewPCG(3, 4)), 300)
	table.parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, 300, 100)
	return table
}

// changed returns the people job with a part of its text replaced.
func changed(old, replacement string) string {
	if !strings.Contains(peopleJob, old) {
		panic("not in the job: " + old)
	}
	return strings.Replace(peopleJob, old, replacement, 1)
}

// secret is a value that no message may show.
const secret = "Timbuktu"

func TestFailures(t *testing.T) {
	plain := func(t *testing.T, dir string) { peopleFile(t, dir) }
	for _, tt := range []struct {
		name    string
		job     string
		prepare func(*testing.T, string)
		class   fault.Class
		want    []string // of the message
	}{
		{"class column missing", changed("class: income", "class: wage\nunlisted: keep"), plain, fault.Input, []string{"it lacks wage"}},
		{"columns missing", changed("  income: keep", "  income: keep\n  shoe: keep\n  hat: drop"), plain, fault.Input, []string{"it lacks shoe, hat"}},
		{"columns unlisted", changed("  income: keep", "  income: keep"), func(t *testing.T, dir string) {
			table := peopleFile(t, dir)
			table.fields = append(table.fields, textFields("hat", "shoe")...)
			for i := range table.rows {
				table.rows[i] = append(table.rows[i], "a", "b")
			}
			table.parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, 300, 100)
		}, fault.Input, []string{"no entry for column hat, shoe"}},
		{"value not in the taxonomy", peopleJob, func(t *testing.T, dir string) {
			table := peopleFile(t, dir)
			for _, row := range []int{211, 250, 299} {
				table.set(row, "city", secret)
			}
			table.set(230, "city", secret+"2")
			table.parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, 100, 50)
			table.parquet(t, filepath.Join(dir, "in", "b.parquet"), 100, 300, 40)
		}, fault.Input, []string{"column city", "2 distinct values of 4 rows", "b.parquet, row 112"}},
		{"k unreachable", changed("k: 5", "k: 301"), plain, fault.Privacy, []string{"the input has 300 rows, k is 301"}},
		{"no rows", peopleJob, func(t *testing.T, dir string) {
			people(rand.New(rand.NewPCG(3, 4)), 0).parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, 0, 1)
		}, fault.Privacy, []string{"the input has 0 rows"}},
		{"no input", peopleJob, func(*testing.T, string) {}, fault.Input, []string{"in: no input file"}},
		{"value below the bounds", changed("bounds: [17, 90]", "bounds: [18, 90]"), func(t *testing.T, dir string) {
			table := peopleFile(t, dir)
			table.set(7, "age", "17")
			table.set(8, "age", "16")
			table.set(9, "age", "17")
			table.parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, 300, 100)
		}, fault.Input, []string{"column age", "distinct values of", "outside the declared bounds"}},
		{"value above the bounds", changed("bounds: [17, 90]", "bounds: [0, 90]"), func(t *testing.T, dir string) {
			table := peopleFile(t, dir)
			table.set(7, "age", "91")
			table.parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, 300, 100)
		}, fault.Input, []string{"column age: 1 distinct values of 1 rows lie outside the declared bounds"}},
		{"bounds of another type", changed("bounds: [17, 90]", "bounds: [17, ninety]"), plain, fault.Usage, []string{"declared bounds of column age"}},
		{"bounds upside down", changed("bounds: [17, 90]", "bounds: [90, 17]"), plain, fault.Usage, []string{"bounds of column age: the lower one is above"}},
		{"bounds of no number", changed("weight: discretize", "weight: {mask: discretize, bounds: [0, NaN]}"), plain, fault.Usage, []string{"bounds of column weight: NaN"}},
		{"text discretized", changed("job: suppress", "job: discretize"), plain, fault.Input, []string{"column job", "its type is"}},
		{"mark as a value", peopleJob, func(t *testing.T, dir string) {
			table := peopleFile(t, dir)
			table.set(7, "job", "*")
			table.parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, 300, 100)
		}, fault.Input, []string{"column job", "1 rows"}},
		{"output among the inputs", changed("out.parquet", "in/out.parquet"), plain, fault.Usage, []string{"among the job's own input"}},
		{"output is what a glob matches", changed("input: in\noutput: out.parquet", "input: in/*.parquet\noutput: in/out.parquet"), plain, fault.Usage, []string{"among the job's own input"}},
		{"output is below what a glob matches", changed("input: in\noutput: out.parquet", "input: [in/a.parquet, \"**/*.parquet\"]\noutput: out/"), plain, fault.Usage, []string{"among the job's own input"}},
		{"output above the inputs", changed("out.parquet", "./"), plain, fault.Usage, []string{"among the job's own input"}},
		{"output in no folder", changed("out.parquet", "nowhere/out.parquet"), plain, fault.Usage, []string{"nowhere"}},
		{"types disagree", peopleJob, func(t *testing.T, dir string) {
			table := peopleFile(t, dir)
			table.fields[0].Type = formats.Type{Kind: formats.Float, Bits: 64}
			table.parquet(t, filepath.Join(dir, "in", "b.parquet"), 0, 300, 100)
		}, fault.Input, []string{"a.parquet", "b.parquet", `column "age"`}},
		{"columns disagree", peopleJob, func(t *testing.T, dir string) {
			table := peopleFile(t, dir)
			table.rename("age", "years")
			table.parquet(t, filepath.Join(dir, "in", "b.parquet"), 0, 300, 100)
		}, fault.Input, []string{"a.parquet", "b.parquet", `column "age"`}},
		{"damaged input", peopleJob, func(t *testing.T, dir string) {
			peopleFile(t, dir)
			write(t, filepath.Join(dir, "in", "b.parquet"), "PAR1 is all there is PAR1")
		}, fault.Input, []string{"b.parquet"}},
		{"bounds collide with a column", changed("weight: discretize", "weight: {mask: discretize, render: bounds}\n  weight_lower: keep"), func(t *testing.T, dir string) {
			table := peopleFile(t, dir)
			table.fields = append(table.fields, textFields("weight_lower")...)
			for i := range table.rows {
				table.rows[i] = append(table.rows[i], "a")
			}
			table.parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, 300, 100)
		}, fault.Usage, []string{"two columns would be named weight_lower"}},
		{"no taxonomy file", changed("trees.yaml", "forest.yaml"), plain, fault.Usage, []string{"forest.yaml", "no such file"}},
		{"too many classes", changed("class: income", "class: id\nunlisted: keep"), func(t *testing.T, dir string) {
			table := people(rand.New(rand.NewPCG(3, 4)), coding.MaxClasses+1)
			table.fields = append(table.fields, textFields("id")...)
			for i := range table.rows {
				table.rows[i] = append(table.rows[i], fmt.Sprint(i))
			}
			table.parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, len(table.rows), 5000)
		}, fault.Input, []string{"class column id has more than 10000 distinct values"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := jobFolder(t, tt.job)
			tt.prepare(t, dir)
			before := listing(t, dir)
			report, err := runJob(t, dir, nil)
			if err == nil || report != nil || fault.ClassOf(err) != tt.class {
				t.Fatalf("got %+v, %v of class %d, want class %d", report, err, fault.ClassOf(err), tt.class)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %q, want %q in it", err, want)
				}
			}
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%q shows a value", err)
			}
			unchanged(t, dir, before)
		})
	}
}

// A nested column can be kept, not masked.
func TestNestedMasked(t *testing.T) {
	path := formatstest.SharedData(t, "parquet-testing/data/list_columns.parquet")
	dir := jobFolder(t, fmt.Sprintf(`
input: %q
output: out.parquet
quasi_identifiers: [{columns: [int64_list], k: 2}]
columns: {int64_list: suppress, utf8_list: keep}
`, path))
	before := listing(t, dir)
	if _, err := runJob(t, dir, nil); fault.ClassOf(err) != fault.Input || !strings.Contains(err.Error(), "mask column int64_list: it is nested") {
		t.Errorf("got %v", err)
	}
	unchanged(t, dir, before)
}

// tryJob runs the folder's job with options.
func tryJob(t *testing.T, dir string, ctx context.Context, opt RunOptions, overrides ...string) error {
	t.Helper()
	job, err := loadJob(dir, overrides...)
	if err != nil {
		t.Fatal(err)
	}
	report, err := Run(ctx, job, opt)
	if (err == nil) != (report != nil) {
		t.Errorf("report %v with error %v", report, err)
	}
	return err
}

func TestOutputExists(t *testing.T) {
	for _, output := range []string{"out.parquet", "out/"} {
		t.Run(output, func(t *testing.T) {
			dir := jobFolder(t, outputIs(output))
			peopleFile(t, dir)
			if err := tryJob(t, dir, t.Context(), RunOptions{}); err != nil {
				t.Fatal(err)
			}
			first := listing(t, dir)
			if err := tryJob(t, dir, t.Context(), RunOptions{}); fault.ClassOf(err) != fault.Exists {
				t.Errorf("got %v of class %d", err, fault.ClassOf(err))
			}
			unchanged(t, dir, first)
			if err := tryJob(t, dir, t.Context(), RunOptions{Overwrite: true}); err != nil {
				t.Fatal(err)
			}
			unchanged(t, dir, first) // the same job makes the same bytes
			people(rand.New(rand.NewPCG(5, 6)), 200).parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, 200, 100)
			if err := tryJob(t, dir, t.Context(), RunOptions{Overwrite: true}); err != nil {
				t.Fatal(err)
			}
			second := listing(t, dir)
			if len(second) != len(first) || maps.Equal(first, second) {
				t.Errorf("another input left %d files, %d before", len(second), len(first))
			}
			auditFolder(t, dir)
		})
	}
}

// A run that cannot write its report has not published either.
func TestReportUnwritable(t *testing.T) {
	dir := jobFolder(t, peopleJob)
	peopleFile(t, dir)
	before := listing(t, dir)
	if err := tryJob(t, dir, t.Context(), RunOptions{RunJSON: filepath.Join(dir, "none", "run.json")}); err == nil {
		t.Error("a report was written into a folder that does not exist")
	}
	unchanged(t, dir, before)
	report := filepath.Join(t.TempDir(), "run.json")
	if err := tryJob(t, dir, t.Context(), RunOptions{RunJSON: report}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(report)
	if err != nil || !bytes.Contains(text, []byte(`"rows": 300`)) {
		t.Errorf("report %s, %v", text, err)
	}
}

// A directory is not replaced by a file, nor the other way round.
func TestOutputOfTheOtherKind(t *testing.T) {
	for output, put := range map[string]func(string) error{
		"out.parquet": func(path string) error { return os.Mkdir(path, 0o700) },
		"out.parquet/": func(path string) error {
			return os.WriteFile(filepath.Clean(path), []byte("old"), 0o600)
		},
	} {
		dir := jobFolder(t, outputIs(output))
		peopleFile(t, dir)
		if err := put(filepath.Join(dir, output)); err != nil {
			t.Fatal(err)
		}
		before := listing(t, dir)
		for _, overwrite := range []bool{false, true} {
			if err := tryJob(t, dir, t.Context(), RunOptions{Overwrite: overwrite}); fault.ClassOf(err) != fault.Exists {
				t.Errorf("%s: got %v of class %d", output, err, fault.ClassOf(err))
			}
		}
		unchanged(t, dir, before)
	}
}

// Tables in which no specialization tells records apart are released, as one class.
func TestNoStep(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*testTable, int)
		steps  bool // there may be some that split nothing
	}{
		{"one class", func(table *testTable, row int) { table.set(row, "income", "low") }, false},
		{"all nulls", func(table *testTable, row int) { copy(table.rows[row], []string{null, null, null, null, null}) }, true},
		{"all the same", func(table *testTable, row int) { copy(table.rows[row][:5], table.rows[0][:5]) }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := jobFolder(t, peopleJob)
			table := peopleFile(t, dir)
			for row := range table.rows {
				tt.change(table, row)
			}
			table.parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, 300, 100)
			report := mustRun(t, dir, nil)
			if report.Steps > 0 && !tt.steps {
				t.Errorf("%d steps", report.Steps)
			}
			for _, set := range report.Sets {
				if set.Anonymity != 300 {
					t.Errorf("anonymity %d of 300 rows", set.Anonymity)
				}
			}
			auditFolder(t, dir)
		})
	}
}

// stages are those of a run.
var stages = []Stage{StagePlan, StageCompress, StageSearch, StageMask, StageVerify, StagePublish}

// A run that is cancelled in any stage says so, leaves nothing, and ends its goroutines.
func TestCancelled(t *testing.T) {
	for _, output := range []string{"out.parquet", "out/"} {
		for _, stage := range stages {
			for _, first := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s %s %v", output, stage, first), func(t *testing.T) {
					dir := jobFolder(t, outputIs(output))
					people(rand.New(rand.NewPCG(3, 4)), 3000).parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, 3000, 50)
					before, goroutines, files := listing(t, dir), runtime.NumGoroutine(), openFiles()
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					events := Events{Progress: func(s Stage, _ Progress) {
						if s == stage && !first {
							cancel()
						}
					}}
					events.Start = func(s Stage) {
						if s == stage && (first || s == StagePlan || s == StagePublish) {
							cancel()
						}
					}
					err := tryJob(t, dir, ctx, RunOptions{Events: events})
					if stage == StagePublish && err == nil { // too late to stop it
						return
					}
					if !errors.Is(err, context.Canceled) || fault.ClassOf(err) != fault.Cancelled {
						t.Errorf("got %v of class %d", err, fault.ClassOf(err))
					}
					unchanged(t, dir, before)
					mustEnd(t, goroutines)
					if now := openFiles(); now > files {
						t.Errorf("%d files open, %d before", now, files)
					}
				})
			}
		}
	}
}

// openFiles returns the number of files that the process has open, where that can be known.
func openFiles() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}

// mustEnd waits until there are as many goroutines as before.
func mustEnd(t *testing.T, before int) {
	t.Helper()
	for range 500 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

func TestBudgetTooSmall(t *testing.T) {
	dir := jobFolder(t, peopleJob)
	table := people(rand.New(rand.NewPCG(3, 4)), 40_000)
	for i := range table.rows {
		table.set(i, "weight", fmt.Sprint(float64(i)/16))
	}
	table.parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, len(table.rows), 10_000)
	before := listing(t, dir)
	_, err := runJob(t, dir, nil, "limits.memory", "1MiB")
	if !errors.Is(err, spill.ErrBudget) || fault.ClassOf(err) != fault.Resources {
		t.Errorf("got %v of class %d", err, fault.ClassOf(err))
	}
	unchanged(t, dir, before)
	if _, err := runJob(t, dir, nil, "limits.memory", "16MiB"); err != nil {
		t.Errorf("with the least memory: %v", err)
	}
}

// An input that changes between its two readings makes no release, even when both readings
// have the same values and counts.
func TestInputChanges(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*testTable)
	}{
		{"nothing but the time", func(*testTable) {}},
		{"new values", func(table *testTable) {
			for row := range table.rows {
				table.set(row, "job", "x"+table.rows[row][table.index("job")][1:])
			}
		}},
		{"fewer rows", func(table *testTable) { table.rows = table.rows[:200] }},
		{"more rows", func(table *testTable) { table.rows = append(table.rows, table.rows...) }},
		{"rows mixed", func(table *testTable) {
			jobs, cities := table.index("job"), table.index("city")
			for row := range table.rows {
				other := (row * 7) % len(table.rows)
				table.rows[row][jobs], table.rows[other][jobs] = table.rows[other][jobs], table.rows[row][jobs]
				table.rows[row][cities], table.rows[other/2][cities] = table.rows[other/2][cities], table.rows[row][cities]
			}
		}},
	} {
		for _, kind := range []string{"parquet", "csv"} {
			t.Run(tt.name+" "+kind, func(t *testing.T) {
				dir := jobFolder(t, peopleJob)
				table := people(rand.New(rand.NewPCG(3, 4)), 300)
				path := filepath.Join(dir, "in", "a."+kind)
				put := func() {
					if kind == "csv" {
						table.csv(t, path)
					} else {
						table.parquet(t, path, 0, len(table.rows), 1000)
					}
				}
				put()
				if err := os.Chtimes(path, time.Time{}, time.Now().Add(-time.Hour)); err != nil {
					t.Fatal(err)
				}
				names := slices.Sorted(maps.Keys(listing(t, dir)))
				err := tryJob(t, dir, t.Context(), RunOptions{Events: Events{Start: func(s Stage) {
					if s == StageMask {
						tt.change(table)
						put()
					}
				}}})
				if err == nil || fault.ClassOf(err) != fault.Input {
					t.Errorf("got %v of class %d", err, fault.ClassOf(err))
				}
				if left := slices.Sorted(maps.Keys(listing(t, dir))); !slices.Equal(left, names) {
					t.Errorf("left %v of %v", left, names)
				}
			})
		}
	}
}

// k above the number of rows is told before any row is read.
func TestInfeasibleEarly(t *testing.T) {
	dir := jobFolder(t, peopleJob)
	peopleFile(t, dir)
	job, err := loadJob(dir, "quasi_identifiers[].k", "1000")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Run(t.Context(), job, RunOptions{Events: Events{Start: func(s Stage) {
		if s != StagePlan {
			t.Errorf("stage %s began", s)
		}
	}}})
	if !errors.Is(err, engine.ErrInfeasible) {
		t.Errorf("got %v", err)
	}
}
