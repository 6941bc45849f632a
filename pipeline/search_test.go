package pipeline

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
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

// A set within another set with the same or a larger k adds nothing; the run notes that.
func TestRedundantSets(t *testing.T) {
	dir := peopleFolder(t, changed("  - {columns: [born, city, weight], k: 3}", `  - {columns: [job, city], k: 4}
  - {columns: [born, weight], k: 3}
  - {columns: [weight, born], k: 3}
  - {columns: [age], k: 6}`), 1000)
	report := mustRun(t, dir, nil)
	for _, set := range []int{2, 4} {
		want := fmt.Sprintf("quasi-identifier set %d is redundant", set)
		if !slices.ContainsFunc(report.Notices, func(n string) bool {
			return strings.HasPrefix(n, want)
		}) {
			t.Errorf("notices %q, want %q", report.Notices, want)
		}
	}
	if a := auditFolder(t, dir); len(a.cut.Sets) != 3 {
		t.Errorf("sets %+v", a.cut.Sets)
	}
}

// A table in which no specialization distinguishes records is released as one class.
func TestNoStep(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*testTable, int)
		steps  bool // there may be some that split nothing
	}{
		{"one class", func(table *testTable, row int) { table.set(row, "income", "low") }, false},
		{"all nulls", func(table *testTable, row int) {
			copy(table.rows[row], []string{null, null, null, null, null})
		}, true},
		{"all the same", func(table *testTable, row int) {
			copy(table.rows[row][:5], table.rows[0][:5])
		}, true},
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

// generatedJob generalizes every column of people along taxonomies that are made of the values.
const generatedJob = `
input: in
output: out.parquet
class: income
quasi_identifiers:
  - {columns: [age], k: 100}
  - {columns: [born], k: 20}
  - {columns: [city], k: 40}
  - {columns: [job], k: 40}
  - {columns: [weight], k: 50}
columns:
  age: {mask: generalize, taxonomy: {ranges: [30, 45.5, 100]}}
  born: {mask: generalize, taxonomy: {date: [month, year, decade]}}
  city: {mask: generalize, taxonomy: {prefix: [3, 1]}}
  job: {mask: generalize, unknown: root, taxonomy: {ANY: {Care: [nurse], Law: [judge, attorney]}}}
  weight: {mask: generalize, taxonomy: {ranges: [10, 100, 110]}}
  income: keep
`

func TestGeneratedTaxonomies(t *testing.T) {
	table := people(rand.New(rand.NewPCG(7, 8)), 3000)
	for row := range table.rows {
		for column, few := range map[string]string{"age": "50", "city": "Nice", "weight": "64"} {
			if table.rows[row][table.index(column)] == null {
				// fewer nulls than k keep a column at its root
				table.set(row, column, few)
			}
		}
		if row%50 == 0 { // a class may be null, too
			table.set(row, "income", null)
		}
	}
	table.fields[table.index("income")].Nullable = true
	a := mustRelease(t, table.folder(t, generatedJob, 700), 8)
	for name, want := range map[string]string{
		"age": "[30,45.5)", "born": "1980", "city": "Köln", "job": "judge", "weight": "[10,100)",
	} {
		if texts := a.release.column(name).texts; !slices.Contains(texts, want) {
			t.Errorf("column %s: labels %q, want %q among them", name, texts, want)
		}
	}
}
