package evaluate

import (
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/judge"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/resources"
)

const visitsJob = `input: visits.csv
output: out.parquet
class: ill
entity: who
quasi_identifiers: [{columns: [age, job, city], k: 5}]
columns: {who: drop, age: discretize, job: suppress, city: generalize, set: drop, ill: keep,
  visit: {keep: {identifying: accepted}}}
taxonomies: {city: cities.yaml}
unlisted: drop
max_unique: 100%
`

// visits writes visits of random people, from one to twenty each, in random order, and a job. Every
// visit has a number. Some people have no name, and a few have a job of their own and many visits.
func visits(t *testing.T, r *rand.Rand, people int) (job string, rows [][]string) {
	t.Helper()
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	for person := range people {
		who, work, n := fmt.Sprint("person ", person), pick("cook", "smith", ""), 1+r.IntN(4)
		switch {
		case person < 4: // in every training part, and fewer than k
			n, work = 30, "pope"
		case r.IntN(8) == 0:
			n = 20
		case r.IntN(30) == 0:
			who = ""
		}
		age, city := 20+5*r.IntN(10), pick("Kiel", "Bremen", "Ulm", "Passau")
		for range n {
			ill := "no"
			if age > 40 || r.IntN(5) == 0 {
				ill = "yes"
			}
			set := pick("training", "training", "test")
			rows = append(rows, []string{who, fmt.Sprint(age), work, city, "", set, ill})
		}
	}
	r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	for i := range rows {
		rows[i][4] = fmt.Sprint(i)
	}
	return putVisits(t, rows), rows
}

// putVisits writes visits and the job.
func putVisits(t *testing.T, rows [][]string) (job string) {
	t.Helper()
	var text strings.Builder
	out := csv.NewWriter(&text)
	must(t, out.Write([]string{"who", "age", "job", "city", "visit", "set", "ill"}))
	must(t, out.WriteAll(rows))
	dir := t.TempDir()
	for file, text := range map[string]string{"visits.csv": text.String(), "job.yaml": visitsJob,
		"cities.yaml": cities} {
		must(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600))
	}
	return filepath.Join(dir, "job.yaml")
}

// ofPart returns the rows of a part, which the numbers of visits name.
func ofPart(t *testing.T, e *evaluation, from judge.Source, rows [][]string) (part [][]string) {
	t.Helper()
	all := map[string][]string{}
	for _, row := range rows {
		all[row[4]] = row
	}
	b := gather(t, from)
	for i, n := range b.Counts {
		visit := e.Kept[0].Texts[b.Columns[len(e.Attributes)][i]]
		for range n {
			part = append(part, all[visit])
		}
	}
	return part
}

// whose returns the people of rows; all without a name are one.
func whose(rows [][]string) map[string]bool {
	people := map[string]bool{}
	for _, row := range rows {
		people[row[0]] = true
	}
	return people
}

// All visits of a person are in one fold, every visit is tested once in each repeat, folds have the
// same number of groups of people, and repeats differ.
func TestFoldsOfEntities(t *testing.T) {
	for _, o := range []Options{{Folds: 7, Repeats: 1}, {Folds: 3, Repeats: 4},
		{Folds: 12, Repeats: 2}} {
		path, rows := visits(t, rand.New(rand.NewPCG(1, uint64(o.Folds))), 40)
		tested, number := map[string]int{}, 0
		var folds []map[string]bool
		assigning(t, load(t, path, "limits.threads", "1", "tdr"), o,
			func(e *evaluation, f *judge.Fold) {
				number++
				training, test := ofPart(t, e, f.Training, rows), ofPart(t, e, f.Test, rows)
				learned, unknown := whose(training), whose(test)
				for who := range unknown {
					if learned[who] {
						t.Fatalf("%+v: fold %d has a person for both", o, number)
					}
				}
				if len(training) != int(f.TrainedOn) || len(test) != int(f.TestedOn) ||
					len(training)+len(test) != len(rows) {
					t.Fatalf("%+v: %d and %d rows of %d, said are %d and %d", o, len(training),
						len(test), len(rows), f.TrainedOn, f.TestedOn)
				}
				for _, row := range test {
					tested[row[4]]++
				}
				share := float64(len(whose(rows))) / float64(o.Folds)
				if n := float64(len(unknown)); math.Abs(n-share) >= 1 {
					t.Errorf("%+v: fold %d has %g people, want %g", o, number, n, share)
				}
				if slices.ContainsFunc(folds, func(other map[string]bool) bool {
					return maps.Equal(other, unknown)
				}) {
					t.Errorf("%+v: fold %d was there before", o, number)
				}
				folds = append(folds, unknown)
			})
		for _, row := range rows {
			if tested[row[4]] != o.Repeats {
				t.Errorf("%+v: visit %s was tested %d times", o, row[4], tested[row[4]])
			}
		}
	}
}

