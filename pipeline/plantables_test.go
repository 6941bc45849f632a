package pipeline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/job"
)

// randomTables makes a folder with a job of two or three tables of the same people, some with
// several rows, and some without a person.
func randomTables(t *testing.T, rng *rand.Rand) (dir string) {
	t.Helper()
	form := []string{"", ", with: name"}[rng.IntN(2)]
	text := "quasi_identifiers: [{columns: [age, city], k: 2}]\nunlisted: drop\n" +
		"columns: {patient: {mask: pseudonym, key_file: patients.key, identifying: accepted" +
		form + "}, age: discretize, city: suppress}\nmax_unique: 100%\ntables:\n"
	people := 2 + rng.IntN(1<<rng.IntN(9))
	var tables []string
	for number := range 2 + rng.IntN(2) {
		name := fmt.Sprint("t", number)
		tables = append(tables, name)
		extra := []string{"", ", max_suppressed: 10%", ", algorithm: mondrian",
			", max_suppressed: 10%, suppressed: drop",
			", quasi_identifiers: [{columns: all, k: 3}], columns: {job: suppress}",
			", quasi_identifiers: [{columns: all, k: 2, k_map: 4}], population: " + name + ".csv",
			", quasi_identifiers: [{columns: all}], class: job, columns: {job: keep}, algorithm: " +
				"{name: iacc, max_divergence: 1, max_information_change: 1}"}[rng.IntN(7)]
		text += fmt.Sprintf("  %s: {input: %[1]s.csv, output: %[1]s.parquet%[2]s}\n", name, extra)
	}
	dir = jobFolder(t, text)
	write(t, filepath.Join(dir, "patients.key"), secretKey+"\n")
	for _, name := range tables {
		rows := "patient,age,city,job\n"
		for range 4 + rng.IntN(3*people) {
			person := fmt.Sprint("p", rng.IntN(people))
			if rng.IntN(10) == 0 {
				person = ""
			}
			rows += fmt.Sprintf("%s,%d,c%d,j%d\n", person, rng.IntN(1+rng.IntN(40)),
				rng.IntN(1+rng.IntN(6)), rng.IntN(3))
		}
		write(t, filepath.Join(dir, name+".csv"), rows)
	}
	return dir
}

// A plan of all rows of several tables has the people that their run counts, and both have those
// that a naive count of the releases finds.
func TestPlanOfTablesIsARun(t *testing.T) {
	counted := 0
	n := enginetest.Cases(t, enginetest.Naive(40), func(rng *rand.Rand) {
		dir := randomTables(t, rng)
		plan, planErr := PlanTables(t.Context(), loadTables(t, dir), PlanOptions{Sample: true})
		unreleased(t, dir)
		ran, err := RunTables(t.Context(), loadTables(t, dir), RunOptions{})
		if err != nil { // too few rows, or labels that are too coarse
			if fault.ClassOf(planErr) != fault.ClassOf(err) {
				t.Errorf("the plan: %v, the run: %v", planErr, err)
			}
			return
		}
		must(t, planErr)
		if !reflect.DeepEqual(plan.Joined, ran.Joined) || len(ran.Joined) != 1 {
			t.Errorf("planned %+v, ran %+v", plan.Joined, ran.Joined)
		}
		of, k := make(map[string]map[string]bool), math.MaxInt
		for number, table := range loadTables(t, dir).Tables {
			path := table.Output.Path
			cut := readCut(t, path)
			readTable(t, path).profiles(of, number, labelColumns(cut))
			k = min(k, cut.SmallestK())
		}
		want := joinedNaively(of, k)
		got := *ran.Joined[0]
		got.Column, got.Paths = "", nil
		if !reflect.DeepEqual(got, want) {
			t.Errorf("ran %+v, naively %+v", got, want)
		}
		counted++
	})
	if counted < n/2 {
		t.Errorf("only %d of %d runs were published", counted, n)
	}
}

// unreleased demands that a folder has no release.
func unreleased(t *testing.T, dir string) {
	t.Helper()
	if left, err := filepath.Glob(filepath.Join(dir, "*.parquet*")); err != nil || left != nil {
		t.Errorf("a plan left %v, %v", left, err)
	}
}

// A plan refuses people who are alone on the labels of joined tables, as the run does. It says
// why it does not count them: it takes no sample, or part of the rows, or regions divide rows.
func TestPlanOfTablesJoined(t *testing.T) {
	dir := randomTables(t, rand.New(rand.NewPCG(9, 9)))
	load := func(overrides ...job.Override) *job.Tables {
		tables, err := job.LoadTables(filepath.Join(dir, "job.yaml"), overrides)
		must(t, err)
		return tables
	}
	strict := job.Override{Key: "max_unique", Value: "1%", Origin: "test"}
	plan, err := PlanTables(t.Context(), load(strict), PlanOptions{Sample: true})
	_, ran := RunTables(t.Context(), load(strict), RunOptions{})
	mustFail(t, ran, fault.Privacy, "of the people are alone")
	if mustFail(t, err, fault.Privacy, ran.Error(), fault.HintOf(ran)); len(plan.Joined) != 1 {
		t.Errorf("planned %+v", plan.Joined)
	}
	plan, err = PlanTables(t.Context(), load(strict), PlanOptions{})
	if must(t, err); len(plan.Joined) > 0 || !strings.Contains(fmt.Sprint(plan.Notices),
		"is not predicted: --sample") {
		t.Errorf("without a sample: %+v, %q", plan.Joined, plan.Notices)
	}
	const relaxed = "algorithm: {name: mondrian, partitioning: relaxed}\nunlisted"
	editJob(t, dir, "unlisted", relaxed)
	plan, err = PlanTables(t.Context(), load(), PlanOptions{Sample: true})
	editJob(t, dir, relaxed, "unlisted")
	if must(t, err); len(plan.Joined) > 0 || !strings.Contains(fmt.Sprint(plan.Notices),
		"is not predicted: table t0: its algorithm divides rows") {
		t.Errorf("with divided cells: %+v, %q", plan.Joined, plan.Notices)
	}
	tight := job.Override{Key: "limits.memory", Value: "64MiB", Origin: "test"}
	var rows strings.Builder
	rows.WriteString("patient,age,city,job\n")
	for i := range 300_000 {
		fmt.Fprintf(&rows, "p%d,%d,c%d,j\n", i, i%9, i%3)
	}
	write(t, filepath.Join(dir, "t0.csv"), rows.String())
	plan, err = PlanTables(t.Context(), load(tight), PlanOptions{Sample: true})
	if must(t, err); len(plan.Joined) > 0 || !strings.Contains(fmt.Sprint(plan.Notices),
		"is not predicted: table t0: the memory has no room for its people") {
		t.Errorf("with little memory: %+v, %q", plan.Joined, plan.Notices)
	}
}
