package pipeline

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/internal/fault"
)

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
			if table.rows[row][table.index(column)] == null { // fewer nulls than k keep a column at its root
				table.set(row, column, few)
			}
		}
		if row%50 == 0 { // a class may be null, too
			table.set(row, "income", null)
		}
	}
	table.fields[table.index("income")].Nullable = true
	dir := jobFolder(t, generatedJob)
	table.parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, len(table.rows), 700)
	if report := mustRun(t, dir, nil); report.Steps < 8 {
		t.Errorf("%d steps tell too little", report.Steps)
	}
	a := auditFolder(t, dir)
	for name, want := range map[string]string{
		"age": "[30,45.5)", "born": "1980", "city": "Köln", "job": "judge", "weight": "[10,100)",
	} {
		if !slices.Contains(a.labels[name].texts, want) {
			t.Errorf("column %s: labels %q, want %q among them", name, a.labels[name].texts, want)
		}
	}
}

// Values that a generator cannot place, and names that are values too, are no tree. The
// message shows none of them.
func TestTaxonomyCannotBeMade(t *testing.T) {
	for name, tt := range map[string]struct{ old, with, value, want string }{
		"no number":     {"{prefix: [3, 1]}", "{ranges: [1, 2]}", "Bonn", "make the taxonomy of column city"},
		"no date":       {"{prefix: [3, 1]}", "{date: [year]}", "Bonn", "make the taxonomy of column city"},
		"inner name":    {"{prefix: [3, 1]}", "{prefix: [3]}", "Par*", "make the taxonomy of column city"},
		"inner node":    {"taxonomy: {prefix: [3, 1]}", "unknown: root, taxonomy: {ANY: {Bonn: [Paris, Lyon]}}", "Bonn", "column city"},
		"unknown: node": {"taxonomy: {prefix: [3, 1]}", "taxonomy: {ANY: {Bonn: [Paris, Lyon]}}", "Bonn", "its taxonomy lacks"},
	} {
		t.Run(name, func(t *testing.T) {
			table := people(rand.New(rand.NewPCG(7, 8)), 300)
			table.set(42, "city", tt.value)
			dir := jobFolder(t, strings.Replace(generatedJob, tt.old, tt.with, 1))
			table.parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, 300, 70)
			before := listing(t, dir)
			_, err := runJob(t, dir, nil)
			if fault.ClassOf(err) != fault.Input || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), tt.value) {
				t.Errorf("got %v of class %d", err, fault.ClassOf(err))
			}
			unchanged(t, dir, before)
		})
	}
}
