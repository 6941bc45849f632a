package pipeline

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats/storage/storagetest"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/search"
	"github.com/kcut/kcut/pipeline/verify"
	"github.com/kcut/kcut/spill"
)

// naiveDrifts counts with plain maps, for each set of two releases, the classes in which fewer
// than k rows with some value of a kept column came or went.
func naiveDrifts(was, is *audit, columns []string) (drifts []verify.Drift) {
	count := func(a *audit, set []string, column string) map[string]map[string]int {
		classes := make(map[string]map[string]int)
		for row := range a.release.rows {
			key := ""
			for _, name := range set {
				for _, part := range releasedNames(name, a.spec(name).Render) {
					key += a.release.column(part).at(row) + "\x00"
				}
			}
			if classes[key] == nil {
				classes[key] = make(map[string]int)
			}
			classes[key][a.release.column(column).at(row)]++
		}
		return classes
	}
	for i, set := range is.job.Sets {
		for _, column := range columns {
			before, after, n := count(was, set.Columns, column), count(is, set.Columns, column), 0
			for key, values := range after {
				few := false
				for _, of := range []map[string]int{values, before[key]} {
					for value := range of {
						change := max(values[value]-before[key][value],
							before[key][value]-values[value])
						few = few || before[key] != nil && change > 0 && change < set.K
					}
				}
				if few {
					n++
				}
			}
			if n > 0 {
				drifts = append(drifts, verify.Drift{
					Set: i + 1, K: set.K, Column: column, Classes: n,
				})
			}
		}
	}
	return drifts
}

// TestDrifts: for every two nights a run counts the same classes with small changes of kept
// values as a naive count, with any number of threads, and notes them if the earlier release can
// be read.
func TestDrifts(t *testing.T) {
	text := "sensitive: [{column: weight, l: 2}]\n" +
		strings.Replace(nightlyJob, "  weight: drop\n",
			"  weight: {keep: {identifying: accepted}}\n", 1)
	dir := jobFolder(t, text)
	town := newResidents(rand.New(rand.NewPCG(3, 4)), 600)
	release := func(night int) string {
		return filepath.Join(dir, fmt.Sprintf("night%d.parquet", night))
	}
	input := filepath.Join(dir, "in", "a.parquet")
	town.night(t, input)
	mustRun(t, dir, nil, "output.path", release(0))
	found := 0
	for n := 1; n <= 4; n++ {
		was := auditFolder(t, dir, "output.path", release(n-1))
		town.night(t, input)
		job := mustLoad(t, dir, "output.path", release(n))
		report, err := Apply(t.Context(), job, ApplyOptions{
			Cut: release(n - 1), OnBreak: search.BreakSuppress, MaxSuppressed: Quota{Percent: 90},
		})
		must(t, err)
		want := naiveDrifts(was, auditFolder(t, dir, "output.path", release(n)),
			[]string{"weight", "income"})
		for _, threads := range []int{1, 3} {
			got, err := verify.Drifts(t.Context(), release(n-1), release(n), threads,
				spill.NewBudget(64<<20))
			must(t, err)
			if !slices.Equal(got, want) {
				t.Errorf("night %d: %+v, want %+v", n, got, want)
			}
		}
		found += len(want)
		for _, d := range want {
			if !noted(report.Notices, fmt.Sprintf("since %s fewer than %d rows with some value "+
				"of column %s came or went in %d equivalence classes of quasi-identifier set %d",
				release(n-1), d.K, d.Column, d.Classes, d.Set)) {
				t.Errorf("night %d: no note of %+v in %q", n, d, report.Notices)
			}
		}
	}
	if found < 8 {
		t.Errorf("only %d are found", found)
	}
	if _, err := verify.Drifts(t.Context(), release(0), release(1),
		1, spill.NewBudget(1<<10)); err == nil {
		t.Error("no budget is enough")
	}
	cut := filepath.Join(dir, "cut.json")
	write(t, cut, string(readCut(t, release(4)).Raw))
	report, err := Apply(t.Context(), mustLoad(t, dir, "output.path", release(5)),
		ApplyOptions{Cut: cut, OnBreak: search.BreakSuppress, MaxSuppressed: Quota{Percent: 90}})
	must(t, err)
	if noted(report.Notices, "since ") || noted(report.Notices, "kept values were not compared") {
		t.Errorf("the notes are %q", report.Notices)
	}
}

// TestDriftsOfLayouts: the counts are the same for a file, a directory of parts and partitions,
// and an object store, and for every rendering of intervals.
func TestDriftsOfLayouts(t *testing.T) {
	text := strings.NewReplacer("  weight: drop\n", "  weight: {keep: {identifying: accepted}}\n",
		"  age: {mask: discretize, bounds: [0, 120]}",
		"  age: {mask: discretize, bounds: [0, 120], render: interval}").Replace(nightlyJob)
	dir := jobFolder(t, "sensitive: [{column: weight, l: 2}]\nmax_unique: 100%\n"+text)
	server := storagetest.New(t)
	town, input := newResidents(rand.New(rand.NewPCG(3, 4)), 600),
		filepath.Join(dir, "in", "a.parquet")
	layouts := [][]string{{filepath.Join(dir, "was.parquet"), filepath.Join(dir, "is.parquet")},
		{dir + "/was/", dir + "/is/"}, {server.URL("was/"), server.URL("is.parquet")}}
	of := func(output string) *job.Job {
		j := mustLoad(t, dir, "output.path", output)
		if strings.HasSuffix(output, "/") {
			j.Output.RowGroupRows, j.Output.PartitionBy, j.Order = 150, []string{"city"},
				job.OrderReleased
		}
		return j
	}
	town.night(t, input)
	for _, layout := range layouts {
		_, err := Run(t.Context(), of(layout[0]), RunOptions{})
		must(t, err)
	}
	was := auditFolder(t, dir, "output.path", layouts[0][0])
	town.night(t, input)
	var want []verify.Drift
	for i, layout := range layouts {
		report, err := Apply(t.Context(), of(layout[1]), ApplyOptions{
			Cut: layout[0], OnBreak: search.BreakSuppress, MaxSuppressed: Quota{Percent: 90},
		})
		must(t, err)
		if i == 0 {
			want = naiveDrifts(was, auditFolder(t, dir, "output.path", layout[1]),
				[]string{"weight", "income"})
		}
		got, err := verify.Drifts(t.Context(), layout[0], layout[1], 2, spill.NewBudget(64<<20))
		if err != nil || len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("%s: %+v, %v, want %+v", layout[1], got, err, want)
		}
		if d := want[0]; !noted(report.Notices,
			fmt.Sprintf("since %s fewer than %d rows with some value of column %s came or went "+
				"in %d equivalence classes", layout[0], d.K, d.Column, d.Classes)) {
			t.Errorf("%s: no note of %+v in %q", layout[1], d, report.Notices)
		}
	}
}
