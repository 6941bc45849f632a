package evaluate

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kcut/kcut/engine/judge"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/spill"
)

const peopleJob = `input: people.csv
output: out.parquet
class: rich
quasi_identifiers: [{columns: [age, job, city], k: 5}]
columns: {age: discretize, job: suppress, city: generalize, hours: keep, color: keep, name: keep, set: drop, rich: keep}
taxonomies: {city: cities.yaml}
`

const cities = `ANY:
  north: {Kiel: , Bremen: }
  south: {Ulm: , Passau: }
`

// people writes random people and a job. Age and color determine the class of its rows.
func people(t *testing.T, r *rand.Rand, rows int) (job string, table [][]string) {
	t.Helper()
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	for i := range rows {
		age, color, rich := 18+r.IntN(50), pick("red", "blue", ""), "no"
		if age > 40 && color != "red" || r.IntN(8) == 0 {
			rich = "yes"
		}
		set := "training"
		if i%3 == 0 {
			set = pick("test", "")
		}
		table = append(table, []string{
			fmt.Sprint(age), pick("cook", "smith", ""), pick("Kiel", "Bremen", "Ulm", "Passau"),
			pick("10", "20.5", ""), color, fmt.Sprint("name", i), set, rich,
		})
	}
	return put(t, table), table
}

// put writes a table and the job.
func put(t *testing.T, table [][]string) (job string) {
	t.Helper()
	var text strings.Builder
	out := csv.NewWriter(&text)
	must(t, errors.Join(out.Write([]string{"age", "job", "city", "hours", "color", "name", "set",
		"rich"}), out.WriteAll(table)))
	dir := t.TempDir()
	job = filepath.Join(dir, "job.yaml")
	for file, text := range map[string]string{"people.csv": text.String(), "job.yaml": peopleJob,
		"cities.yaml": cities} {
		must(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600))
	}
	return job
}

// load loads a job for every algorithm, with one more key set to a value.
func load(t *testing.T, path, key, value string, algorithms ...string) (jobs []*job.Job) {
	t.Helper()
	for _, name := range algorithms {
		j, err := job.Load(path, []job.Override{{
			Key:    "algorithm.name",
			Value:  name,
			Origin: "--algorithms",
		}, {Key: key, Value: value, Origin: "--" + key}})
		must(t, err)
		jobs = append(jobs, j)
	}
	return jobs
}

