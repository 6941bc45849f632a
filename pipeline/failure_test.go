package pipeline

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/domain"
)

// secret is a value that no message may show.
const secret = "Timbuktu"

// addColumn gives a table a nullable text column.
func (t *testTable) addColumn(name string, text func(row int) string) {
	t.fields = append(t.fields, textFields(name)...)
	for i := range t.rows {
		t.rows[i] = append(t.rows[i], text(i))
	}
}

// Jobs that cannot be carried out fail with the reason, reveal no value, and write nothing but a
// report that has the finished stages. A run finds every error that a plan finds before rows are
// read.
func TestFailures(t *testing.T) {
	same := func(*testTable) {}
	sets := func(column string, texts ...string) func(*testTable) {
		return func(table *testTable) {
			for i, text := range texts {
				table.set(7+i, column, text)
			}
		}
	}
	adds := func(names ...string) func(*testTable) {
		return func(table *testTable) {
			for _, name := range names {
				table.addColumn(name, func(int) string { return "a" })
			}
		}
	}
	tree := func(taxonomy string) string {
		return strings.Replace(generatedJob, "taxonomy: {prefix: [3, 1]}", taxonomy, 1)
	}
	const there = "there.pq"
	nested := formatstest.SharedData(t, "parquet-testing/data/list_columns.parquet")
	const (
		fails     = iota
		runs      // the plan succeeds, and the run fails later
		forecasts // the plan fails, with a forecast of the resources
	)
	for _, tt := range []struct {
		name   string
		job    string
		change func(*testTable) // changes the input, if there is one
		also   func(*testTable) // changes a second input
		class  fault.Class
		plan   int
		hides  string // text that must not be shown, like the secret
		want   []string
	}{
		{"class column missing", changed("class: income", "class: wage\nunlisted: keep"), same, nil,
			fault.Input, fails, "", []string{"it lacks wage"}},
		{"columns missing", changed("  income: keep", "  income: keep\n  shoe: keep\n  hat: drop"),
			same, nil, fault.Input, fails, "", []string{"it lacks shoe, hat"}},
		{"columns unlisted", peopleJob, adds("hat", "shoe"), nil, fault.Input, fails, "",
			[]string{"no entry for column hat, shoe"}},
		{"value not in the taxonomy", peopleJob, nil, func(table *testTable) {
			for _, row := range []int{211, 250, 299} {
				table.set(row, "city", secret)
			}
			table.set(230, "city", secret+"2")
		}, fault.Input, runs, "", []string{"column city", "2 distinct values of 4 rows",
			"b.parquet, row 212"}},
		{"k unreachable", changed("k: 5", "k: 301"), same, nil, fault.Privacy, forecasts, "",
			[]string{"the input has 300 rows, k is 301"}},
		{"no rows", peopleJob, func(table *testTable) {
			table.rows = nil
		}, nil, fault.Privacy, forecasts, "", []string{"the input has 0 rows"}},
		{"no input", peopleJob, nil, nil, fault.Input, fails, "", []string{"in: no such file"}},
		{"no such input", changed("input: in", "input: nowhere"), same, nil, fault.Input, fails, "",
			[]string{"nowhere"}},
		{"damaged input", changed("input: in", "input: [in/a.parquet, there.pq]"),
			same, nil, fault.Input, fails, "", []string{there}},
		{
			"value below the bounds", changed("bounds: [17, 90]", "bounds: [18, 90]"),
			sets("age", "17", "16", "17"), nil,
			fault.Input, fails, "", []string{"column age", "outside the declared bounds"},
		},
		{
			"value above the bounds", changed("bounds: [17, 90]", "bounds: [0, 90]"),
			sets("age", "91"), nil,
			fault.Input, fails, "", []string{"column age"},
		},
		{
			"bounds of another type", changed("bounds: [17, 90]", "bounds: [17, ninety]"),
			same, nil,
			fault.Usage, fails, "", []string{"declared bounds of column age", "job.yaml:", "^"},
		},
		{
			"bounds upside down", changed("bounds: [17, 90]", "bounds: [90, 17]"), same, nil,
			fault.Usage, fails, "", []string{
				"bounds of column age: the lower one is above", "job.yaml:", "^",
			},
		},
		{
			"bounds of no number", changed("weight: discretize",
				"weight: {mask: discretize, bounds: [0, NaN]}"), same, nil,
			fault.Usage, fails, "", []string{"bounds of column weight: NaN", "job.yaml:", "^"},
		},
		{"text discretized", changed("job: suppress", "job: discretize"), same, nil,
			fault.Input, fails, "", []string{"column job", "its type is"}},
		{
			"nested column masked", fmt.Sprintf(`
input: %q
output: out.parquet
quasi_identifiers: [{columns: [int64_list], k: 2}]
columns: {int64_list: suppress, utf8_list: keep}
`, nested), nil, nil, fault.Input, fails, "", []string{"mask column int64_list: it is nested"},
		},
		{"mark as a value", peopleJob, sets("job", "*"), nil, fault.Input, runs, "",
			[]string{"column job", "1 row"}},
		{"no memory", peopleJob + "limits: {memory: 1MiB}\n", same, nil, fault.Resources, fails, "",
			[]string{"memory"}},
		{"output exists", changed("out.parquet", there), same, nil, fault.Exists, forecasts, "",
			[]string{there}},
		{"output among the inputs", changed("out.parquet", "in/out.parquet"), same,
			nil, fault.Usage, fails, "", []string{"among the job's own input"}},
		{
			"output is what a glob matches", changed("input: in\noutput: out.parquet",
				"input: in/*.parquet\noutput: in/out.parquet"), same, nil,
			fault.Usage, fails, "", []string{"among the job's own input"},
		},
		{
			"output is below what a glob matches",
			changed("input: in\noutput: out.parquet",
				"input: [in/a.parquet, \"**/*.parquet\"]\noutput: out/"), same, nil,
			fault.Usage, fails, "", []string{"among the job's own input"},
		},
		{"output above the inputs", changed("out.parquet", "./"), same, nil, fault.Usage, fails, "",
			[]string{"among the job's own input"}},
		{"output in no folder", changed("out.parquet", "nowhere/out.parquet"), same,
			nil, fault.Usage, fails, "", []string{"nowhere"}},
		{"types disagree", peopleJob, same, func(table *testTable) {
			table.fields[0].Type = textType
		}, fault.Input, fails, "", []string{"a.parquet", "b.parquet", `column "age"`}},
		{"columns disagree", peopleJob, same, func(table *testTable) {
			table.rename("age", "years")
		}, fault.Input, fails, "", []string{"a.parquet", "b.parquet", `column "age"`}},
		{
			"bounds collide with a column", changed("weight: discretize",
				"weight: {mask: discretize, render: bounds}\n  weight_lower: keep"),
			adds("weight_lower"), nil,
			fault.Usage, fails, "", []string{"two columns would be named weight_lower"},
		},
		{
			"bounds have the name of a masked column",
			strings.NewReplacer("weight: discretize", "weight: {mask: discretize, render: bounds}",
				"age: {", "weight_lower: {render: bounds, ", "age", "weight_lower",
			).Replace(peopleJob),
			func(table *testTable) { table.rename("age", "weight_lower") }, nil,
			fault.Usage, fails, "", []string{"weight_lower", "masked column of that name"},
		},
		{"no taxonomy file", changed("trees.yaml", "forest.yaml"), same, nil, fault.Usage,
			fails, "", []string{"forest.yaml", "no such file"}},
		{"too many classes", strings.Replace(changed("class: income", "class: id"),
			"  income: keep", "  income: keep\n  id: {keep: {identifying: accepted}}", 1),
			func(table *testTable) {
				table.rows = people(rand.New(rand.NewPCG(3, 4)), domain.MaxClasses+1).rows
				table.addColumn("id", func(row int) string { return fmt.Sprint(row) })
			}, nil, fault.Input, runs, "",
			[]string{"class column id has more than 10000 distinct values"}},
		// Values that a generator cannot place, and names that are values too, are no tree.
		{"no number", tree("taxonomy: {ranges: [1, 2]}"), sets("city", "Bonn"), nil,
			fault.Input, runs, "Bonn", []string{"make the taxonomy of column city"}},
		{"no date", tree("taxonomy: {date: [year]}"), sets("city", "Bonn"), nil,
			fault.Input, runs, "Bonn", []string{"make the taxonomy of column city"}},
		{"inner node", tree("unknown: root, taxonomy: {ANY: {Bonn: [Paris, Lyon]}}"),
			sets("city", "Bonn"), nil, fault.Input, runs, "Bonn", []string{"column city"}},
		{"unknown: node", tree("taxonomy: {ANY: {Bonn: [Paris, Lyon]}}"), sets("city", "Bonn"), nil,
			fault.Input, runs, "Bonn", []string{"its taxonomy lacks"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := jobFolder(t, tt.job)
			write(t, filepath.Join(dir, there), "here")
			for name, change := range map[string]func(*testTable){
				"a.parquet": tt.change, "b.parquet": tt.also,
			} {
				if change != nil {
					table := people(rand.New(rand.NewPCG(3, 4)), 300)
					change(table)
					table.parquet(t, filepath.Join(dir, "in", name), 0, len(table.rows), 100)
				}
			}
			before, file := listing(t, dir), filepath.Join(t.TempDir(), "run.json")
			job, overwrite := mustLoad(t, dir), tt.class != fault.Exists
			var failed *Report
			report, err := Run(t.Context(), job,
				RunOptions{Overwrite: overwrite, RunJSON: file,
					Failed: func(r *Report) { failed = r }})
			mustFail(t, err, tt.class, tt.want...)
			if err == nil || report != nil {
				t.Fatalf("got %+v", report)
			}
			if failed == nil || failed.Error.Class != tt.class.String() ||
				failed.Error.Message != err.Error() ||
				tt.plan == runs && (failed.Rows == 0 || len(failed.Stages) == 0) ||
				tt.plan == forecasts && len(failed.Stages) > 0 {
				t.Errorf("reported %+v", failed)
			}
			if written, err := ReadReport(mustRead(t, file)); err != nil ||
				*written.Error != *failed.Error {
				t.Errorf("written %+v, %v", written, err)
			}
			if tt.hides != "" && strings.Contains(err.Error(), tt.hides) {
				t.Errorf("%q shows a value", err)
			}
			forecast, err := Plan(t.Context(), job, PlanOptions{Overwrite: overwrite, Sample: true})
			if tt.plan != runs && (fault.ClassOf(err) != tt.class ||
				(forecast != nil) != (tt.plan == forecasts)) {
				t.Errorf("planned: %+v, %v of class %d", forecast, err, fault.ClassOf(err))
			}
			unchanged(t, dir, before)
		})
	}
}
