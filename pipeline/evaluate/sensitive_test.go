package evaluate

import (
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine/judge"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline"
	"github.com/kcut/kcut/pipeline/job"
)

const staysJob = `input: stays.csv
output: out.parquet
class: ill
quasi_identifiers: [{columns: [age, job, city], k: 5}]
columns: {who: drop, age: discretize, job: suppress, city: generalize, set: drop, ill: keep,
  visit: {keep: {identifying: accepted}}, pay: {keep: {identifying: accepted}},
  drug: {keep: {identifying: accepted}}}
taxonomies: {city: cities.yaml, drugs: drugs.yaml}
max_unique: 100%
`

const drugs = `drugs: {any: [{pain: [a, b]}, {heart: [c, {rare: [d, e]}]}]}
`

// stays returns stays of random people in random order. Every stay has a number. The pay and the
// drug depend on the age and on the city, and two drugs are rare.
func stays(r *rand.Rand, people int) (rows [][]string) {
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	for person := range people {
		age, city := 20+5*r.IntN(10), pick("Kiel", "Bremen", "Ulm", "Passau")
		for range 1 + r.IntN(3) {
			ill, drug := "no", pick("a", "a", "b", "c")
			if age > 50 || r.IntN(5) == 0 {
				ill = "yes"
			}
			if city == "Ulm" && r.IntN(3) > 0 {
				drug = pick("c", "c", "d", "")
			}
			if r.IntN(60) == 0 {
				drug = "e"
			}
			pay := (age+r.IntN(30))/10*100 + r.IntN(2)
			rows = append(rows, []string{fmt.Sprint("person ", person), fmt.Sprint(age),
				pick("cook", "smith"), city, "", pick("training", "training", "test"), ill,
				fmt.Sprint(pay), drug})
		}
	}
	r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	for i := range rows {
		rows[i][4] = fmt.Sprint(i)
	}
	return rows
}

// putStays writes stays and a job with more lines.
func putStays(t *testing.T, rows [][]string, more string) (job string) {
	t.Helper()
	var text strings.Builder
	out := csv.NewWriter(&text)
	must(t, out.Write([]string{"who", "age", "job", "city", "visit", "set", "ill", "pay",
		"drug"}))
	must(t, out.WriteAll(rows))
	dir := t.TempDir()
	for file, text := range map[string]string{"stays.csv": text.String(),
		"job.yaml": staysJob + more, "cities.yaml": cities, "drugs.yaml": drugs} {
		must(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600))
	}
	return filepath.Join(dir, "job.yaml")
}

// limited are limits on sensitive columns, and whether the algorithms but tdr are tried with them.
var limited = []struct {
	lines string
	all   bool
}{
	{"sensitive: [{column: ill, l: 2}]\n", true},
	{"sensitive: [{column: drug, l: 4, nulls: count}, {column: ill, max_confidence: 0.9}]\n",
		false},
	{"sensitive: [{column: drug, l: 2, c: 3}]\n", false},
	{"sensitive: [{column: drug, entropy_l: 2}]\n", false},
	{"sensitive: [{column: drug, max_confidence: {e: 0.05, d: 0.3}}]\n", false},
	{"sensitive: [{column: drug, t: 0.25}]\n", true},
	{"sensitive: [{column: pay, t_ordered: 0.12}]\n", true},
	{"sensitive: [{column: drug, t_hierarchical: 0.2, taxonomy: drugs}]\n", true},
	{"sensitive: [{column: drug, basic_beta: 1}]\n", false},
	{"sensitive: [{column: drug, enhanced_beta: 1}]\n", false},
	{"sensitive: [{column: ill, delta: 0.9}]\n", true},
	{"sensitive: [{column: pay, l: 3}]\nmax_suppressed: 5%\n", false},
	{"entity: who\nsensitive: [{column: ill, l: 2}, {column: drug, entropy_l: 1.5}]\n", true},
}

