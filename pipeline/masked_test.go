package pipeline

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/search"
)

// A run reports the spread of rows over the values of a column as a plain count finds it, but
// without values that have fewer rows than the largest k of the sets with the column.
func TestRunReportsSpread(t *testing.T) {
	dir := t.TempDir()
	rows := []string{"town,age,income"}
	counts := map[string]uint64{}
	for town := range 20 {
		for row := range 1 + town*town/6 {
			rows = append(rows, fmt.Sprintf("town%02d,%d,%d", town, 20+(row+town)%9, row%2))
			counts[fmt.Sprint("town", town)]++
		}
	}
	must(t, os.WriteFile(filepath.Join(dir, "people.csv"), []byte(strings.Join(rows, "\n")), 0o600))
	for _, algorithm := range []string{"tdr", "mondrian", "kactus"} {
		j, err := job.Parse(filepath.Join(dir, "job.yaml"), fmt.Appendf(nil, `
input: people.csv
output: %s.parquet
class: income
algorithm: %s
quasi_identifiers: [{columns: [town, age], k: 4}, {columns: [town], k: 9}]
columns: {town: suppress, age: discretize, income: keep}
`, algorithm, algorithm), nil)
		must(t, err)
		report, err := Run(t.Context(), j, RunOptions{})
		must(t, err)
		var want []uint64
		for _, n := range counts {
			if n >= 9 {
				want = append(want, n)
			}
		}
		slices.SortFunc(want, func(a, b uint64) int { return cmp.Compare(b, a) })
		want = want[:min(search.MostFrequent, len(want))]
		if len(report.Masked) != 2 || report.Masked[0].Column != "town" ||
			!slices.Equal(report.Masked[0].Frequent, want) {
			t.Errorf("%s: got %+v, want %v of town", algorithm, report.Masked, want)
		}
	}
}
