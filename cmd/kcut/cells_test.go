package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats/formatstest"
)

// cellsOf is a table on which kcut evaluate compares algorithms: with a cell for every k.
type cellsOf struct {
	name  string
	job   string   // the path of the job
	files []string // input and taxonomies of the job
}

// sharedCells are the tables on which the rules of the algorithms were chosen.
func sharedCells(t *testing.T) (cells []cellsOf) {
	add := func(name, job, input string) {
		cells = append(cells,
			cellsOf{name: name, job: filepath.Join("..", "..", "docs", job+".yaml"),
				files: []string{
					formatstest.SharedData(t, input),
					formatstest.SharedData(t, "adult/taxonomies.yaml"),
				}})
	}
	add("Adult, 8", "adult/eight", "adult/adult.parquet")
	add("Adult, 14", "adult/kactus14", "adult/adult.parquet")
	add("BRFSS", "cells/brfss", "brfss2015_heart.parquet")
	for _, uci := range []string{"breast_cancer_wisconsin", "car", "cmc", "german", "mushroom",
		"nursery", "tictactoe", "vote"} {
		add(strings.ReplaceAll(uci, "_", " "), "cells/"+uci, "uci/"+uci+".csv")
	}
	return cells
}

// cellsIn returns the tables of a folder: one for each job. Every job has all files of the folder
// that are not jobs.
func cellsIn(t *testing.T, folder string) (cells []cellsOf) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	isJob := func(path string) bool { return strings.HasSuffix(path, ".job.yaml") }
	for _, path := range all {
		if isJob(path) {
			name := strings.TrimSuffix(filepath.Base(path), ".job.yaml")
			cells = append(cells,
				cellsOf{name: name, job: path, files: slices.DeleteFunc(slices.Clone(all), isJob)})
		}
	}
	return cells
}

var (
	cellKs         = []int{5, 10, 50, 100, 500}
	cellAlgorithms = []string{"tdr", "kactus", "mondrian", "infogain-mondrian", "guided", "auto"}
	cellLearners   = []string{"tree", "logistic", "boosted"}
)

// cellRows is about the number of rows that are evaluated of larger tables.
const cellRows = 50_000

// figures are the results of an algorithm in a cell: errors in percent, and the AUC of boosted
// trees.
type figures struct {
	errors []float64 // by cellLearners
	auc    float64
}

// cell has the results of kcut evaluate for a table and a k.
type cell struct {
	rows int
	of   map[string]figures // by algorithm; only algorithms that reach k
}

