package pipeline

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
)

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
		}, fault.Input, []string{"column age: outside the declared bounds: 1 distinct value of 1 row"}},
		{"bounds of another type", changed("bounds: [17, 90]", "bounds: [17, ninety]"), plain, fault.Usage, []string{"declared bounds of column age", "job.yaml:", "^"}},
		{"bounds upside down", changed("bounds: [17, 90]", "bounds: [90, 17]"), plain, fault.Usage, []string{"bounds of column age: the lower one is above", "job.yaml:", "^"}},
		{"bounds of no number", changed("weight: discretize", "weight: {mask: discretize, bounds: [0, NaN]}"), plain, fault.Usage, []string{"bounds of column weight: NaN", "job.yaml:", "^"}},
		{"text discretized", changed("job: suppress", "job: discretize"), plain, fault.Input, []string{"column job", "its type is"}},
		{"mark as a value", peopleJob, func(t *testing.T, dir string) {
			table := peopleFile(t, dir)
			table.set(7, "job", "*")
			table.parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, 300, 100)
		}, fault.Input, []string{"column job", "1 row"}},
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
			table := people(rand.New(rand.NewPCG(3, 4)), domain.MaxClasses+1)
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
// A column of a type that Parquet lacks, as Arrow's durations are, is refused before anything is
// read, and may be dropped.
func TestForeignType(t *testing.T) {
	schema := &formats.Schema{Fields: []formats.Field{
		{Name: "age", Type: formats.Type{Kind: formats.Int, Bits: 64}},
		{Name: "stay", Type: formats.Type{Kind: formats.Nested, Nested: "duration[s]"}},
	}}
	for mask, sound := range map[string]bool{job.MaskKeep: false, job.MaskSuppress: false, job.MaskDrop: true} {
		j := &job.Job{
			Sets:    []job.Set{{Columns: []string{"age"}, K: 2}},
			Columns: []job.Column{{Name: "age", Mask: job.MaskDiscretize}, {Name: "stay", Mask: mask}},
		}
		if mask == job.MaskSuppress {
			j.Sets[0].Columns = []string{"age", "stay"}
		}
		err := (&Bound{Job: j, class: -1, engine: newEngine(j.Algorithm)}).bind(schema, 10)
		if (err == nil) != sound || err != nil && (fault.ClassOf(err) != fault.Input || !strings.Contains(err.Error(), "duration[s]")) {
			t.Errorf("%s: got %v", mask, err)
		}
	}
}

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

// k above the number of rows is told before any row is read.
func TestInfeasibleEarly(t *testing.T) {
	dir := jobFolder(t, peopleJob)
	peopleFile(t, dir)
	job := mustLoad(t, dir, "quasi_identifiers[].k", "1000")
	_, err := Run(t.Context(), job, RunOptions{Events: Events{Start: func(s Stage) {
		if s != StagePlan {
			t.Errorf("stage %s began", s)
		}
	}}})
	if !errors.Is(err, engine.ErrInfeasible) {
		t.Errorf("got %v", err)
	}
}

// A nested column can be kept, not masked.
