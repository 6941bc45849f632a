package pipeline

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/forecast"
	"github.com/kcut/kcut/pipeline/job"
)

// withoutRoom is a plan without the free space of the disks, which changes.
func withoutRoom(f *forecast.Forecast) string {
	if f == nil {
		return ""
	}
	g := *f
	risk, _ := json.Marshal([]any{g.Risk, g.Union}) // they are numbers and texts
	g.Disk.OutputRoom, g.Disk.SpillRoom, g.Risk, g.Union = nil, nil, nil, nil
	return fmt.Sprintf("%+v %s", g, risk)
}

// planJob plans the folder's job with overrides given as key, value pairs.
func planJob(
	t *testing.T, dir string, opt PlanOptions, overrides ...string,
) (*forecast.Forecast, error) {
	t.Helper()
	job := mustLoad(t, dir, overrides...)
	return Plan(t.Context(), job, opt)
}

// distinctTuples counts the tuples of some columns of a table with a map.
func distinctTuples(table *testTable, columns []string) int64 {
	seen := make(map[string]bool)
	for _, row := range table.rows {
		seen[table.key(row, columns)] = true
	}
	return int64(len(seen))
}

// mustHold demands that a number lies in a range.
func mustHold(t *testing.T, what string, r forecast.Range, n int64) {
	t.Helper()
	if n < r.AtLeast || n > r.AtMost {
		t.Errorf("%s: %d, predicted were %d to %d", what, n, r.AtLeast, r.AtMost)
	}
}

// TestPlanPredictsTheTruth compares plans, which may have read only some rows, with the tables
// and with the runs.
func TestPlanPredictsTheTruth(t *testing.T) {
	for _, seed := range seeded(t, 6) {
		rng := rand.New(rand.NewPCG(seed, 0))
		table := people(rng, 200+rng.IntN(3000))
		dir := jobFolder(t, peopleJob)
		group := 1 + rng.IntN(1000)
		half := len(table.rows) / 2
		table.parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, half, group)
		table.parquet(t, filepath.Join(dir, "in", "b.parquet"), half, len(table.rows), group)
		for _, sample := range []bool{false, true} {
			for _, algorithm := range []string{"tdr", "mondrian"} {
				t.Run(fmt.Sprintf("%d %v %s", seed, sample, algorithm), func(t *testing.T) {
					comparePlan(t, table, dir, sample, algorithm)
				})
			}
		}
	}
}

func comparePlan(t *testing.T, table *testTable, dir string, sample bool, algorithm string) {
	before := listing(t, dir)
	f, err := planJob(t, dir, PlanOptions{Overwrite: true, Sample: sample}, "algorithm.name",
		algorithm)
	must(t, err)
	unchanged(t, dir, before)
	again, err := planJob(t, dir, PlanOptions{Overwrite: true, Sample: sample}, "algorithm.name",
		algorithm)
	if err != nil || withoutRoom(again) != withoutRoom(f) {
		t.Errorf("planned again: %s, %v\nbefore: %s", withoutRoom(again), err, withoutRoom(f))
	}
	if out, spill := f.Disk.OutputRoom, f.Disk.SpillRoom; out == nil || out.Folder != dir ||
		spill == nil || spill.Folder != filepath.Join(dir, ".kcut-spill") {
		t.Errorf("room %+v for the release, %+v to spill", out, spill)
	}
	if rows := int64(len(table.rows)); f.Rows != rows || f.Files != 2 ||
		sample && f.Sampled != rows || !sample && f.Sampled != 0 {
		t.Errorf("%d rows in %d files, %d read, of %d rows", f.Rows, f.Files, f.Sampled, rows)
	}
	for i, column := range f.Columns {
		nulls := int64(0)
		if slices.ContainsFunc(table.rows, func(row []string) bool { return row[i] == null }) {
			nulls = 1
		}
		mustHold(t, "values of "+column.Name, column.Distinct,
			distinctTuples(table, []string{column.Name})-nulls)
	}
	for _, g := range f.Groupings {
		mustHold(t, "tuples of "+strings.Join(g.Columns, ", "),
			g.Tuples, distinctTuples(table, g.Columns))
		if sample && g.Tuples.AtLeast != g.Tuples.AtMost {
			t.Errorf("all rows were read, and there are %+v tuples of %v", g.Tuples, g.Columns)
		}
	}
	report := mustRun(t, dir, nil, "algorithm.name", algorithm)
	if len(report.Tuples) != len(f.Groupings) {
		t.Fatalf("%d groupings, the run has %d", len(f.Groupings), len(report.Tuples))
	}
	for i, n := range report.Tuples { // after what no search tells apart was joined
		if int64(n) > f.Groupings[i].Tuples.AtMost {
			t.Errorf("the run has %d tuples, at most %d were predicted",
				n, f.Groupings[i].Tuples.AtMost)
		}
	}
	if algorithm == job.AlgorithmTDR {
		mustHold(t, "steps", f.Steps, int64(report.Steps))
		if sample && f.Steps.AtLeast != f.Steps.AtMost {
			t.Errorf("the job was tried on all rows, and %+v steps are predicted", f.Steps)
		}
	}
	if sample != (f.Union != nil) || sample && *f.Union != *report.Union {
		t.Errorf("predicted for all labels: %+v, the run has %+v", f.Union, report.Union)
	}
	if size := int64(len(mustRead(t, report.Output))); size > f.Disk.Output {
		t.Errorf("the output has %d bytes, to be reserved were %d", size, f.Disk.Output)
	}
}

