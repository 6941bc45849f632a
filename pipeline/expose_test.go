package pipeline

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/risk"
)

// keptPeople returns people with columns that tell rows apart by themselves (id), only together (street,
// house), or not at all (ward); and with one that tells a masked column (title).
func keptPeople(rows int) *testTable {
	table := people(rand.New(rand.NewPCG(5, 6)), rows)
	table.addColumn("id", func(row int) string { return fmt.Sprint("id", row) })
	table.addColumn("street", func(row int) string { return fmt.Sprint("street", row/20) })
	table.addColumn("house", func(row int) string { return fmt.Sprint("house", row%20) })
	table.addColumn("ward", func(row int) string { return fmt.Sprint("ward", row%3) })
	table.addColumn("title", func(row int) string { return table.rows[row][3] + "'s" })
	return table
}

// keeping is the people's job with these kept columns; others are dropped.
func keeping(entries ...string) string {
	return changed("  income: keep", "  income: keep\n  "+strings.Join(entries, "\n  ")) + "\nunlisted: drop\n"
}

// accepting returns entries of kept columns that may tell rows apart.
func accepting(names ...string) (entries []string) {
	for _, name := range names {
		entries = append(entries, name+": {keep: {identifying: accepted}}")
	}
	return entries
}

// A release that keeps what tells who is who is refused before anything is there, with the columns, unless their
// entries accept it.
func TestKeptIdentifiersAreRefused(t *testing.T) {
	table := keptPeople(600)
	for _, tt := range []struct {
		name    string
		entries []string
		refused []string // in the message or the hint; nil: it is released
		noted   string
	}{
		{"identifier", []string{"id: keep"}, []string{"job.yaml:15:7", "100.0 % of the rows are unique on kept column id", "id: {keep: {identifying: accepted}}"}, ""},
		{"accepted", []string{"id: {keep: {identifying: accepted}}"}, nil, "100.0 % of the rows are unique on the class and kept column id: accepted"},
		{"accepted, other form", []string{"id: {mask: keep, identifying: accepted}", "ward: keep"}, nil, "kept column id: accepted"},
		{"another is accepted", []string{"id: keep", "ward: {keep: {identifying: accepted}}"}, []string{"kept column id"}, ""},
		{"together", []string{"street: keep", "house: keep"}, []string{"the class and the kept columns street, house", "street: {keep"}, ""},
		{"one of them is accepted", []string{"street: {keep: {identifying: accepted}}", "house: keep"}, []string{"street, house", "house: {keep"}, ""},
		{"both are accepted", []string{"street: {keep: {identifying: accepted}}", "house: {keep: {identifying: accepted}}"}, nil, "kept columns street, house: accepted"},
		{"beside an accepted one", []string{"id: {keep: {identifying: accepted}}", "street: keep", "house: keep"}, []string{"street, house"}, ""},
		{"neither", []string{"title: keep", "ward: keep"}, nil, ""},
		{"the class alone", nil, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := table.folder(t, keeping(tt.entries...), 250)
			if tt.refused != nil {
				mustRefuse(t, dir, RunOptions{}, fault.Privacy, tt.refused...)
				return
			}
			report := mustRun(t, dir, nil)
			noted := func(text string) bool { return strings.Contains(text, tt.noted) }
			if tt.noted != "" && !slices.ContainsFunc(report.Notices, noted) || tt.noted == "" && slices.ContainsFunc(report.Notices, func(text string) bool { return strings.Contains(text, "accepted") }) {
				t.Errorf("notices %q, want %q", report.Notices, tt.noted)
			}
			if (report.Risk.Kept == nil) != (tt.entries == nil) {
				t.Errorf("risk %+v", report.Risk)
			}
		})
	}
}

