package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The job of the canaries has every kind of column, with values that must stay secret. Names of
// taxonomy nodes are written by the user in the job file; leaves of the taxonomy are values.
const canaryJob = `
input: people.csv
output: out.parquet
class: income
quasi_identifiers:
  - {columns: [city, job, age], k: 5}
columns:
  city:   {mask: generalize, taxonomy: cities}
  job:    suppress
  age:    {mask: discretize, type: integer, bounds: [0, 99999999999]}
  note:   {keep: {identifying: accepted}}
  name:   drop
  income: keep
taxonomies:
  cities: {World: {North: [city-canary-a, city-canary-b], South: [city-canary-c]}}
`

// canaryRows returns a table whose values must all stay secret.
func canaryRows() []string {
	lines := []string{"city,job,age,note,name,income"}
	for i := range 300 {
		lines = append(lines, fmt.Sprintf("city-canary-%c,job-canary-%d,%d,"+
			"note-canary-%d,name-canary-%d,income-canary-%d",
			'a'+i%3, i%4, 73951846200+i%7, i, i, i*i%3%2))
	}
	return lines
}

// canaries are the parts that every value of canaryRows has, and the values that make a run fail.
var canaries = []string{"canary", "739518462"}

// watchedRun runs the job of a folder with all kinds of output about the run. It returns these
// outputs by their names.
func watchedRun(t *testing.T, dir string, terminal bool) (exit int, outputs map[string]string) {
	t.Helper()
	t.Chdir(dir)
	var stdout, stderr strings.Builder
	exit = execute(context.Background(), []string{
		"run", "job.yaml", "--json", "--overwrite", "--no-resume", "--metrics-file", "kcut.prom",
		"--lineage", "lineage.jsonl", "--run-json", "run.json",
	}, newUI(&stdout, &stderr, terminal))
	outputs = map[string]string{"stdout": stdout.String(), "stderr": stderr.String()}
	for _, name := range []string{"kcut.prom", "lineage.jsonl", "run.json"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Error(err)
		}
		outputs[name] = string(text)
	}
	return exit, outputs
}

func writeFiles(t *testing.T, dir string, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// No output of a run has a value of the data, for every end of the run.
func TestNothingTellsValues(t *testing.T) {
	for _, tt := range []struct {
		name     string
		old, new string // text of the job
		line     string // one more line of data
		exit     int
		state    string
	}{
		{"success", "", "", "", 0, "COMPLETE"},
		{"value unknown to the taxonomy", "", "",
			"city-canary-x,job-canary-1,73951846201,,,income-canary-0", 3, "FAIL"},
		{"value out of bounds", "99999999999", "73951846203", "", 3, "FAIL"},
		{"text where a number should be", "", "",
			"city-canary-a,job-canary-1,age-canary,,,income-canary-0", 3, "FAIL"},
		{"a field too many", "", "",
			"city-canary-a,job-canary-1,73951846201,,,income-canary-0,more-canary", 3, "FAIL"},
		{"a quote that does not end", "", "", `city-canary-a,"job-canary-1,73951846201,,,income-canary-0`, 3, "FAIL"},
		{"a column without an entry", "  name:   drop\n", "", "", 3, "FAIL"},
		{"k too large", "k: 5", "k: 301", "", 4, "FAIL"},
		{"no such input", "people.csv", "nobody.csv", "", 3, "FAIL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			writeFiles(t, dir, map[string]string{
				"job.yaml":   strings.Replace(canaryJob, tt.old, tt.new, 1),
				"people.csv": strings.Join(append(canaryRows(), tt.line), "\n"),
			})
			for _, terminal := range []bool{true, false} {
				exit, outputs := watchedRun(t, dir, terminal)
				if exit != tt.exit {
					t.Errorf("exit %d, want %d: %s", exit, tt.exit, outputs["stderr"])
				}
				for where, text := range outputs {
					for _, canary := range canaries {
						if strings.Contains(text, canary) {
							t.Errorf("%s has a value:\n%s", where, text)
						}
					}
				}
				want := fmt.Sprintf("kcut_run_exit_code{job_file=\"job.yaml\"} %d\n", tt.exit)
				if !strings.Contains(outputs["kcut.prom"], want) {
					t.Errorf("metrics lack %s:\n%s", want, outputs["kcut.prom"])
				}
				if !strings.Contains(outputs["lineage.jsonl"], `"eventType":"`+tt.state+`"`) {
					t.Errorf("lineage lacks %s:\n%s", tt.state, outputs["lineage.jsonl"])
				}
				if failed := strings.Contains(outputs["run.json"], `"error": {`); failed != (tt.exit != 0) {
					t.Errorf("run.json has a failure: %v:\n%s", failed, outputs["run.json"])
				}
			}
		})
	}
}

// The names of partition folders have values in them. No event, report, record or answer to
// programs has these values. Messages on standard error name files with their full names.
func TestNothingTellsPartitions(t *testing.T) {
	dir := t.TempDir()
	job := strings.Replace(canaryJob, "people.csv", "in/", 1)
	files := map[string]string{"job.yaml": job}
	for i, row := range canaryRows()[1:] {
		city, rest, _ := strings.Cut(row, ",")
		files[filepath.Join("in", "city="+city,
			fmt.Sprintf("%d.csv", i))] = "job,age,note,name,income\n" + rest + "\n"
	}
	writeFiles(t, dir, files)
	check := func(want int) (stderr string) {
		t.Helper()
		exit, outputs := watchedRun(t, dir, false)
		if exit != want || !strings.Contains(outputs["run.json"], "city=…") {
			t.Errorf("exit %d: %s", exit, outputs)
		}
		stderr = outputs["stderr"]
		if record, err := os.ReadFile(filepath.Join(".out.parquet.kcut", "run.json")); err == nil {
			outputs["the record"] = string(record)
		} else {
			t.Error(err)
		}
		for where, text := range outputs {
			if where != "stderr" && strings.Contains(text, "canary") {
				t.Errorf("%s has a value:\n%s", where, text)
			}
		}
		return stderr
	}
	if stderr := check(0); strings.Contains(stderr, "canary") {
		t.Errorf("standard error has a value:\n%s", stderr)
	}
	writeFiles(t, dir,
		map[string]string{filepath.Join("in", "city=city-canary-a",
			"x.csv"): "job,age,note,name,income\njob-canary-1,age-canary,,,\n"})
	if stderr := check(3); !strings.Contains(stderr, "city=city-canary-a") {
		t.Errorf("standard error does not name the file:\n%s", stderr)
	}
}
