package pipeline

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/search"
)

// TestValuesOutsideOfTaxonomies: values that are not in a taxonomy get a place: the empty text is
// a leaf, the name of a node is that node, a month or a year is a node, and unknown: root takes
// all other values.
func TestValuesOutsideOfTaxonomies(t *testing.T) {
	const form = `
input: in
output: out.parquet
quasi_identifiers: [{columns: [v], k: 5}]
columns: {v: {mask: generalize, unknown: root, taxonomy: TREE}}
`
	for name, c := range map[string]struct{ tree, values, want string }{
		"empty text of prefixes": {"{prefix: [3]}", ";02134;02139;10001", ";02134;02139;10001"},
		"empty text in a tree":   {`{ANY: ["", "02134", "02139"]}`, ";02134;02139", ";02134;02139"},
		"empty text beside one":  {`{ANY: ["02134", "02139"]}`, ";02134;02139", ";02134;02139"},
		"name of a prefix": {"{prefix: [3]}", "021*;02134;02139;10001",
			"021*;021*;021*;10001"},
		"parts of dates": {"{date: [month, year]}", "1990-05-01;1990-05;1991;1992-02-03;soon;",
			"1990-05;1990-05;1991;1992-02-03;soon;"},
		"long years": {"{date: [year, decade]}", "2020-01-01;12020-01-01",
			"2020-01-01;12020-01-01"},
		"spellings": {"{spelling: [case, word]}", "F;Woman;New York;new  york ;Ulm;;M",
			"female;female;new york;new york;Ulm;;M"},
		"value with the name of a spelling": {"{spelling: [case]}", "yes;Yes;no", "yes;yes;no"},
		"common forms": {"{spelling: [case]}, at_most: 1", "Ulm;ulm;BONN; ;*a",
			"ulm;ulm;bonn; ;*a"},
		"other than numbers": {"{ranges: [18]}", "17;20;NA;(,18)", "(,18);20;NA;(,18)"},
	} {
		t.Run(name, func(t *testing.T) {
			table := &testTable{fields: textFields("v")}
			values, want := strings.Split(c.values, ";"), strings.Split(c.want, ";")
			for range 6 {
				for _, value := range values {
					table.rows = append(table.rows, []string{value})
				}
			}
			dir := table.folder(t, strings.Replace(form, "TREE", c.tree, 1), 100)
			check := func(path string) {
				for i, row := range readRows(t, path).rows {
					if row[0] != want[i%len(want)] {
						t.Fatalf("row %d is %q, want %q", i, row[0], want[i%len(want)])
					}
				}
			}
			out := filepath.Join(dir, "out.parquet")
			for _, algorithm := range []string{"", // tdr
				"algorithm: {name: mondrian, region_labels: tight}\n"} {
				editJob(t, dir, "quasi_", algorithm+"quasi_")
				mustRun(t, dir, nil)
				check(out)
				applied := filepath.Join(t.TempDir(), "applied.parquet")
				j := mustLoad(t, dir, "output.path", applied)
				_, err := Apply(t.Context(), j, ApplyOptions{Cut: out, OnBreak: search.BreakFail})
				must(t, err)
				check(applied)
			}
		})
	}
}

// TestNumbersWithNulls: a class of numbers and nulls is released as the interval of its numbers and
// the null, unless only ends are to be seen, or fewer than k records have nulls. Another table gets
// these labels by the cut.
func TestNumbersWithNulls(t *testing.T) {
	const form = `
input: in
output: out.parquet
quasi_identifiers: [{columns: all, k: 3}]
algorithm: {name: mondrian, region_labels: tight, categories: ordered}
columns: {age: {mask: discretize, render: RENDER}, glucose: {mask: discretize, render: RENDER},
  crp: {mask: discretize, render: RENDER}, sodium: {mask: discretize, render: RENDER}}
`
	for _, tt := range []struct {
		render  string
		share   float64 // of the rows after the first two, which have nulls
		labeled bool
	}{{"label", 0.5, true}, {"bounds", 0.5, false}, {"interval", 0.5, false}, {"label", 0, false}} {
		t.Run(fmt.Sprint(tt), func(t *testing.T) {
			table, rng := &testTable{}, rand.New(rand.NewPCG(3, 4))
			for _, name := range []string{"age", "glucose", "crp", "sodium"} {
				table.fields = append(table.fields,
					formats.Field{Name: name, Type: wholeType, Nullable: true})
			}
			for row := range 200 {
				cells := make([]string, len(table.fields))
				for i := range cells {
					cells[i] = fmt.Sprint(rng.IntN(100))
					if row < 2 || rng.Float64() < tt.share {
						cells[i] = null
					}
				}
				table.rows = append(table.rows, cells)
			}
			dir := table.folder(t, strings.ReplaceAll(form, "RENDER", tt.render), 100)
			a := mustRelease(t, dir, 0)
			if is := strings.Contains(string(a.cut.Raw), `|\\N}`); is != tt.labeled {
				t.Fatalf("the cut has labels with the null: %t, want %t", is, tt.labeled)
			}
			if tt.labeled {
				applied := mustLoad(t, dir, "output.path", filepath.Join(dir, "applied.parquet"))
				_, err := Apply(t.Context(), applied, ApplyOptions{
					Cut: filepath.Join(dir, "out.parquet"), OnBreak: search.BreakSuppress,
					MaxSuppressed: Quota{Percent: 100}})
				must(t, err)
				auditJob(t, applied)
			}
		})
	}
}