// The release of a fold is that of a run on the fold's training rows, with each measure of a
// sensitive column: it keeps as much information in as large classes. So is a refusal.
func TestReleasesWithSensitiveColumns(t *testing.T) {
	rows := stays(rand.New(rand.NewPCG(5, 1)), 150)
	for _, tt := range limited {
		t.Run(tt.lines, func(t *testing.T) {
			less := 0
			names := []string{"tdr"}
			path := putStays(t, rows, tt.lines)
			jobs := load(t, path, "limits.threads", "1", "tdr")
			if tt.all {
				names = append(names, "tds", "mondrian", "infogain-mondrian", "guided")
				if jobs[0].Sensitive[0].Relative() == "" {
					names = append(names, "kactus")
				}
			}
			assigning(t, jobs, Options{Folds: 2, Repeats: 1},
				func(e *evaluation, f *judge.Fold) {
					training := ofPart(t, e, f.Training, rows)
					for _, name := range names {
						free := runStays(t, training, "", name)
						run := runStays(t, training, tt.lines, name)
						of := load(t, path, "limits.threads", "1", name)[0]
						tr, _ := watched(e, f)
						must(t, tr.variant(t.Context(), of))
						if run == nil != (tr.failed != nil) {
							t.Fatalf("%s: a run is refused: %t, the evaluation says %v", name,
								run == nil, tr.failed)
						}
						if run == nil {
							continue
						}
						tr, _ = watched(e, f)
						requirement := tr.requirement(of)
						release, err := tr.search(t.Context(), of, requirement)
						must(t, err)
						must(t, tr.setBounds(t.Context(), release))
						costs, err := tr.Judge(t.Context(), release)
						must(t, err)
						got, want := release.Anonymity(requirement)[0], run.Sets[0].Anonymity
						if got != want {
							t.Errorf("%s: k is %d, that of a run %d", name, got, want)
						}
						kept := 1 - costs.Penalty
						if math.Abs(kept-*run.Information) > 1e-9 {
							t.Errorf("%s: %g of the information is kept, by a run %g", name, kept,
								*run.Information)
						}
						if suppressed, _ := release.Lost(); suppressed != run.Suppressed {
							t.Errorf("%s: %d rows are suppressed, by a run %d", name, suppressed,
								run.Suppressed)
						}
						if *run.Information < *free.Information {
							less++
						}
					}
				})
			if less == 0 {
				t.Error("no limit changes a release")
			}
		})
	}
}

// runStays runs a job on some stays; nil: they are refused.
func runStays(t *testing.T, rows [][]string, more, algorithm string) *pipeline.Report {
	t.Helper()
	of := load(t, putStays(t, rows, more), "limits.threads", "1", algorithm)[0]
	run, err := pipeline.Run(t.Context(), of, pipeline.RunOptions{})
	if fault.ClassOf(err) == fault.Privacy {
		t.Log(algorithm, err)
		return nil
	}
	must(t, err)
	return run
}

// The report does not depend on threads, memory, spilling or the order of rows, without a class,
// too, and where test rows are those with a value of a column.
func TestEvaluateSensitive(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	rows := stays(r, 100)
	shuffled := slices.Clone(rows)
	r.Shuffle(len(rows), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	for _, o := range []Options{{Folds: 2, Repeats: 2}, {Folds: 2, Repeats: 1, Sample: 150},
		{SplitColumn: "set", SplitValue: "training"}} {
		for _, lines := range []string{limited[0].lines, limited[6].lines, limited[12].lines} {
			for _, class := range []string{"class: ill\n", ""} {
				var first *Report
				for _, tt := range []struct {
					key, value string
					rows       [][]string
					spilled    bool
				}{{"limits.threads", "1", rows, false}, {"limits.threads", "4", shuffled, false},
					{"limits.memory", "32MiB", rows, true}} {
					if o.Sample > 0 && !strings.Contains(lines, "entity") {
						tt.rows = rows // a sample depends on their order
					}
					path := putStays(t, tt.rows, lines)
					text, err := os.ReadFile(path)
					must(t, err)
					must(t, os.WriteFile(path,
						[]byte(strings.Replace(string(text), "class: ill\n", class, 1)), 0o600))
					names := []string{"tdr", "mondrian"}
					if len(o.SplitColumn) > 0 {
						names = append(names, "auto")
					}
					e := newEvaluation(load(t, path, tt.key, tt.value, names...), o)
					must(t, e.read(t.Context(), tt.spilled, e.run))
					report := e.report()
					if first == nil {
						first = report
					}
					if !reflect.DeepEqual(report, first) || report.Results[0].Release == nil {
						t.Errorf("%+v, %q, %s differs: %+v", o, lines+class, tt.key, report.Results)
					}
				}
			}
		}
	}
}

// A limit that all training rows together do not meet is the reason of an empty line, as one that a
// run refuses; one of a value that no row has is an error.
func TestEvaluateRefusesLimits(t *testing.T) {
	rows := stays(rand.New(rand.NewPCG(7, 1)), 60)
	o := Options{Folds: 2, Repeats: 1}
	report, err := Evaluate(t.Context(), load(t, putStays(t, rows,
		"sensitive: [{column: ill, max_confidence: 0.2}]\n"), "limits.threads", "1", "tdr"), o)
	if err != nil || !strings.Contains(report.Results[0].Failed, "max_confidence") {
		t.Errorf("%+v, %v", report, err)
	}
	for _, line := range []string{"sensitive: [{column: ill, max_confidence: {Yes: 0.2}}]\n",
		"sensitive: [{column: job, l: 2}]\n"} {
		j, err := job.Load(putStays(t, rows, line), nil)
		if err == nil {
			_, err = Evaluate(t.Context(), []*job.Job{j}, o)
		}
		if err == nil {
			t.Errorf("%s is taken", line)
		}
	}
}