// TestPlanPredictsSpilling plans runs of a table of near-unique values with budgets around the
// need: a verdict must agree with the run, and the smallest and largest budget must have one.
func TestPlanPredictsSpilling(t *testing.T) {
	table := &testTable{fields: []formats.Field{
		{Name: "id", Type: wholeType}, {Name: "age", Type: wholeType},
	}}
	for i := range 100_000 {
		table.rows = append(table.rows, []string{fmt.Sprint(i * 7), fmt.Sprint(i % 90)})
	}
	dir := table.folder(t, `
input: in
output: out.parquet
quasi_identifiers: [{columns: [id, age], k: 2}]
columns: {id: discretize, age: discretize}
max_steps: 3
`, 1<<16)
	verdicts := make(map[forecast.Verdict]int)
	for _, memory := range []string{"16MiB", "32MiB", "64MiB", "256MiB"} {
		spilled := slices.ContainsFunc(mustRun(t, dir, nil, "limits.memory", memory).Notices,
			func(text string) bool {
				return strings.HasSuffix(text, "spilling to disk")
			})
		for _, sample := range []bool{false, true} {
			f, err := planJob(t, dir, PlanOptions{Overwrite: true, Sample: sample}, "limits.memory",
				memory)
			must(t, err)
			verdict := f.Memory.Spills
			if spilled && verdict == forecast.No || !spilled && verdict == forecast.Yes {
				t.Errorf("%s: predicted was %q, it spilled: %v", memory, verdict, spilled)
			}
			if sample {
				verdicts[verdict]++
			}
		}
	}
	if verdicts[forecast.Yes] == 0 || verdicts[forecast.No] == 0 || verdicts[forecast.Maybe] > 2 {
		t.Errorf("verdicts that tell little: %v", verdicts)
	}
}

// TestPlanPredictsSteps compares the steps that a plan predicts from rows with the steps of a
// run.
func TestPlanPredictsSteps(t *testing.T) {
	const disclosures = "quasi_identifiers: [{columns: [town], k: 5}]\n" +
		"columns: {town: suppress, age: drop, class: keep, illness: keep}\nmax_unique: 100%\n"
	const numbers = "quasi_identifiers: [{columns: [age], k: 5}]\n" +
		"columns: {age: discretize, town: drop, class: drop, illness: keep}\nmax_unique: 100%\n"
	const outliers = "sensitive: [{column: illness, l: 3}]\nmax_suppressed: 40%\n"
	r := rand.New(rand.NewPCG(1, 1))
	table := &testTable{fields: []formats.Field{
		{Name: "town", Type: textType}, {Name: "age", Type: wholeType},
		{Name: "class", Type: textType}, {Name: "illness", Type: textType},
	}}
	for range 20_000 {
		town, illness := int(4000*math.Pow(r.Float64(), 3)), r.IntN(20)
		if town%3 == 0 { // they are outliers
			illness = 0
		}
		table.rows = append(table.rows, []string{fmt.Sprint("t", town), fmt.Sprint(r.IntN(2000)),
			fmt.Sprint(min(int(r.ExpFloat64()), 4)), fmt.Sprint(illness)})
	}
	for name, of := range map[string]string{
		"skewed": disclosures, "skewed with a class": "class: class\n" + disclosures,
		"outliers": disclosures + outliers, "numbers": numbers,
	} {
		t.Run(name, func(t *testing.T) {
			dir := table.folder(t, "input: in\noutput: out.parquet\n"+of, 5000)
			planned, err := planJob(t, dir, PlanOptions{Sample: true})
			must(t, err)
			steps := int64(mustRun(t, dir, nil).Steps)
			mustHold(t, "steps", planned.Steps, steps)
			if 2*planned.Steps.AtMost > 3*steps {
				t.Errorf("%d steps were made, %d predicted", steps, planned.Steps.AtMost)
			}
		})
	}
}

