package pipeline

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kcut/kcut/pipeline/cutfile"
)

// suppressedJob masks a column with several sets; the larger k of mail is 20.
const suppressedJob = `
input: in
output: out.parquet
class: income
quasi_identifiers: [{columns: [mail, age], k: 4}, {columns: [mail], k: 20}]
columns: {mail: suppress, age: discretize, income: keep}
`

var setAlgorithms = []string{"mondrian", "{name: mondrian, partitioning: relaxed, seed: 5}", "infogain-mondrian"}

// mailTable has rows whose values of mail a function gives.
func mailTable(rows int, mail func(rng *rand.Rand, row int) string) *testTable {
	t := &testTable{fields: textFields("mail", "age", "income")}
	t.fields[1].Type = people(rand.New(rand.NewPCG(1, 1)), 1).fields[0].Type
	rng := rand.New(rand.NewPCG(7, 9))
	for row := range rows {
		t.rows = append(t.rows, []string{mail(rng, row), fmt.Sprint(17 + rng.IntN(70)), []string{"low", "high"}[rng.IntN(2)]})
	}
	return t
}

// releaseMails masks a table with every algorithm that makes sets of values, in memory and out of core.
func releaseMails(t *testing.T, table *testTable, check func(t *testing.T, dir string, cut *cutfile.File)) {
	t.Helper()
	for _, algorithm := range setAlgorithms {
		t.Run(searchName(algorithm), func(t *testing.T) {
			dir := table.folder(t, withAlgorithm(suppressedJob, algorithm), 4000)
			want := outcomeOf(t, dir, RunOptions{})
			mustAgree(t, outcomeOf(t, dir, RunOptions{System: System{Spill: true, Room: 3}}), want)
			check(t, dir, mustRelease(t, dir, 0, "max_steps", "3").cut)
		})
	}
}

// Nobody's own value of a suppressed column is read in a release: the attack that set labels
// which name all values of a region lay open to.
func TestDistinctValuesAreNotNamed(t *testing.T) {
	table := mailTable(20_000, func(_ *rand.Rand, row int) string { return fmt.Sprintf("user%05d@example.org", row) })
	releaseMails(t, table, func(t *testing.T, dir string, _ *cutfile.File) {
		for _, row := range readTable(t, filepath.Join(dir, "out.parquet")).rows {
			if row[0] != "*" {
				t.Fatalf("released is %q", row[0])
			}
		}
		text := embedded(t, filepath.Join(dir, "out.parquet"))[cutfile.Key]
		if strings.Contains(text, "example.org") {
			t.Error("the cut names a value")
		}
	})
}

// Of values, nulls among them, some frequent and some rare, labels name the frequent ones only.
func TestRareValuesAreNotNamed(t *testing.T) {
	for _, nulls := range []int{0, 7, 400} { // of 2,000 rows
		table := mailTable(2000, func(rng *rand.Rand, row int) string {
			switch {
			case row < nulls:
				return null
			case row < 1000:
				return fmt.Sprint("rare", row/10)
			}
			return fmt.Sprint("often", rng.IntN(6))
		})
		records := map[string]int{}
		for _, row := range table.rows {
			records[row[0]]++
		}
		t.Run(fmt.Sprint(nulls, " nulls"), func(t *testing.T) {
			releaseMails(t, table, func(t *testing.T, _ string, cut *cutfile.File) {
				named := 0
				for _, label := range cut.Columns[0].Cut {
					values := parseSet(label.Label)
					switch {
					case label.Null:
						values = []string{null}
					case label.Label == "*":
						continue
					case values == nil:
						values = []string{label.Label}
					}
					named += len(values)
					for _, value := range values {
						if records[value] < 20 {
							t.Errorf("%q names %q, which %d records have", label.Label, value, records[value])
						}
					}
				}
				if named == 0 {
					t.Error("no frequent value is named")
				}
			})
		})
	}
}

// A forged cut whose labels name more than they may is refused, as is a label that names
// values where the cut has the mark.
func TestVerifyRefusesLongSetLabels(t *testing.T) {
	table := mailTable(2000, func(rng *rand.Rand, _ int) string { return fmt.Sprint("often", rng.IntN(4)) })
	dir := table.folder(t, withAlgorithm(suppressedJob, "mondrian"), 4000)
	mustRun(t, dir, nil)
	var values []string
	for i := range 21 {
		values = append(values, fmt.Sprintf("m%02d", i))
	}
	was := cutOf(t, dir).Columns[0].Cut[0].Label
	relabel := func(label string) func(*testing.T, *testTable, map[string]string) {
		return func(t *testing.T, table *testTable, m map[string]string) {
			edit(t, m, func(c *cutfile.File) { c.Columns[0].Cut[0].Label = label })
			for _, row := range table.rows {
				if row[0] == was {
					row[0] = label
				}
			}
		}
	}
	all := strings.Join(values, "|")
	mustFindForgeries(t, dir, []forgery{
		{"as long as may be", relabel("{" + strings.Join(values[:20], "|") + "}"), nil},
		{"longer", relabel("{" + all + "}"), []string{"column mail: a label of its cut names more values than k = 20"}},
		{"no end", relabel("{" + all), []string{"column mail: a label of its cut is a set without an end"}},
		{"no label", sets(0, "mail", "{often0|often1|often2}"), []string{"column mail"}},
	}...)
}