// The result depends neither on threads nor memory, nor on the order of rows, and the errors
// without quasi-identifiers agree with rows counted by hand: two kept columns are left.
func TestEvaluate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	path, rows := people(t, r, 1500)
	var notices []string
	var mu sync.Mutex
	seen := make(map[resources.Progress]bool)
	o := Options{Folds: 3, Repeats: 2, Events: resources.Events{
		Notice: func(text string) { notices = append(notices, text) },
		Progress: func(s resources.Stage, p resources.Progress) {
			mu.Lock()
			defer mu.Unlock()
			seen[p] = seen[p] || s == Stage
		},
	}}
	var first *Report
	var jobs []*job.Job
	for _, setting := range [][2]string{{"limits.threads", "1"}, {"limits.threads", "4"},
		{"limits.memory", "32MiB"}} {
		jobs = load(t, path, setting[0], setting[1], "tdr", "mondrian", "kactus", "iacc")
		report, err := Evaluate(t.Context(), jobs, o)
		must(t, err)
		if first == nil {
			first = report
		}
		if !reflect.DeepEqual(report, first) {
			t.Errorf("%v: %+v, before %+v", setting, report, first)
		}
		for i := range int64(36) { // six rounds of four jobs, raw rows and unmasked ones
			if !seen[resources.Progress{Done: i + 1, Total: 36, Unit: "measurements"}] {
				t.Errorf("%v: no progress after measurement %d: %v", setting, i+1, seen)
			}
		}
		clear(seen)
	}
	r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	jobs = load(t, put(t, rows), "limits.threads", "2", "tdr", "mondrian", "kactus", "iacc")
	if report, err := Evaluate(t.Context(), jobs, o); err != nil ||
		!reflect.DeepEqual(report, first) {
		t.Errorf("rows in another order: %+v, before %+v, %v", report, first, err)
	}
	o.RulesFromAll = true
	if report, err := Evaluate(t.Context(), jobs, o); err != nil ||
		!reflect.DeepEqual(report.Baseline, first.Baseline) ||
		!slices.Equal(report.Optimistic, []string{"errors", "quality", "propensity"}) ||
		first.Optimistic != nil ||
		reflect.DeepEqual(report.Results, first.Results) {
		t.Errorf("rules from all rows: %+v, before %+v, %v", report, first, err)
	}
	o.RulesFromAll, o.Sample = false, 700
	if report, err := Evaluate(t.Context(), jobs, o); err != nil || report.Rows < 600 ||
		report.Rows > 800 {
		t.Errorf("a sample: %+v, %v", report, err)
	}
	o.Sample = 0
	if text := strings.Join(notices, "\n"); !strings.Contains(text,
		"column name is left out: it has more than 1000 values") {
		t.Errorf("notices: %s", text)
	}
	if first.Rows != 1500 || first.Rounds != 6 || len(first.Results) != 4 ||
		first.Results[3].Failed == "" && first.Results[3].Errors == nil {
		t.Errorf("got %+v", first)
	}
	if q := first.Results[0].Quality["tree"]; len(q.ClassErrors) != 2 || q.AUC.Mean < 0.5 ||
		q.AUC.Mean > 1 ||
		math.Abs((q.ClassErrors[0].Mean+q.ClassErrors[1].Mean)/2-q.BalancedError.Mean) > 1e-12 {
		t.Errorf("quality of the tree %+v", q)
	}
	if r := first.Results; r[0].Release.QueryError.Mean <= r[1].Release.QueryError.Mean ||
		r[1].Release.QueryErrorMedian.Mean <= 0 {
		t.Errorf("queries are answered with error %+v by one cut, %+v by Mondrian's regions",
			r[0].Release.QueryError, r[1].Release.QueryError)
	}
	want := colorScore(t, jobs, o)
	if got := first.Upper["tree"]; math.Abs(got.Mean-want.Mean) > 1e-12 ||
		math.Abs(*got.Deviation-*want.Deviation) > 1e-12 {
		t.Errorf("upper error of the tree %g ± %g, want %g ± %g", got.Mean, *got.Deviation,
			want.Mean, *want.Deviation)
	}
	if be, ue := first.Baseline["tree"].Mean, first.Upper["tree"].Mean; be > ue-0.05 {
		t.Errorf("age determines the class, but the errors are %g with and %g without it", be, ue)
	}
}

// colorScore is the score of the tree that tests only the color, since hours have no information:
// by hand, except for the assignment of rows.
func colorScore(t *testing.T, jobs []*job.Job, o Options) Score {
	t.Helper()
	var rounds []measurement
	assigning(t, jobs, o, func(e *evaluation, f *judge.Fold) {
		read := func(from judge.Source) (table [][]string) {
			b := gather(t, from)
			for i, n := range b.Counts {
				row := []string{4: fmt.Sprint(b.Columns[len(e.Attributes)+1][i]),
					7: []string{"no", "yes"}[b.Classes[i]]}
				table = append(table, slices.Repeat([][]string{row}, int(n))...)
			}
			return table
		}
		rounds = append(rounds,
			measurement{scores: []tested{{wrong: treeByHand(read(f.Training), read(f.Test))}}})
	})
	return over(rounds, func(m measurement) float64 { return m.scores[0].wrong })
}

// gather returns all records of a source.
func gather(t *testing.T, from judge.Source) *judge.Block {
	t.Helper()
	all := &judge.Block{}
	must(t, from(t.Context(), func(b *judge.Block) error {
		all.Columns, all.Labels = join(all.Columns, b.Columns), join(all.Labels, b.Labels)
		all.Classes, all.Counts = append(all.Classes, b.Classes...), append(all.Counts, b.Counts...)
		return nil
	}))
	return all
}