// A plan notes kept columns in which all rows differ; with a sample of all rows it refuses them
// like a run.
func TestPlanPointsOutIdentifiers(t *testing.T) {
	table := people(rand.New(rand.NewPCG(1, 1)), 100)
	table.addColumn("serial", func(row int) string { return fmt.Sprint("no ", row) })
	dir := table.folder(t, changed("income: keep", "income: keep\n  serial: keep"), 100)
	f, err := planJob(t, dir, PlanOptions{Sample: true})
	mustFail(t, err, fault.Privacy, "kept column serial", "serial: {keep: {identifying: accepted}}")
	last := len(f.Notices) - 1 // before it come bounds and few nulls
	if last != 4 || !strings.HasPrefix(f.Notices[0],
		"rows leave in the order of the input") ||
		!strings.HasPrefix(f.Notices[last], "column serial is kept") || f.Risk.Kept.Unique != 1 {
		t.Errorf("notices %q, risk %+v", f.Notices, f.Risk)
	}
	if f, _ = planJob(t, dir, PlanOptions{Sample: true}, "order",
		job.OrderReleased); len(f.Notices) != last {
		t.Errorf("notices %q", f.Notices)
	}
	editJob(t, dir, "serial: keep", "serial: {keep: {identifying: accepted}}")
	if f, err = planJob(t, dir, PlanOptions{Sample: true}); err != nil ||
		!slices.Contains(f.Notices, "100.0 % of the rows are unique on kept column serial: "+
			"accepted") {
		t.Errorf("accepted: %v, notices %q", err, f.Notices)
	}
}

// A plan of all rows predicts the risk that a run reports.
func TestPlanPredictsRisk(t *testing.T) {
	table := keptPeople(500)
	dir := table.folder(t, keeping(accepting("street", "title", "ward")...), 100)
	f, err := planJob(t, dir, PlanOptions{Sample: true})
	must(t, err)
	report := mustRun(t, dir, nil)
	if !reflect.DeepEqual(f.Risk.Kept, report.Risk.Kept) ||
		!reflect.DeepEqual(f.Risk.Raw, report.Risk.Raw) ||
		!slices.Equal(f.Risk.Determines, report.Risk.Determines) {
		t.Errorf("a plan tells %+v, a run %+v", f.Risk, report.Risk)
	}
	if f, err = planJob(t, dir, PlanOptions{}); err != nil && fault.ClassOf(err) != fault.Exists ||
		f.Risk != nil {
		t.Errorf("without a sample: %+v, %v", f.Risk, err)
	}
}

// A plan that has read all rows has the error of the run: for rows that are alone on all labels,
// and for values that a taxonomy lacks.
func TestPlanEndsAsTheRun(t *testing.T) {
	table := &testTable{fields: []formats.Field{
		{Name: "a", Type: textType}, {Name: "b", Type: textType}, {Name: "c", Type: textType},
	}}
	for i := range 200 {
		table.rows = append(table.rows, []string{
			fmt.Sprint(i % 12), fmt.Sprint(i % 17), fmt.Sprint("c", i%2),
		})
	}
	for name, tt := range map[string]struct {
		job  string
		want fault.Class // 0: none
	}{
		"nobody is alone": {"quasi_identifiers: [{columns: [a], k: 5}, {columns: [b], k: 5}, " +
			"{columns: all, k: 2}]\ncolumns: {a: suppress, b: suppress, c: drop}\n", 0},
		"one set": {"quasi_identifiers: [{columns: [a, b], k: 5}]\n" +
			"columns: {a: suppress, b: suppress, c: drop}\n", 0},
		"alone": {"quasi_identifiers: [{columns: [a], k: 5}, {columns: [b], k: 5}]\n" +
			"columns: {a: suppress, b: suppress, c: drop}\n", fault.Privacy},
		"accepted": {"max_unique: 100%\nquasi_identifiers: [{columns: [a], k: 5}, {columns: [b], " +
			"k: 5}]\ncolumns: {a: suppress, b: suppress, c: drop}\n", 0},
		"unknown values": {"quasi_identifiers: [{columns: [a], k: 5}, {columns: [c], k: 5}]\n" +
			"columns: {a: suppress, b: drop, c: {mask: generalize, taxonomy: {any: [c0]}}}\n",
			fault.Input},
	} {
		t.Run(name, func(t *testing.T) {
			dir := table.folder(t, "input: in\noutput: out.parquet\n"+tt.job, 50)
			job, err := job.Load(filepath.Join(dir, "job.yaml"), nil)
			must(t, err)
			f, err := Plan(t.Context(), job, PlanOptions{Sample: true})
			_, failed := Run(t.Context(), job, RunOptions{})
			if f == nil || (err == nil) != (tt.want == 0) ||
				err != nil && fault.ClassOf(err) != tt.want ||
				fmt.Sprint(err) != fmt.Sprint(failed) {
				t.Errorf("planned: %v, run: %v", err, failed)
			}
		})
	}
}

