package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/formats/formatstest"
)

// cellsOf is a table on which all algorithms are evaluated: a cell for every k.
type cellsOf struct {
	name, job, input string
	sample           int // rows that are evaluated, about; 0: all
}

func allCells() []cellsOf {
	cells := []cellsOf{
		{name: "Adult, 8", job: "adult/eight", input: "adult/adult.parquet"},
		{name: "Adult, 14", job: "adult/kactus14", input: "adult/adult.parquet"},
		{name: "BRFSS", job: "cells/brfss", input: "brfss2015_heart.parquet", sample: 50_000},
	}
	for _, uci := range []string{"breast_cancer_wisconsin", "car", "cmc", "german", "mushroom", "nursery", "tictactoe", "vote"} {
		cells = append(cells, cellsOf{name: strings.ReplaceAll(uci, "_", " "), job: "cells/" + uci, input: "uci/" + uci + ".csv"})
	}
	return cells
}

// cell is what kcut evaluate says of a table and k: errors of the tree in percent.
type cell struct {
	rows   int
	errors map[string]float64 // by algorithm; those that reach k
}

// TestCells writes the table of docs/results.md on guided, auto and all others to the file that KCUT_CELLS names. KCUT_CELLS_REPEATS
// says how often cross-validation is repeated: once, if it is empty.
func TestCells(t *testing.T) {
	path := os.Getenv("KCUT_CELLS")
	if path == "" {
		t.Skip("KCUT_CELLS names no file for the table")
	}
	var table strings.Builder
	fmt.Fprint(&table, "| data | k |")
	for _, name := range searches() {
		fmt.Fprintf(&table, " `%s` |", name)
	}
	fmt.Fprintf(&table, " ± | `guided` − best | `auto` | `auto` − best |\n|%s\n", strings.Repeat("---|", len(searches())+6))
	var differences, chosen []float64
	for _, of := range allCells() {
		for _, k := range []int{10, 50, 100, 500} {
			c, ok := of.evaluate(t, k)
			if !ok {
				continue
			}
			if guided, auto, ok := c.write(&table, of.name, k); ok {
				differences, chosen = append(differences, guided), append(chosen, auto)
			}
		}
	}
	fmt.Fprintln(&table, "\n"+summary(differences))
	within, _, mean := tell(chosen, 0.2)
	fmt.Fprintf(&table, "`auto` is within 0.2 points of the best of all in %d (%.0f %%), and errs %.2f more in the mean.\n", within, 100*float64(within)/float64(len(chosen)), mean)
	if err := os.WriteFile(path, []byte(table.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Log(table.String())
}

// searches names the algorithms but auto, which chooses one of them.
func searches() (names []string) {
	for _, a := range kcut.Algorithms() {
		if a.Name != "auto" {
			names = append(names, a.Name)
		}
	}
	return names
}

// evaluate runs kcut evaluate with five folds. There is no cell where the rows of four of them are fewer than 2k: no cut is allowed then.
func (of cellsOf) evaluate(t *testing.T, k int) (c cell, ok bool) {
	args := []string{"evaluate", of.prepare(t), "--quiet", "--json", "--folds", "5", "--k", strconv.Itoa(k), "--algorithms", strings.Join(searches(), ",") + ",auto"}
	if of.sample > 0 {
		args = append(args, "--sample", strconv.Itoa(of.sample))
	}
	if repeats := os.Getenv("KCUT_CELLS_REPEATS"); repeats != "" {
		args = append(args, "--repeats", repeats)
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
	var evaluation struct {
		Rows    int
		Results []struct {
			Algorithm string
			Errors    map[string]struct{ Mean float64 }
		}
	}
	if err := json.Unmarshal(text, &evaluation); err != nil {
		t.Fatal(err)
	}
	if evaluation.Rows*4/5 < 2*k {
		return c, false
	}
	c = cell{evaluation.Rows, map[string]float64{}}
	for _, r := range evaluation.Results {
		if of, ok := r.Errors["tree"]; ok {
			c.errors[r.Algorithm] = 100 * of.Mean
		}
	}
	return c, true
}

// prepare returns the job in a folder of its own, with the files that it names.
func (of cellsOf) prepare(t *testing.T) (job string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{of.input, "adult/taxonomies.yaml"} {
		if err := os.Symlink(formatstest.SharedData(t, name), filepath.Join(dir, filepath.Base(name))); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", of.job+".yaml"))
	if err == nil {
		job = filepath.Join(dir, "job.yaml")
		err = os.WriteFile(job, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return job
}

// write writes the cell's line: the standard error of the best error is the noise of one. It returns what guided
// errs more than the best of the others, and auto more than the best of all.
func (c cell) write(w io.Writer, name string, k int) (guided, auto float64, ok bool) {
	best := math.Inf(1)
	fmt.Fprintf(w, "| %s | %d |", name, k)
	for _, name := range searches() {
		percent, ok := c.errors[name]
		if !ok {
			fmt.Fprint(w, " – |")
			continue
		}
		fmt.Fprintf(w, " %.2f |", percent)
		if name != "guided" {
			best = min(best, percent)
		}
	}
	guided, ok = c.errors["guided"]
	if !ok || math.IsInf(best, 1) {
		fmt.Fprintln(w, " | | | |")
		return 0, 0, false
	}
	auto = c.errors["auto"] - min(best, guided)
	fmt.Fprintf(w, " %.2f | %+.2f | %.2f | %+.2f |\n", math.Sqrt(guided*(100-guided)/float64(c.rows)), guided-best, c.errors["auto"], auto)
	return guided - best, auto, true
}

// summary says in how many cells guided is as good as the best of the others.
func summary(differences []float64) string {
	within, lower, mean := tell(differences, 0.3)
	n := len(differences)
	return fmt.Sprintf("%d cells: `guided` is within 0.3 points of the best of the others or below in %d (%.0f %%), lower by 0.3 or more in %d (%.0f %%), and differs by %+.2f in the mean.",
		n, within, 100*float64(within)/float64(n), lower, 100*float64(lower)/float64(n), mean)
}

// tell returns how many differences are no more than a least one, how many are as much below zero, and the mean.
func tell(differences []float64, least float64) (within, lower int, mean float64) {
	const rounding = 1e-9
	for _, d := range differences {
		mean += d / float64(len(differences))
		if d <= least+rounding {
			within++
		}
		if d <= -least+rounding {
			lower++
		}
	}
	return within, lower, mean
}
