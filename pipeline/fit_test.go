package pipeline

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kcut/kcut/pipeline/sql"
)

// TestLeavesOfTypes: the leaves of a tree are values of the column's type, in any of their texts:
// runs, applied cuts and SQL statements are the same as for a tree with the usual texts.
func TestLeavesOfTypes(t *testing.T) {
	const form = `
input: in
output: out.parquet
order: input
max_unique: 100%%
quasi_identifiers: [{columns: [int, float, price, flag, at], k: 2}]
columns:
  int:   {mask: generalize, taxonomy: {ANY: {low: [%s], high: [%s]}}}
  float: {mask: generalize, taxonomy: {ANY: {low: [%s], high: [%s]}}}
  price: {mask: generalize, taxonomy: {ANY: {low: [%s], high: [%s]}}}
  flag:  {mask: generalize, taxonomy: {ANY: [%s, %s]}}
  at:    {mask: generalize, taxonomy: {ANY: {old: [%s], new: [%s]}}}
`
	own := []any{`"1", "2"`, `"3", "4"`, `"10", "2.25"`, `"30", "45.5"`, `"1.50", "2.00"`, `"10.00"`, `"true"`, `"false"`,
		`"2020-01-01T10:00:00Z"`, `"2021-01-01T10:00:00Z"`}
	other := []any{`"1.0", "2.00"`, `"+3", "4"`, `"10.0", "2.250"`, `"3e1", "45.50"`, `"1.5", "2"`, `"10"`, "True", "False",
		`"2020-01-01 12:00:00+02"`, `"2021-01-01T10:00Z"`}
	var rows strings.Builder
	rows.WriteString("int,float,price,flag,at\n")
	for i := range 64 {
		fmt.Fprintf(&rows, "%d,%s,%s,%s,%s\n",
			1+i%4, []string{"10.0", "2.25", "30.0", "45.5"}[i/2%4],
			[]string{"1.50", "2.00", "10.00"}[i/16%3],
			[]string{"True", "False"}[i/32], []string{
				"2020-01-01 10:00:00+00", "2021-01-01 10:00:00+00",
			}[i/8%2])
	}
	var releases, applied [][]byte
	var statements []string
	for _, leaves := range [][]any{own, other} {
		dir := csvFolder(t, fmt.Sprintf(form, leaves...), rows.String())
		if report := mustRun(t, dir, nil); report.Steps < 5 {
			t.Errorf("%d steps", report.Steps)
		}
		if len(releases) == 0 {
			auditFolder(t, dir)
		}
		cut := filepath.Join(dir, "out.parquet")
		again := filepath.Join(dir, "again.parquet")
		_, err := Apply(t.Context(), mustLoad(t, dir, "output.path", again), ApplyOptions{Cut: cut})
		must(t, err)
		statement, err := sql.MaskJob(t.Context(), mustLoad(t, dir),
			cut, sql.Options{Dialect: "duckdb", Table: "a", Into: "b"})
		must(t, err)
		releases, applied, statements = append(releases, mustRead(t, cut)),
			append(applied, mustRead(t, again)), append(statements, statement)
	}
	if !bytes.Equal(releases[0], releases[1]) || !bytes.Equal(applied[0], applied[1]) {
		t.Error("releases differ")
	}
	if statements[0] != statements[1] {
		t.Errorf("statements differ:\n%s\n%s", statements[0], statements[1])
	}
}

// TestLeavesThatStay: a leaf stays if it is no other text of a value, for example a code with
// leading zeros, or if another node has its name.
func TestLeavesThatStay(t *testing.T) {
	const form = `
input: in
output: out.parquet
quasi_identifiers: [{columns: [a], k: 2}]
columns: {a: {mask: generalize, unknown: root, taxonomy: {ANY: {"4": ["01", "4.0"], high: ["3", "3.0", "5"]}}}}
`
	dir := csvFolder(t, form, "a\n"+strings.Repeat("1\n2\n3\n5\n", 20))
	var labels []string
	for _, l := range mustRelease(t, dir, 1).cut.Columns[0].Cut {
		labels = append(labels, l.Label)
	}
	if got := strings.Join(labels, " "); got != "4 3 3.0 5 1 2" { // 1 and 2 were unknown
		t.Errorf("the cut is %s", got)
	}
}