func join(to, more [][]uint32) [][]uint32 {
	for i, codes := range more {
		if i == len(to) {
			to = append(to, nil)
		}
		to[i] = append(to[i], codes...)
	}
	return to
}

// masked returns a source with another source's records, from which a release was made, masked.
func masked(from judge.Source, r *judge.Release) judge.Source {
	masker := judge.NewMasker(r.Recoding, r.Pools)
	return func(ctx context.Context, visit func(*judge.Block) error) error {
		return from(ctx, func(b *judge.Block) error { return visit(masker.Mask(b)) })
	}
}

// assigning passes the assignment of every round of an evaluation to use.
func assigning(t *testing.T, jobs []*job.Job, o Options,
	use func(*evaluation, *judge.Fold)) {
	t.Helper()
	e := newEvaluation(jobs, o)
	must(t, e.read(t.Context(), false, func(ctx context.Context) error {
		for _, r := range o.plan() {
			f, err := e.assign(ctx, r)
			if err != nil {
				return err
			}
			use(e, f)
		}
		return nil
	}))
}

// treeByHand returns the error of the tree that tests only the color, since hours have no
// information.
func treeByHand(training, test [][]string) float64 {
	const color, rich = 4, 7
	yes := map[string]int{}
	for _, row := range training {
		if row[rich] == "yes" {
			yes[row[color]]++
		} else {
			yes[row[color]]--
		}
	}
	wrong := 0
	for _, row := range test {
		if (yes[row[color]] > 0) != (row[rich] == "yes") {
			wrong++
		}
	}
	return float64(wrong) / float64(len(test))
}

// A column separates training from test rows: a null is for testing, too. It is no feature.
func TestSplit(t *testing.T) {
	job, rows := people(t, rand.New(rand.NewPCG(2, 1)), 600)
	report, err := Evaluate(t.Context(), load(t, job, "quasi_identifiers[].k", "400", "tdr"),
		Options{
			SplitColumn: "set",
			SplitValue:  "training",
		})
	must(t, err)
	var training, test [][]string
	for _, row := range rows {
		if row[6] == "training" {
			training = append(training, row)
		} else {
			test = append(test, row)
		}
	}
	if report.Rounds != 1 || report.Upper["tree"].Deviation != nil || len(training) != 400 {
		t.Fatalf("%d training rows, report %+v", len(training), report)
	}
	// No two of 400 records can be distinguished when k is 400, so masked is as good as removed.
	want := treeByHand(training, test)
	if got := report.Upper["tree"].Mean; math.Abs(got-want) > 1e-12 {
		t.Errorf("upper error %g, want %g", got, want)
	}
	if by := colorScore(t, load(t, job, "limits.threads", "1", "tdr"), Options{
		SplitColumn: "set",
		SplitValue:  "training",
	}); math.Abs(by.Mean-want) > 1e-12 {
		t.Errorf("assigned by the split it is %g, want %g", by.Mean, want)
	}
	result := report.Results[0]
	if got := result.Errors["tree"].Mean; math.Abs(got-want) > 1e-12 {
		t.Errorf("anonymity error %g, want %g", got, want)
	}
	if r := result.Release; r.Discernibility.Mean != 400*400 || r.Penalty.Mean != 1 ||
		r.ClassSize.Mean != 1 || r.Dropped.Mean != 0 {
		t.Errorf("costs %+v", r)
	}
}