// A plan of a sample predicts the share of its rows that are alone on all labels, and notes a
// share above the limit of the job. A note is one line, without the place in the job file.
func TestPlanPredictsTheUnionOfASample(t *testing.T) {
	table := &testTable{fields: []formats.Field{
		{Name: "a", Type: wholeType}, {Name: "b", Type: wholeType},
	}}
	for i := range 300_000 {
		table.rows = append(table.rows, []string{fmt.Sprint(i % 900), fmt.Sprint(i % 901)})
	}
	dir := table.folder(t, "input: in\noutput: out.parquet\n"+
		"quasi_identifiers: [{columns: [a], k: 5}, {columns: [b], k: 5}]\n"+
		"columns: {a: discretize, b: discretize}\nlimits: {memory: 16MiB}\n", 1<<14)
	job, err := job.Load(filepath.Join(dir, "job.yaml"), nil)
	must(t, err)
	f, err := Plan(t.Context(), job, PlanOptions{Sample: true})
	must(t, err)
	want := fmt.Sprintf("a run of the %s that were sampled would end with an error: ",
		text.Count(f.Sampled, "row"))
	noted := slices.ContainsFunc(f.Notices, func(note string) bool {
		return strings.HasPrefix(note, want)
	})
	if f.Sampled == 0 || f.Sampled == f.Rows || f.Union == nil || f.Union.Unique < 0.01 || !noted {
		t.Errorf("%d of %d rows sampled, %+v, notes %q", f.Sampled, f.Rows, f.Union, f.Notices)
	}

	for _, row := range table.rows {
		row[1] = row[0] // b follows from a
	}
	dir = table.folder(t, "input: in\noutput: out.parquet\n"+
		"quasi_identifiers: [{columns: [a], k: 5000}]\ncolumns: {a: discretize, b: keep}\n"+
		"limits: {memory: 16MiB}\n", 1<<14)
	f, err = planJob(t, dir, PlanOptions{Sample: true}, "max_unique", "1%")
	must(t, err)
	noted = slices.ContainsFunc(f.Notices, func(note string) bool {
		return strings.HasPrefix(note, want+filepath.Join(dir, "job.yaml:")) &&
			strings.Contains(note, "follows from")
	})
	if all := strings.Join(f.Notices, ""); !noted || strings.Contains(all, "\n") {
		t.Errorf("notes %q", f.Notices)
	}
}

// TestPlanOfAutoIsARange: the least predicted time of a candidate is at most the longest, also
// where there may be so few tuples that guided fits more models.
func TestPlanOfAutoIsARange(t *testing.T) {
	dir := peopleFolder(t, withAlgorithm(peopleJob, job.AlgorithmAuto), 20_000)
	planned, err := Plan(t.Context(), mustLoad(t, dir), PlanOptions{})
	must(t, err)
	if tuples := planned.Groupings[0].Tuples; tuples.AtLeast > 3000 || tuples.AtMost < 4000 {
		t.Errorf("%+v tuples are predicted, too narrow a range for the test", tuples)
	}
	if len(planned.Auto) == 0 {
		t.Error("no candidates are listed")
	}
	for _, c := range planned.Auto {
		if c.Seconds.AtLeast > c.Seconds.AtMost {
			t.Errorf("%s is predicted to take %+v", c.Algorithm, c.Seconds)
		}
	}
}