// The release of a fold is that of a run on the fold's training rows: it has the same k of people
// in every set, keeps as much information, and suppresses as many rows.
func TestReleasesOfEntities(t *testing.T) {
	path, rows := visits(t, rand.New(rand.NewPCG(2, 1)), 150)
	names := []string{"tdr", "tds", "kactus", "iack", "mondrian", "infogain-mondrian", "guided"}
	lost, byRecords := uint64(0), 0
	assigning(t, load(t, path, "limits.threads", "1", "tdr"), Options{Folds: 3, Repeats: 1},
		func(e *evaluation, f *judge.Fold) {
			training := ofPart(t, e, f.Training, rows)
			for _, name := range names {
				for _, most := range []job.Quota{{}, {Percent: 8}} {
					if most.Percent > 0 && name != "tdr" && name != "tds" {
						continue
					}
					of := load(t, putVisits(t, training), "limits.threads", "1", name)[0]
					of.MaxSuppressed = most
					run, err := pipeline.Run(t.Context(), of, pipeline.RunOptions{})
					must(t, err)
					tr, _ := watched(e, f)
					requirement := tr.requirement(of)
					release, err := tr.search(t.Context(), of, requirement)
					must(t, err)
					must(t, tr.setBounds(t.Context(), release))
					costs, err := tr.Judge(t.Context(), release)
					must(t, err)
					if got := release.Anonymity(requirement); got[0] != run.Sets[0].Anonymity {
						t.Errorf("%s %v: k is %d, that of a run %d", name, most, got[0],
							run.Sets[0].Anonymity)
					}
					if got, want := 1-costs.Penalty, *run.Information; math.Abs(got-want) > 1e-9 {
						t.Errorf("%s %v: %g of the information is kept, by a run %g", name, most,
							got, want)
					}
					suppressed, dropped := release.Lost()
					if released := f.TrainedOn - dropped; suppressed != run.Suppressed ||
						released != uint64(run.Released) {
						t.Errorf("%s %v: %d rows are released and %d suppressed, by a run %d "+
							"and %d", name, most, released, suppressed, run.Released,
							run.Suppressed)
					}
					lost += suppressed
					byRecords += checkPeople(t, tr, release, rows, name)
				}
			}
		})
	if lost == 0 || byRecords == 0 {
		t.Errorf("%d rows were suppressed; %d classes have more rows than people", lost, byRecords)
	}
}

