package pipeline

import (
	"math/rand/v2"
	"slices"
	"testing"
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
	a := mustRelease(t, table.folder(t, generatedJob, 700), 8)
	for name, want := range map[string]string{
		"age": "[30,45.5)", "born": "1980", "city": "Köln", "job": "judge", "weight": "[10,100)",
	} {
		if texts := a.release.column(name).texts; !slices.Contains(texts, want) {
			t.Errorf("column %s: labels %q, want %q among them", name, texts, want)
		}
	}
}