// TestCells writes the tables of docs/results.md that compare guided, auto and the other
// algorithms. It writes them to the file KCUT_CELLS, for the shared tables and for the tables of
// the folder KCUT_CELLS_FOLDER.
func TestCells(t *testing.T) {
	path := os.Getenv("KCUT_CELLS")
	if path == "" {
		t.Skip("KCUT_CELLS names no file for the table")
	}
	var table strings.Builder
	save := func() {
		if err := os.WriteFile(path, []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if folder := os.Getenv("KCUT_CELLS_FOLDER"); folder != "" {
		fmt.Fprint(&table, "Tables of the folder:\n\n")
		writeCells(t, &table, cellsIn(t, folder))
		save() // the test is skipped below where the shared tables are missing
	}
	fmt.Fprint(&table, "Shared tables:\n\n")
	writeCells(t, &table, sharedCells(t))
	save()
	t.Log(table.String())
}

// writeCells writes a line for every table and k, and the summary.
func writeCells(t *testing.T, w io.Writer, tables []cellsOf) {
	fmt.Fprintf(w, "| data | k | %s | ± |\n|%s\n", "`"+strings.Join(cellAlgorithms, "` | `")+"`",
		strings.Repeat("---|", len(cellAlgorithms)+3))
	var cells []cell
	for _, of := range tables {
		for _, k := range cellKs {
			c, ok := of.evaluate(t, k)
			if !ok {
				continue
			}
			fmt.Fprintf(w, "| %s | %d |", of.name, k)
			c.write(w)
			cells = append(cells, c)
		}
	}
	fmt.Fprintln(w)
	for _, name := range []string{"guided", "auto"} {
		near := map[string]float64{"guided": 0.3, "auto": 0.2}[name]
		for i, learner := range cellLearners {
			fmt.Fprintln(w,
				"- "+compare(cells, name, learner+"'s error", near, func(f figures) float64 {
					return f.errors[i]
				}))
		}
		fmt.Fprintln(w, "- "+compare(cells, name, "AUC", 0.01, func(f figures) float64 {
			return 1 - f.auc
		}))
	}
	fmt.Fprintln(w)
}

// evaluate runs kcut evaluate with five folds. There is no cell if four folds have fewer than 2k
// rows, since no cut is allowed then.
func (of cellsOf) evaluate(t *testing.T, k int) (c cell, ok bool) {
	args := []string{
		"evaluate", of.prepare(t), "--quiet", "--json", "--folds", "5", "--k", strconv.Itoa(k),
		"--algorithms", strings.Join(cellAlgorithms, ","), "--sample", strconv.Itoa(cellRows),
	}
	command := exec.CommandContext(t.Context(), "kcut", args...)
	var stderr strings.Builder
	command.Stderr = &stderr
	text, err := command.Output()
	if err != nil {
		if strings.Contains(stderr.String(), "fewer records than k") {
			return c, false
		}
		t.Fatalf("%s, k = %d: %v: %s", of.name, k, err, &stderr)
	}
	type mean struct{ Mean float64 }
	var evaluation struct {
		Rows    int
		Results []struct {
			Algorithm string
			Errors    map[string]mean
			Quality   map[string]struct{ AUC mean }
		}
	}
	if err := json.Unmarshal(text, &evaluation); err != nil {
		t.Fatal(err)
	}
	if evaluation.Rows*4/5 < 2*k {
		return c, false
	}
	c = cell{evaluation.Rows, map[string]figures{}}
	for _, r := range evaluation.Results {
		if r.Errors == nil {
			continue
		}
		f := figures{auc: r.Quality["boosted"].AUC.Mean}
		for _, learner := range cellLearners {
			f.errors = append(f.errors, 100*r.Errors[learner].Mean)
		}
		c.of[r.Algorithm] = f
	}
	return c, true
}

// prepare copies the job and the files that it names to a folder of its own, and returns the path
// of the job.
func (of cellsOf) prepare(t *testing.T) (job string) {
	t.Helper()
	dir := t.TempDir()
	for _, file := range of.files {
		if err := os.Symlink(file, filepath.Join(dir, filepath.Base(file))); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(of.job)
	if err == nil {
		job = filepath.Join(dir, "job.yaml")
		err = os.WriteFile(job, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return job
}

// write writes the figures of all algorithms. If test rows were drawn at random it also writes the
// standard error of the error of boosted trees on the release of guided.
func (c cell) write(w io.Writer) {
	for _, name := range cellAlgorithms {
		f, ok := c.of[name]
		if !ok {
			fmt.Fprint(w, " – |")
			continue
		}
		var errors []string
		for _, percent := range f.errors {
			errors = append(errors, fmt.Sprintf("%.1f", percent))
		}
		fmt.Fprintf(w, " %s · %.3f |", strings.Join(errors, " / "), f.auc)
	}
	guided := c.of["guided"].errors[2]
	fmt.Fprintf(w, " %.1f |\n", math.Sqrt(guided*(100-guided)/float64(c.rows)))
}

// compare says how a figure of an algorithm compares with the best figure of the other algorithms.
// Lower figures are better. Algorithm auto chooses one of the others, so it is compared with the
// best of all.
func compare(cells []cell, name, what string, near float64, figure func(figures) float64) string {
	within, lower, mean, n := 0, 0, 0.0, 0
	for _, c := range cells {
		own, ok := c.of[name]
		best := math.Inf(1)
		for other, f := range c.of {
			if other != name && other != "auto" {
				best = min(best, figure(f))
			}
		}
		if !ok || math.IsInf(best, 1) {
			continue
		}
		const rounding = 1e-9
		difference := figure(own) - best
		if difference <= near+rounding {
			within++
		}
		if difference <= -near+rounding {
			lower++
		}
		mean += difference
		n++
	}
	if what == "AUC" {
		return fmt.Sprintf("`%s`, %s: no more than %g below the best other one in %d of %d cells "+
			"(%.0f %%), as much above it in %d, %+.3f in the mean", name, what, near, within, n,
			100*float64(within)/float64(n), lower, -mean/float64(n))
	}
	return fmt.Sprintf("`%s`, %s: within %g points of the best other one or below in %d of %d "+
		"cells (%.0f %%), as much lower in %d, %+.2f in the mean", name, what, near, within, n,
		100*float64(within)/float64(n), lower, mean/float64(n))
}