// Without a class the costs of masking are measured all the same: for tdr, which then uses the
// penalty, and for mondrian, which has no use for the class. Folds differ then, so the figures are
// near, not equal.
func TestEvaluateWithoutClass(t *testing.T) {
	path, _ := people(t, rand.New(rand.NewPCG(5, 1)), 3000)
	jobs := load(t, path, "quasi_identifiers[].k", "10", "tdr", "mondrian")
	o := Options{
		Folds:   3,
		Repeats: 1,
	}
	with, err := Evaluate(t.Context(), jobs, o)
	must(t, err)
	text, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, []byte(strings.Replace(string(text), "class: rich\n", "", 1)),
		0o600))
	var first *Report
	for _, setting := range [][2]string{{"limits.threads", "1"}, {"limits.memory", "24MiB"}} {
		for _, spilled := range []bool{false, true} {
			jobs = load(t, path, setting[0], setting[1], "tdr", "mondrian")
			for _, v := range jobs {
				v.Sets[0].K = 10
			}
			e := newEvaluation(jobs, o)
			must(t, e.read(t.Context(), spilled, e.run))
			report := e.report()
			if first == nil {
				first = report
			}
			if !reflect.DeepEqual(report, first) {
				t.Errorf("%v, spilled %t: %+v, before %+v", setting, spilled, report, first)
			}
		}
	}
	if len(first.Learners)+len(first.Baseline)+len(first.Upper)+len(first.Results[0].Errors) > 0 ||
		first.Rows != 3000 {
		t.Errorf("got %+v", first)
	}
	got, want := first.Results[1].Release, with.Results[1].Release
	for _, pair := range [][2]Score{{got.Penalty, want.Penalty}, {got.ClassSize, want.ClassSize},
		{got.QueryError, want.QueryError}} {
		if pair[0].Mean == 0 || math.Abs(pair[0].Mean/pair[1].Mean-1) > 0.1 {
			t.Errorf("without a class %+v, with one %+v", got, want)
		}
	}
	o.SplitColumn, o.SplitValue, o.Folds = "set", "training", 0
	report, err := Evaluate(t.Context(), jobs, o)
	if err != nil || report.Rounds != 1 || report.Results[1].Release.QueryError.Mean == 0 {
		t.Errorf("a split: %+v, %v", report, err)
	}
}

