package pipeline

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/domain"
)

func TestMaxSteps(t *testing.T) {
	dir := peopleFolder(t, peopleJob, 1000)
	all := mustRun(t, dir, nil).Steps
	for steps := range all + 2 {
		a := mustRelease(t, dir, 0, "max_steps", fmt.Sprint(steps))
		if a.cut.Steps != min(steps, all) {
			t.Errorf("%d steps of at most %d, %d in all", a.cut.Steps, steps, all)
		}
		for _, column := range a.cut.Columns {
			if steps == 0 && len(column.Cut) > 1 {
				t.Errorf("column %s has more than its top label", column.Name)
			}
		}
	}
}

// A set within another with the same k or a larger one adds nothing; the run says so.
func TestRedundantSets(t *testing.T) {
	dir := peopleFolder(t, changed("  - {columns: [born, city, weight], k: 3}", `  - {columns: [job, city], k: 4}
  - {columns: [born, weight], k: 3}
  - {columns: [weight, born], k: 3}
  - {columns: [age], k: 6}`), 1000)
	report := mustRun(t, dir, nil)
	for _, set := range []int{2, 4} {
		want := fmt.Sprintf("quasi-identifier set %d is redundant", set)
		if !slices.ContainsFunc(report.Notices, func(n string) bool { return strings.HasPrefix(n, want) }) {
			t.Errorf("notices %q, want %q", report.Notices, want)
		}
	}
	if a := auditFolder(t, dir); len(a.cut.Sets) != 3 {
		t.Errorf("sets %+v", a.cut.Sets)
	}
}

// A column with more distinct values than a search may split at is cut at quantile edges,
// and that is all: a table that has the edges in place of the values gives the same cut.
func TestQuantileBins(t *testing.T) {
	const distinct = domain.MaxSplitValues + 3000
	rng := rand.New(rand.NewPCG(11, 12))
	table := &testTable{fields: []formats.Field{
		{Name: "x", Type: wholeType},
		{Name: "class", Type: textType},
	}}
	counts := make(map[int]int)
	for range distinct + 20_000 {
		value := len(table.rows)
		if value >= distinct {
			value = rng.IntN(distinct/10) * 10
		}
		counts[value]++
		class := []string{"a", "b"}[value/9000%2]
		table.rows = append(table.rows, []string{fmt.Sprint(value * 3), class})
	}
	job := strings.Replace(numberJob(""), "k: 3", "k: 500", 1)
	dir := table.folder(t, job, 30_000)
	report := mustRun(t, dir, nil)
	if report.Steps < 5 {
		t.Fatalf("%d steps tell too little", report.Steps)
	}
	want := auditFolder(t, dir).cut.Raw
	edges := quantileEdges(counts, len(table.rows))
	notice := fmt.Sprintf("column x has %d distinct values: split points are restricted to %d quantile edges", distinct, len(edges))
	if !slices.Contains(report.Notices, notice) {
		t.Errorf("notices %q, want %q", report.Notices, notice)
	}
	for _, row := range table.rows {
		value, _ := strconv.Atoi(row[0])
		at, exact := slices.BinarySearch(edges, value/3)
		if !exact {
			at--
		}
		row[0] = fmt.Sprint(edges[at] * 3)
	}
	dir = table.folder(t, job, 30_000)
	if got := mustRun(t, dir, nil); len(got.Notices) > 0 {
		t.Errorf("notices %q", got.Notices)
	}
	if cut := cutOf(t, dir); !bytes.Equal(cut.Raw, want) {
		t.Errorf("over the edges:\n%s\nwant\n%s", cut.Raw, want)
	}
}

// quantileEdges returns the smallest value with at least i/65536 of the rows below it, of
// every i, without repetition.
func quantileEdges(counts map[int]int, rows int) []int {
	var edges []int
	values := slices.Sorted(maps.Keys(counts))
	below, next := 0, 0
	for i := range domain.MaxSplitValues {
		for next < len(values) && below*domain.MaxSplitValues < i*rows {
			below += counts[values[next]]
			next++
		}
		if next < len(values) {
			edges = append(edges, values[next])
		}
	}
	return slices.Compact(edges)
}

// Tables in which no specialization tells records apart are released, as one class.
func TestNoStep(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*testTable, int)
		steps  bool // there may be some that split nothing
	}{
		{"one class", func(table *testTable, row int) { table.set(row, "income", "low") }, false},
		{"all nulls", func(table *testTable, row int) { copy(table.rows[row], []string{null, null, null, null, null}) }, true},
		{"all the same", func(table *testTable, row int) { copy(table.rows[row][:5], table.rows[0][:5]) }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			table := people(rand.New(rand.NewPCG(3, 4)), 300)
			for row := range table.rows {
				tt.change(table, row)
			}
			a := mustRelease(t, table.folder(t, peopleJob, 100), 0)
			if a.cut.Steps > 0 && !tt.steps {
				t.Errorf("%d steps", a.cut.Steps)
			}
			for _, set := range a.cut.Sets {
				if set.Anonymity != 300 {
					t.Errorf("anonymity %d of 300 rows", set.Anonymity)
				}
			}
		})
	}
}
