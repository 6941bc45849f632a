package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/formats/formatstest"
)

// draftedRows is how many rows the generated tables have, and evaluatedRows of how many errors are told, about.
const (
	draftedRows   = 20_000
	evaluatedRows = "10000"
)

// drafted is what is made of a table by the job that kcut init drafts, as it is.
type drafted struct {
	name              string
	columns           int
	masked, kept      int                // the latter have more than their root
	before, alone     float64            // share of the rows that are alone in all masked columns, and on all labels
	raw, left, remove map[string]float64 // errors of classifiers in percent, of raw rows, of the release, and without all masked columns
}

// TestDrafts looks at what drafts keep of two generated tables and, where KCUT_DRAFTS names a file for the table of docs/plan.md, of
// the real ones.
func TestDrafts(t *testing.T) {
	folder := t.TempDir()
	inputs := []string{filepath.Join(folder, "census.csv"), filepath.Join(folder, "hospital.csv")}
	if n, m := len(censusTable()), len(hospitalTable()); n != 43 || m != 60 {
		t.Fatalf("%d and %d columns", n, m)
	}
	censusTable().write(t, inputs[0], draftedRows, draftedRows)
	hospitalTable().write(t, inputs[1], draftedRows, draftedRows/2)
	path := os.Getenv("KCUT_DRAFTS")
	if path != "" {
		inputs = append(realTables(t), inputs...)
	}
	var table strings.Builder
	fmt.Fprint(&table, "| data | columns | masked | more than the root | rows alone, raw | rows alone | tree, raw | tree | logistic, raw | logistic | removal |\n|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, input := range inputs {
		d := draftOf(t, input)
		fmt.Fprintf(&table, "| %s | %d | %d | %d | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n", d.name, d.columns, d.masked, d.kept, 100*d.before, 100*d.alone,
			d.raw["tree"], d.left["tree"], d.raw["logistic"], d.left["logistic"], d.remove["logistic"])
		if 5*d.kept < 2*d.masked || d.alone > 0 {
			t.Errorf("%s: %d of %d masked columns keep more than their root, %g of the rows are alone", d.name, d.kept, d.masked, d.alone)
		}
		if raw, remove := d.raw["logistic"], d.remove["logistic"]; raw < remove*9/10 && d.left["logistic"] >= remove { // else columns tell nothing
			t.Errorf("%s: an error of %g, and of %g without all masked columns", d.name, d.left["logistic"], d.remove["logistic"])
		}
	}
	t.Log("\n" + table.String())
	if path != "" {
		if err := os.WriteFile(path, []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// realTables are Adult, BRFSS and the sets of UCI.
func realTables(t *testing.T) []string {
	data := formatstest.SharedData(t, ".")
	paths := []string{filepath.Join(data, "adult", "adult.parquet"), filepath.Join(data, "brfss2015_heart.parquet")}
	uci, err := filepath.Glob(filepath.Join(data, "uci", "*.csv"))
	if err != nil || len(uci) == 0 {
		t.Fatalf("no sets of UCI: %v", err)
	}
	return append(paths, uci...)
}

// draftOf drafts a job, runs it as it is and evaluates it, by records where it counts people.
func draftOf(t *testing.T, input string) drafted {
	t.Helper()
	folder, name := t.TempDir(), strings.TrimSuffix(filepath.Base(input), filepath.Ext(input))
	job := filepath.Join(folder, "job.yaml")
	ends(t, "init", input, "--output", job, "--quiet")
	var plan struct {
		Risk struct{ Raw struct{ Unique float64 } }
	}
	if err := json.Unmarshal(ends(t, "plan", job, "--sample", "--json", "--quiet"), &plan); err != nil {
		t.Fatal(err)
	}
	ends(t, "run", job, "--quiet")
	cut, err := kcut.ReadCut(t.Context(), filepath.Join(folder, name+"-release.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(job)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(job, regexp.MustCompile(`(?m)^entity: .*\n`).ReplaceAll(text, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	var evaluation struct {
		Baseline, Upper errorsOf
		Results         []struct{ Errors errorsOf }
	}
	if err := json.Unmarshal(ends(t, "evaluate", job, "--json", "--quiet", "--folds", "2", "--sample", evaluatedRows), &evaluation); err != nil {
		t.Fatal(err)
	}
	d := drafted{
		name: name, columns: len(regexp.MustCompile(`(?m)^  [^ #-].*  # `).FindAll(text, -1)),
		before: plan.Risk.Raw.Unique, alone: cut.Union.Unique, raw: evaluation.Baseline.percent(), left: evaluation.Results[0].Errors.percent(), remove: evaluation.Upper.percent(),
	}
	for _, c := range cut.Columns {
		d.masked++
		if n := len(c.Cut); n > 1 || n == 1 && c.Mask == "suppress" { // of which a cut lists what is disclosed
			d.kept++
		}
	}
	return d
}

// errorsOf are errors of classifiers, as kcut evaluate tells them.
type errorsOf map[string]struct{ Mean float64 }

func (e errorsOf) percent() map[string]float64 {
	percent := make(map[string]float64)
	for name, of := range e {
		percent[name] = 100 * of.Mean
	}
	return percent
}

// ends runs kcut and returns what it prints.
func ends(t *testing.T, args ...string) []byte {
	t.Helper()
	command := exec.CommandContext(t.Context(), "kcut", args...)
	var stderr strings.Builder
	command.Stderr = &stderr
	text, err := command.Output()
	if err != nil {
		t.Fatalf("kcut %s: %v: %s", strings.Join(args, " "), err, &stderr)
	}
	return text
}
