package pipeline

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/fileset"
)

// Columns of the input are reported with what is released of them, and the release with its size.
func TestReportOfColumns(t *testing.T) {
	for _, output := range []string{"out.parquet", "out/"} {
		t.Run(output, func(t *testing.T) {
			job := strings.Replace(peopleJob, "weight: discretize", "weight: {mask: discretize, render: bounds}", 1)
			job = strings.Replace(job, "job: suppress", "job: drop", 1)
			job = strings.Replace(job, "[city, age, job]", "[city, age]", 1)
			dir := peopleFolder(t, strings.Replace(job, "out.parquet", output, 1), 300)
			report := mustRun(t, dir, nil)
			var columns []string
			for _, c := range report.Columns {
				columns = append(columns, fmt.Sprintf("%s %s %s %v", c.Name, c.Type, c.Mask, c.Released))
			}
			want := []string{
				"age int64 discretize [{age string}]", "born date discretize [{born string}]", "city string generalize [{city string}]",
				"job string drop []", "weight float64 discretize [{weight_lower float64} {weight_upper float64}]", "income string keep [{income string}]",
			}
			if !slices.Equal(columns, want) {
				t.Errorf("columns\n%s\nwant\n%s", strings.Join(columns, "\n"), strings.Join(want, "\n"))
			}
			path := filepath.Join(dir, output)
			if output == "out/" {
				path = filepath.Join(path, fileset.PartName(0))
			}
			if info, err := os.Stat(path); err != nil || report.Bytes != info.Size() || report.Files != 1 {
				t.Errorf("%d bytes in %d files, %v", report.Bytes, report.Files, err)
			}
		})
	}
}

// While a run goes on it tells what it takes, also to other goroutines, and afterwards what
// it has spilled.
func TestUsage(t *testing.T) {
	dir := peopleFolder(t, peopleJob, 300)
	job := mustLoad(t, dir)
	var usage func() Usage
	quit, over := make(chan struct{}), make(chan struct{})
	var drawn int64
	watch := func() {
		defer close(over)
		for {
			drawn = max(drawn, usage().Drawn)
			select {
			case <-quit:
				return
			default:
			}
		}
	}
	during := int64(0)
	report, err := Run(t.Context(), job, RunOptions{Events: Events{
		Meter: func(read func() Usage) { usage = read; go watch() },
		Start: func(s Stage) {
			if s == StageSearch {
				during = usage().Spilled
			}
		},
	}, System: System{Spill: true}})
	close(quit)
	<-over
	if err != nil {
		t.Fatal(err)
	}
	after := usage()
	if during == 0 || after.Spilled != report.Spilled || during > after.Spilled {
		t.Errorf("spilled %d before the search, %d in the end, reported %d", during, after.Spilled, report.Spilled)
	}
	if drawn == 0 || drawn > report.PeakDraw || after.Resident == 0 || after.Read == 0 || after.Written == 0 {
		t.Errorf("drew %d of at most %d, took %+v", drawn, report.PeakDraw, after)
	}
}

