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

// draftedRows is the number of rows of the generated tables. evaluatedRows is about the number of
// rows that errors are measured on.
const (
	draftedRows   = 20_000
	evaluatedRows = "10000"
)

// drafted has the results of a job that kcut init drafts, without changes.
type drafted struct {
	name         string
	columns      int
	masked, kept int // kept: those with more labels than the root
	// Share of the rows that are unique in all masked columns, and on all labels.
	before, alone float64
	// Errors of classifiers in percent: on raw rows, on the release, and without all masked
	// columns.
	raw, left, remove map[string]float64
}

// TestDrafts checks how much of two generated tables drafts keep. If KCUT_DRAFTS names a file it
// checks the real tables, too, and writes the table of docs/results.md to the file.
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
	fmt.Fprint(&table,
		"| data | columns | masked | more than the root | rows alone, raw | rows alone | tree, "+
			"raw | tree | logistic, raw | logistic | removal "+
			"|\n|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, input := range inputs {
		d := draftOf(t, input)
		fmt.Fprintf(&table,
			"| %s | %d | %d | %d | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n", d.name,
			d.columns, d.masked, d.kept, 100*d.before, 100*d.alone,
			d.raw["tree"], d.left["tree"], d.raw["logistic"], d.left["logistic"],
			d.remove["logistic"])
		if 3*d.kept < 2*d.masked || d.alone > 0 {
			t.Errorf("%s: %d of %d masked columns keep more than their root, %g of the rows are "+
				"alone", d.name, d.kept, d.masked, d.alone)
		}
		// Otherwise the masked columns do not predict the class.
		left := min(d.left["tree"], d.left["logistic"], d.left["boosted"])
		if raw, remove := d.raw["logistic"], d.remove["logistic"]; raw < remove*9/10 &&
			left >= remove {
			t.Errorf("%s: an error of %g, and of %g without all masked columns", d.name, left,
				remove)
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
	paths := []string{filepath.Join(data, "adult", "adult.parquet"),
		filepath.Join(data, "brfss2015_heart.parquet")}
	uci, err := filepath.Glob(filepath.Join(data, "uci", "*.csv"))
	if err != nil || len(uci) == 0 {
		t.Fatalf("no sets of UCI: %v", err)
	}
	return append(paths, uci...)
}

// draftOf drafts a job, runs it without changes and evaluates it, by records if the job counts
// people.
func draftOf(t *testing.T, input string) drafted {
	t.Helper()
	folder, name := t.TempDir(), strings.TrimSuffix(filepath.Base(input), filepath.Ext(input))
	job := filepath.Join(folder, "job.yaml")
	ends(t, "init", input, "--output", job, "--quiet")
	var plan struct {
		Risk struct{ Raw struct{ Unique float64 } }
	}
	err := json.Unmarshal(ends(t, "plan", job, "--sample", "--json", "--quiet"), &plan)
	if err != nil {
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
	err = json.Unmarshal(ends(t, "evaluate", job, "--json", "--quiet", "--folds", "2", "--sample",
		evaluatedRows), &evaluation)
	if err != nil {
		t.Fatal(err)
	}
	d := drafted{
		name: name, columns: len(regexp.MustCompile(`(?m)^  [^ #-].*  # `).FindAll(text, -1)),
		before: plan.Risk.Raw.Unique, alone: cut.Union.Unique, raw: evaluation.Baseline.percent(),
		left: evaluation.Results[0].Errors.percent(), remove: evaluation.Upper.percent(),
	}
	for _, c := range cut.Columns {
		d.masked++
		// A cut lists the disclosed values of suppressed columns.
		if n := len(c.Cut); n > 1 || n == 1 && c.Mask == "suppress" {
			d.kept++
		}
	}
	return d
}

// errorsOf are the errors of classifiers in the answer of kcut evaluate.
type errorsOf map[string]struct{ Mean float64 }

func (e errorsOf) percent() map[string]float64 {
	percent := make(map[string]float64)
	for name, of := range e {
		percent[name] = 100 * of.Mean
	}
	return percent
}

// ends runs kcut and returns its output.
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