// checkPeople checks that every class of a release has the rows of at least 5 people, unless its
// rows are suppressed, and returns the number of classes with more rows.
func checkPeople(t *testing.T, tr *trial, release *judge.Release, rows [][]string,
	name string) (more int) {
	t.Helper()
	b := gather(t, masked(tr.Training, release))
	people, records := map[string]map[string]bool{}, map[string]int{}
	var lost []uint32
	if suppressed, _ := release.Lost(); suppressed > 0 {
		lost = marks(release.Attributes, release.Recoding)
	}
	for i := range b.Counts {
		if engine.IsTaken(b.Labels, i, lost) {
			continue
		}
		class := key(b.Labels, i)
		if people[class] == nil {
			people[class] = map[string]bool{}
		}
		visit := tr.Kept[0].Texts[b.Columns[len(tr.Attributes)][i]]
		at := slices.IndexFunc(rows, func(row []string) bool { return row[4] == visit })
		people[class][rows[at][0]] = true
		records[class] += int(b.Counts[i])
	}
	for class, of := range people {
		if len(of) < 5 {
			t.Errorf("%s: a class has %d rows of %d people", name, records[class], len(of))
		}
		if records[class] > len(of) {
			more++
		}
	}
	return more
}

// The report does not depend on threads, memory, spilling or the order of rows, a sample takes all
// rows of a person or none, and there are no more folds than people.
func TestEvaluateEntities(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	path, rows := visits(t, r, 300)
	names := []string{"tdr", "kactus", "mondrian", "infogain-mondrian", "auto"}
	for _, o := range []Options{{Folds: 3, Repeats: 2}, {Folds: 2, Repeats: 1, Sample: 400},
		{SplitColumn: "set", SplitValue: "training"},
		{Folds: 2, Repeats: 1, RulesFromAll: true}} {
		var first *Report
		shuffled := slices.Clone(rows)
		r.Shuffle(len(rows), func(i, j int) {
			shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
		})
		for _, tt := range []struct {
			key, value, path string
			spilled          bool
		}{{"limits.threads", "1", path, false}, {"limits.memory", "32MiB", path, true},
			{"limits.threads", "4", putVisits(t, shuffled), false}} {
			e := newEvaluation(load(t, tt.path, tt.key, tt.value, names...), o)
			must(t, e.read(t.Context(), tt.spilled, e.run))
			report := e.report()
			if first == nil {
				first = report
			}
			if !reflect.DeepEqual(report, first) {
				t.Errorf("%+v, %+v: %+v, before %+v", o, tt, report, first)
			}
			if o.Sample == 0 {
				continue
			}
			f, err := e.assign(t.Context(), round{})
			must(t, err)
			for _, source := range []judge.Source{f.Training, f.Test} {
				part, n := ofPart(t, e, source, rows), 0
				people := whose(part)
				for _, row := range rows {
					if people[row[0]] {
						n++
					}
				}
				if n != len(part) {
					t.Errorf("%d rows are taken of people who have %d", len(part), n)
				}
			}
		}
		if want := uint64(len(whose(rows))); o.Sample == 0 && first.Entities != want ||
			o.Sample > 0 && (first.Entities >= want || first.Rows < 200 || first.Rows > 700) {
			t.Errorf("%+v: %d rows of %d entities, all are %d of %d", o, first.Rows,
				first.Entities, len(rows), want)
		}
	}
	few, _ := visits(t, r, 8)
	_, err := Evaluate(t.Context(), load(t, few, "limits.threads", "1", "tdr"),
		Options{Folds: 10, Repeats: 1})
	if fault.ClassOf(err) != fault.Usage || !strings.Contains(fmt.Sprint(err), "entities for 10") {
		t.Errorf("more folds than people: %v", err)
	}
}

// A split that divides the rows of people is noted.
func TestSplitEntities(t *testing.T) {
	path, _ := visits(t, rand.New(rand.NewPCG(4, 1)), 60)
	var notices []string
	_, err := Evaluate(t.Context(), load(t, path, "limits.threads", "1", "tdr"), Options{
		SplitColumn: "set", SplitValue: "training", Events: resources.Events{
			Notice: func(text string) { notices = append(notices, text) },
		}})
	must(t, err)
	if !strings.Contains(strings.Join(notices, "\n"), "on both sides of the split") {
		t.Errorf("notices: %q", notices)
	}
}