// A run that goes on from what an earlier one has found reports what an undisturbed one does
// of the release.
func TestReportOfResumedRun(t *testing.T) {
	dir := peopleFolder(t, peopleJob, 300)
	whole, resumed := filepath.Join(dir, "whole.json"), filepath.Join(dir, "resumed.json")
	if err := tryJob(t, dir, t.Context(), RunOptions{RunJSON: whole}, "output.path", dir+"/whole.parquet"); err != nil {
		t.Fatal(err)
	}
	opt := RunOptions{RunJSON: resumed, Resume: true, Checkpoint: atOnce}
	if _, err := runUntil(t, dir, StageMask, opt); fault.ClassOf(err) != fault.Cancelled {
		t.Fatalf("got %v", err)
	}
	if _, err := runUntil(t, dir, "", opt); err != nil {
		t.Fatal(err)
	}
	of := func(path string) string {
		r, err := ReadReport(mustRead(t, path))
		if err != nil {
			t.Fatal(err)
		}
		r.Output, r.Stages, r.PeakDraw, r.PeakRSS, r.Notices = "", nil, 0, 0, nil // of the run
		text, err := r.text()
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if got, want := of(resumed), of(whole); got != want || !strings.Contains(got, `"stopped"`) {
		t.Errorf("resumed\n%s\nwhole\n%s", got, want)
	}
}

// The report, and run.json, tell after every step how many records later ones may still tell
// apart: at least those that they did, and never more than before. Here every value that is
// disclosed splits the records with values that are not.
func TestReportOfLiveRecords(t *testing.T) {
	const rows = 2000
	table := &testTable{fields: textFields("a", "b", "c", "label")}
	rng := rand.New(rand.NewPCG(8, 9))
	for range rows {
		row := []string{"", "", "", []string{"low", "high"}[rng.IntN(2)]}
		for c := range 3 {
			row[c] = fmt.Sprint(rng.IntN(1 + rng.IntN(12)))
		}
		table.rows = append(table.rows, row)
	}
	dir := table.folder(t, `
input: in
output: out.parquet
class: label
quasi_identifiers:
  - {columns: [a, b], k: 20}
  - {columns: [b, c], k: 35}
columns: {a: suppress, b: suppress, c: suppress, label: keep}
`, rows)
	job := mustLoad(t, dir)
	var trace strings.Builder
	file := filepath.Join(dir, "run.json")
	report, err := Run(t.Context(), job, RunOptions{Trace: &trace, RunJSON: file})
	if err != nil {
		t.Fatal(err)
	}
	steps, err := ReadTrace(strings.NewReader(trace.String()))
	if err != nil {
		t.Fatal(err)
	}
	written, err := ReadReport(mustRead(t, file))
	if err != nil {
		t.Fatal(err)
	}
	if len(steps) < 5 || len(report.Live) != len(steps) || !slices.Equal(written.Live, report.Live) {
		t.Fatalf("%d steps, live records %v, in run.json %v", len(steps), report.Live, written.Live)
	}
	before := uint64(2 * rows)
	for i, live := range report.Live {
		least := told(table.rows, steps, i+1, "ab") + told(table.rows, steps, i+1, "bc")
		if live > before || live < least {
			t.Errorf("after step %d %d records are live, %d before, and %d are told apart later", i+1, live, before, least)
		}
		before = live
	}
}

// told counts the records of a set that the steps from a position on tell apart: those whose
// value is not disclosed until then, in a column with such a step.
func told(rows [][]string, steps []TraceStep, from int, set string) (n uint64) {
	disclosed, later := make(map[string]bool), make(map[string]bool)
	for _, s := range steps[:from] {
		disclosed[s.Column+s.Value.Text] = true
	}
	for _, s := range steps[from:] {
		later[s.Column] = true
	}
	for _, row := range rows {
		for _, column := range strings.Split(set, "") {
			if later[column] && !disclosed[column+row[column[0]-'a']] {
				n++
				break
			}
		}
	}
	return n
}

// A run that finds its release already done reports the stages of the run that made it, and none of
// its own.
func TestReportOfWhatStands(t *testing.T) {
	dir := peopleFolder(t, peopleJob, 300)
	var stages [2][]Stage
	for i := range stages {
		job := mustLoad(t, dir)
		report, err := Run(t.Context(), job, RunOptions{Resume: true})
		if err != nil || report.AlreadyDone != (i == 1) {
			t.Fatalf("run %d: %v", i+1, err)
		}
		for _, s := range report.Stages {
			stages[i] = append(stages[i], s.Stage)
		}
	}
	made := stages[0][:len(stages[0])-1] // the record was written before it was published
	if !slices.Equal(stages[1], made) {
		t.Errorf("%v, want %v", stages[1], made)
	}
}