func TestEvaluateErrors(t *testing.T) {
	job, _ := people(t, rand.New(rand.NewPCG(3, 1)), 600)
	variants := load(t, job, "limits.memory", "16MiB", "tdr")
	for _, tt := range []struct {
		name    string
		options Options
		class   fault.Class
	}{
		{"no such column", Options{SplitColumn: "sets", SplitValue: "x"},
			fault.Usage},
		{"no training rows", Options{SplitColumn: "set", SplitValue: "x"},
			fault.Usage},
		{"more folds than rows", Options{Folds: 5000, Repeats: 1}, fault.Usage},
	} {
		if _, err := Evaluate(t.Context(), variants, tt.options); fault.ClassOf(err) != tt.class {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	variants[0].Sets[0].K = 500 // out of 400 training rows
	report, err := Evaluate(t.Context(), variants,
		Options{SplitColumn: "set", SplitValue: "training"})
	if err != nil || report.Results[0].Failed == "" || report.Results[0].Errors != nil {
		t.Errorf("%+v, %v", report, err)
	}
}

// With a store the report is the same, with any options, and a table that does not fit in memory is
// evaluated with one. Columns that are left out are noted once.
func TestEvaluateSpilled(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	few, _ := people(t, r, 3000)
	_, rows := people(t, r, 60_000)
	for i := range rows { // nearly all records differ
		rows[i][3] = fmt.Sprint(r.IntN(1 << 30))
	}
	many := put(t, rows)
	all := []string{"tdr", "bottom-up", "kactus", "iack", "mondrian", "infogain-mondrian", "guided"}
	for _, tt := range []struct {
		job        string
		options    Options
		algorithms []string
	}{
		{few, Options{Folds: 2, Repeats: 1}, all},
		{few, Options{SplitColumn: "set", SplitValue: "training", RulesFromAll: true}, all},
		{few, Options{Folds: 3, Repeats: 1, Sample: 1500, Nominal: true}, all},
		{few, Options{Folds: 2, Repeats: 1, Uniform: true}, []string{"tdr", "guided"}},
		{few, Options{Folds: 2, Repeats: 1, RawTest: true}, []string{"tdr", "mondrian"}},
		{many, Options{SplitColumn: "set", SplitValue: "training"},
			[]string{"tdr", "infogain-mondrian"}},
	} {
		o, spilled, left := tt.options, 0, 0
		o.Events.Notice = func(text string) {
			if strings.Contains(text, "spilling to disk") {
				spilled++
			} else if strings.Contains(text, "column name is left out") {
				left++
			}
		}
		jobs := load(t, tt.job, "limits.memory", "1GiB", tt.algorithms...)
		want, err := Evaluate(t.Context(), jobs, o)
		if err != nil || spilled > 0 {
			t.Fatalf("in memory: spilled %d times, %v", spilled, err)
		}
		jobs = load(t, tt.job, "limits.memory", "16MiB", tt.algorithms...)
		e := newEvaluation(jobs, o)
		var got *Report
		if tt.job == many {
			got, err = Evaluate(t.Context(), jobs, o)
		} else if err = e.read(t.Context(), true, e.run); err == nil {
			got = e.report()
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, in memory %+v, %v", got, want, err)
		}
		if spilled != 1 || left != 2 { // both read the input
			t.Errorf("%d notices of spilling, %d of columns left out", spilled, left)
		}
	}
}

// An evaluation that does not fit even with a store returns an error: here every value is listed.
func TestEvaluateMemory(t *testing.T) {
	job, _ := people(t, rand.New(rand.NewPCG(4, 1)), 120_000)
	text, err := os.ReadFile(job)
	must(t, err)
	// The names, which all differ, are a quasi-identifier.
	spec := strings.NewReplacer("[age, job, city]", "[age, job, city, name]", "name: keep",
		"name: suppress").Replace(string(text))
	must(t, os.WriteFile(job, []byte(spec), 0o600))
	_, err = Evaluate(t.Context(), load(t, job, "limits.memory", "16MiB", "tdr"), Options{
		Folds:   2,
		Repeats: 1,
	})
	if !errors.Is(err, spill.ErrBudget) || fault.ClassOf(err) != fault.Resources {
		t.Error(err)
	}
}

// must ends the test if there is an error.
func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// Ten billion rows, which a few hundred counted rows represent, have the same result as those rows,
// and a sample is one of all of them.
func TestEvaluateCounted(t *testing.T) {
	var text strings.Builder
	text.WriteString("age,rich,times\n")
	for age := range 100 {
		for _, rich := range []string{"no", "yes"} {
			times := 20_000_000
			if (age >= 50) == (rich == "yes") {
				times = 80_000_000
			}
			fmt.Fprintf(&text, "%d,%s,%d\n", age, rich, times)
		}
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "job.yaml")
	must(t, os.WriteFile(filepath.Join(dir, "people.csv"), []byte(text.String()), 0o600))
	must(t, os.WriteFile(path, []byte("count: times\ninput: people.csv\noutput: "+
		"out.parquet\nclass: rich\nquasi_identifiers: [{columns: [age], k: 5}]\ncolumns: {age: "+
		"discretize, rich: keep}\n"), 0o600))
	jobs := load(t, path, "quasi_identifiers[].k", "70000000", "tdr", "mondrian")
	o := Options{
		Folds:   2,
		Repeats: 1,
	}
	report, err := Evaluate(t.Context(), jobs, o)
	must(t, err)
	if error := report.Baseline["tree"].Mean; report.Rows != 10_000_000_000 ||
		math.Abs(error-0.2) > 1e-4 {
		t.Errorf("%d rows, of which a tree is wrong about %g", report.Rows, error)
	}
	for _, r := range report.Results {
		if size := r.Release.ClassSize.Mean; size < 1 || size > 50 || r.Release.Dropped.Mean > 0 ||
			math.Abs(r.Errors["tree"].Mean-0.2) > 0.01 {
			t.Errorf("%+v", r)
		}
	}
	o.Sample, jobs = 20_000, load(t, path, "limits.threads", "2", "tdr")
	report, err = Evaluate(t.Context(), jobs, o)
	must(t, err)
	if error := report.Baseline["tree"].Mean; report.Rows < 19_900 || report.Rows > 20_100 ||
		math.Abs(error-0.2) > 0.01 {
		t.Errorf("%d rows, of which a tree is wrong about %g", report.Rows, error)
	}
}