// A job whose columns all go out unless it says otherwise is refused, too, and so is one that applies a cut.
func TestUnlistedIdentifiersAreRefused(t *testing.T) {
	table := keptPeople(300)
	dir := table.folder(t, strings.Replace(keeping("id: {keep: {identifying: accepted}}"), "unlisted: drop", "unlisted: keep", 1), 300)
	mustRefuse(t, dir, RunOptions{}, fault.Privacy, "street, house", "columns.street")

	dir = table.folder(t, keeping("id: {keep: {identifying: accepted}}"), 300)
	mustRun(t, dir, nil)
	editJob(t, dir, "{keep: {identifying: accepted}}", "keep")
	before := listing(t, dir)
	_, err := Apply(t.Context(), mustLoad(t, dir, "output.path", filepath.Join(dir, "again.parquet")), ApplyOptions{Cut: filepath.Join(dir, "out.parquet")})
	mustFail(t, err, fault.Privacy, "kept column id")
	unchanged(t, dir, before)
}

// What a run tells of its release is what naive counts of the released file tell, and a kept column that tells
// a masked one is named.
func TestRiskOfRelease(t *testing.T) {
	table := keptPeople(700)
	dir := table.folder(t, keeping(append(accepting("ward"), "title: keep")...), 200)
	editJob(t, dir, "weight: discretize", "weight: {mask: discretize, render: bounds}")
	report := mustRun(t, dir, nil)
	if want := []risk.Determined{{Kept: "title", Masked: "job"}}; !slices.Equal(report.Risk.Determines, want) {
		t.Errorf("%+v tell masked columns", report.Risk.Determines)
	}
	text := "column title is kept, and its values tell those of masked column job"
	risks := "risk of a row, for who knows the quasi-identifiers of all sets: 100.0 % on average and 100.0 % at most before masking, "
	if !slices.Contains(report.Notices, text) || !slices.ContainsFunc(report.Notices, func(text string) bool { return strings.HasPrefix(text, risks) }) {
		t.Errorf("notices %q", report.Notices)
	}
	released := readTable(t, filepath.Join(dir, "out.parquet"))
	kept := []string{"income", "ward", "title"}
	labels := []string{"age", "born", "city", "job", "weight_lower", "weight_upper"}
	for _, tt := range []struct {
		what    string
		got     *risk.Figures
		columns []string
	}{
		{"kept columns", report.Risk.Kept, kept}, {"labels", report.Risk.Labels, labels}, {"both", report.Risk.Both, append(slices.Clone(labels), "title")},
	} {
		sizes := make(map[string]int)
		for _, row := range released.rows {
			tuple := ""
			for i, field := range released.fields {
				if slices.Contains(tt.columns, field.Name) {
					tuple += row[i] + "|"
				}
			}
			sizes[tuple]++
		}
		unique, below := 0, 0
		for _, n := range sizes {
			if n == 1 {
				unique++
			}
			if n < 3 {
				below += n
			}
		}
		got := fmt.Sprintf("%.6f %.6f %d %.6f", tt.got.Unique, tt.got.Below, tt.got.Classes, tt.got.Marketer)
		n := float64(len(released.rows))
		if want := fmt.Sprintf("%.6f %.6f %d %.6f", float64(unique)/n, float64(below)/n, len(sizes), float64(len(sizes))/n); got != want {
			t.Errorf("%s: %s, want %s", tt.what, got, want)
		}
	}
	if !slices.Equal(report.Risk.Columns, kept) || report.Risk.K != 3 {
		t.Errorf("%+v", report.Risk)
	}
}

// Whatever the threads, the budget and the layout, the figures are the same.
func TestRiskDoesNotDependOnLayout(t *testing.T) {
	table := keptPeople(900)
	var want string
	for i, groupRows := range []int{900, 200, 50} {
		dir := table.folder(t, keeping(accepting("street", "title", "ward")...), groupRows)
		report := mustRun(t, dir, nil, "limits.threads", fmt.Sprint(1+i), "limits.memory", []string{"16MiB", "1GiB", "64MiB"}[i])
		text, err := report.text()
		must(t, err)
		_, got, _ := strings.Cut(string(text), `"risk"`)
		got, _, _ = strings.Cut(got, `"inputs"`)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("row groups of %d rows: %s, want %s", groupRows, got, want)
		}
	}
}
