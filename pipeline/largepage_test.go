package pipeline

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kcut/kcut/internal/fault"
)

// Pages and dictionaries that do not fit the budget end the run with the name of the column;
// with more memory it works.
func TestLargePagesAreDrawn(t *testing.T) {
	table := &testTable{fields: textFields("name", "label")}
	for i := range 4 {
		text := fmt.Sprint(i/2, strings.Repeat("x", 18<<20))
		table.rows = append(table.rows, []string{text, []string{"low", "high"}[i/2]})
	}
	dir := jobFolder(t, `
input: in
output: out.parquet
class: label
quasi_identifiers: [{columns: [name], k: 2}]
columns: {name: {mask: generalize, taxonomy: {prefix: [1]}}, label: keep}
`)
	table.parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, len(table.rows), len(table.rows))
	small := outcomeOf(t, dir, RunOptions{}, "limits.memory", "16MiB", "limits.threads", "1")
	if small.class != fault.Resources || !strings.Contains(small.err, `column "name" of row group 0`) {
		t.Errorf("%q of class %d", small.err, small.class)
	}
	want := outcomeOf(t, dir, RunOptions{}, "limits.memory", "1GiB")
	if want.err != "" || want.steps == 0 {
		t.Errorf("%d steps, %s", want.steps, want.err)
	}
}
