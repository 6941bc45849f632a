package pipeline

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/pipeline/check"
	"github.com/kcut/kcut/pipeline/draft"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/planning"
)

// csvKind is one table in the form of a program other than kcut, in one file or several, and in
// the form of kcut.
type csvKind struct {
	name  string
	csv   string            // the key csv of the job
	types map[string]string // declared types, by column
	found []string          // files
	clean string
}

// csvKinds have columns age, zip and pay.
func csvKinds() []csvKind {
	const header = "age,zip,pay\n"
	var plain, quoted, nulls, comma, pandas, dated, iso [2]strings.Builder
	for i := range 240 {
		half, zip := i/120, 1000*(i%6)+10000
		age, pay := 20+i%9, []string{"1234.5", "999.75"}[i%7%2]
		fmt.Fprintf(&plain[half], "%d,%d,%s\n", age, zip, pay)
		text := fmt.Sprint(age)
		if i%10 == 0 {
			text = ""
		}
		fmt.Fprintf(&quoted[half], "\"%s\",\"%d\",\"%s\"\n", text, zip, pay)
		fmt.Fprintf(&nulls[half], "%s,%d,%s\n", text, zip, pay)
		fmt.Fprintf(&comma[half], "%d;%d;%s\n", age, zip, []string{"1.234,5", "999,75"}[i%7%2])
		fmt.Fprintf(&pandas[half], "%d.0,%d,%s\n", age, zip, pay)
		fmt.Fprintf(&dated[half], "%d/1/%02d,%d,%s\n", age-19, 65+age%9, zip, pay)
		fmt.Fprintf(&iso[half], "%d-%02d-01,%d,%s\n",
			[]int{2065, 1965}[min(1, (65+age%9)/69)]+age%9, age-19, zip, pay)
	}
	both := func(b *[2]strings.Builder) string { return header + b[0].String() + b[1].String() }
	return []csvKind{
		{name: "types by file", found: []string{
			header + plain[0].String(), header, header + plain[1].String(), "",
		}, clean: both(&plain)},
		{name: "quoted empty", found: []string{both(&quoted)}, clean: both(&nulls)},
		{name: "quoted empty, declared", csv: `csv: {nulls: [""]}`, found: []string{header + quoted[0].String(), header + quoted[1].String()}, clean: both(&nulls)},
		{name: "decimal commas", csv: `csv: {decimal: ","}`, found: []string{strings.ReplaceAll(header, ",", ";") + comma[0].String() + comma[1].String()}, clean: both(&plain)},
		{name: "floats of pandas", found: []string{
			header + pandas[0].String(), header + pandas[1].String(),
		}, clean: both(&plain)},
		{name: "two-digit years", types: map[string]string{"age": "date(M/D/YY)"},
			found: []string{both(&dated)}, clean: both(&iso)},
	}
}

// TestCSVKinds: a table in another form is released, planned, checked, drafted and masked by an
// earlier cut like the table in the form of kcut.
func TestCSVKinds(t *testing.T) {
	const form = `
input: in
output: out.parquet
quasi_identifiers: [{columns: [age, zip], k: 5}]
columns:
  age: {mask: discretize%s}
  zip: {mask: generalize, taxonomy: {prefix: [3, 1]}}
  pay: {keep: {identifying: accepted}}
`
	for _, kind := range csvKinds() {
		t.Run(kind.name, func(t *testing.T) {
			declared := ""
			if of := kind.types["age"]; of != "" {
				declared = ", type: " + of
			}
			dir, clean := csvFolder(t, fmt.Sprintf(form, declared)+kind.csv+"\n", kind.found...),
				csvFolder(t, fmt.Sprintf(form, ""), kind.clean)
			for _, order := range []string{job.OrderReleased, job.OrderInput} {
				got, want := releasedRows(t, dir, "order", order),
					releasedRows(t, clean, "order", order)
				if len(want.rows) != 240 || !slices.EqualFunc(got.rows, want.rows,
					slices.Equal[[]string]) {
					t.Errorf("order %s: other rows than those of the clean table", order)
				}
			}
			mustRun(t, clean, nil, "output.path", filepath.Join(clean, "cut.parquet"))
			out := filepath.Join(dir, "applied.parquet")
			_, err := Apply(t.Context(), mustLoad(t, dir, "output.path", out),
				ApplyOptions{Cut: filepath.Join(clean, "cut.parquet")})
			must(t, err)
			if got, want := readRows(t, out),
				readRows(t, filepath.Join(clean, "cut.parquet")); !slices.EqualFunc(got.rows,
				want.rows, slices.Equal[[]string]) {
				t.Error("the cut of the clean table masks others")
			}
			planned, err := Plan(t.Context(), mustLoad(t, dir),
				PlanOptions{Overwrite: true, Sample: true})
			if must(t, err); planned.Rows != 240 {
				t.Errorf("%d rows are planned", planned.Rows)
			}
			csv := mustLoad(t, dir).CSV
			checked := func(dir string, csv job.CSV) (classes, anonymity int64) {
				found, err := check.Table(t.Context(),
					check.Options{Input: []string{filepath.Join(dir, "in")},
						Columns: []string{"age", "zip", "pay"}, CSV: csv})
				must(t, err)
				return found.Classes, found.Anonymity
			}
			gotClasses, got := checked(dir, csv)
			if classes, want := checked(clean, job.CSV{}); gotClasses != classes || got != want {
				t.Errorf("a check finds %d classes, the smallest of %d, want %d and %d",
					gotClasses, got, classes, want)
			}
			if kind.types != nil { // a draft has none
				return
			}
			masks := func(dir string, csv job.CSV) string {
				opt := draft.Options{Input: []string{filepath.Join(dir, "in")}, CSV: csv}
				text, err := draft.Job(t.Context(), opt, planning.Try)
				must(t, err)
				return text[strings.Index(text, "\ncolumns:"):]
			}
			if got, want := masks(dir, csv), masks(clean, job.CSV{}); got != want {
				t.Errorf("a draft has\n%s\nwant\n%s", got, want)
			}
		})
	}
}
