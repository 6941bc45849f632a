package pipeline

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
)

// The cut in a release is byte for byte what docs/metadata.md describes.
func TestCutJSON(t *testing.T) {
	const job = `
input: in
output: out.parquet
class: income
quasi_identifiers:
  - {columns: [age, education], k: 4}
  - {columns: [occupation], k: 8}
  - {columns: [hired, weight], k: 4}
columns:
  age: {mask: discretize, bounds: [17, 90]}
  education: generalize
  occupation: suppress
  hired: discretize
  weight: {mask: discretize, render: midpoint}
  income: keep
taxonomies:
  education: {ANY: {Secondary: [9th, 10th], University: [Bachelors, "R&D <PhD>"]}}
`
	table := &testTable{fields: []formats.Field{
		{Name: "age", Type: formats.Type{Kind: formats.Int, Bits: 32}},
		{Name: "education", Type: textType},
		{Name: "occupation", Type: textType, Nullable: true},
		{Name: "hired", Type: formats.Type{Kind: formats.Date}, Nullable: true},
		{Name: "weight", Type: floatType},
		{Name: "income", Type: textType},
	}}
	for i := range 32 {
		table.rows = append(table.rows, []string{
			[]string{"20", "37"}[i/16], []string{"9th", "10th", "Bachelors", "R&D <PhD>"}[i/8], []string{"Sales", "Law", "IT", null}[i/8],
			[]string{"1990-01-01", "2000-05-03", null}[i%3], []string{"0.5", "1.5", "80"}[i%3], []string{">50K", "<=50K"}[(i/4+i/16+i%3/2)%2],
		})
	}
	a := mustRelease(t, table.folder(t, job, 32), 0)
	want := strings.Join([]string{
		`{"version":1,"algorithm":"tdr","class":"income","rows":32,`,
		`"quasi_identifiers":[`,
		`{"columns":["age","education"],"k":4,"anonymity":8},`,
		`{"columns":["occupation"],"k":8,"anonymity":8},`,
		`{"columns":["hired","weight"],"k":4,"anonymity":10}],`,
		`"columns":{`,
		`"age":{"mask":"discretize","cut":[{"label":"[17,37)","lower":17,"upper":37},{"label":"[37,90]","lower":37,"upper":90}]},`,
		`"education":{"mask":"generalize","cut":["9th","10th","Bachelors","R&D <PhD>"]},`,
		`"occupation":{"mask":"suppress","cut":["IT","Law","Sales",null],"suppressed":"*"},`,
		`"hired":{"mask":"discretize","cut":[{"label":"(,2000-05-03)","upper":"2000-05-03"},{"label":"[2000-05-03,)","lower":"2000-05-03"},null]},`,
		`"weight":{"mask":"discretize","render":"midpoint","cut":[{"label":"(,1.5)","upper":1.5},{"label":"[1.5,80)","lower":1.5,"upper":80},{"label":"[80,)","lower":80}]}},`,
		`"steps":11}`,
	}, "")
	if got := string(a.cut.Raw); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A cut of many regions is noticed, in numbers: whoever opens the release reads it.
func TestLargeCutIsNoticed(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("n,m\n")
	for n := range 30_000 {
		fmt.Fprintf(&rows, "%d,%d\n", 1_000_000+n, n%7)
	}
	for k, want := range map[int]bool{1: true, 100: false} {
		dir := jobFolder(t, fmt.Sprintf(`
input: in/rows.csv
output: out.parquet
quasi_identifiers: [{columns: [n, m], k: %d}]
columns: {n: discretize, m: discretize}
algorithm: mondrian
`, k))
		write(t, filepath.Join(dir, "in", "rows.csv"), rows.String())
		report := mustRun(t, dir, nil)
		is := func(text string) bool {
			return strings.HasPrefix(text, "the cut has 30000 regions and takes ")
		}
		if slices.ContainsFunc(report.Notices, is) != want {
			t.Errorf("k %d: notices %q", k, report.Notices)
		}
	}
}
