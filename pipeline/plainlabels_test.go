package pipeline

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/search"
	"github.com/kcut/kcut/pipeline/sql"
)

// plainJob has a column of each type whose labels may be plain, and one that is no label.
const plainJob = `
input: in
output: out.parquet
class: class
quasi_identifiers: [{columns: [stars, seen, at, price, born], k: 5}]
columns:
  stars: {mask: discretize, bounds: [1, 5]}
  seen: discretize
  at: discretize
  price: discretize
  born: {mask: discretize, render: bounds}
  class: keep
`

// plainTable has few stars, days with the type of moments, moments, and prices of whole numbers.
func plainTable() *testTable {
	moments := formats.Type{Kind: formats.Timestamp, Unit: formats.Micro, Zone: "UTC"}
	table := &testTable{fields: []formats.Field{
		{Name: "stars", Type: wholeType, Nullable: true}, {Name: "seen", Type: moments},
		{Name: "at", Type: moments}, {Name: "price", Type: floatType},
		{Name: "born", Type: wholeType}, {Name: "class", Type: textType},
	}}
	for i := range 3000 {
		stars := fmt.Sprint(1 + i%5)
		if i%100 == 0 {
			stars = null
		}
		table.rows = append(table.rows, []string{stars,
			fmt.Sprintf("2016-%02d-%02dT00:00:00Z", 1+i%3, 1+i%7),
			fmt.Sprintf("2016-01-01T%02d:30:00Z", i%4), fmt.Sprint(i % 2),
			fmt.Sprint(1990 + i%2), string(rune('a' + i%5 + i%3))})
	}
	return table
}

// Plain labels differ from ranges only as the documents say. The release keeps its cut and its
// classes, is verified, compared and applied like one with ranges. An applied cut keeps its own
// plain labels, and gets some from a job with these.
func TestPlainLabels(t *testing.T) {
	for _, algorithm := range []string{"tdr", "bottom-up", "mondrian", "guided", "iack"} {
		t.Run(algorithm, func(t *testing.T) {
			dir := plainTable().folder(t, plainJob, 200)
			in := func(name string) string { return filepath.Join(dir, name) }
			labels := func(form string) { write(t, in("job.yaml"), plainJob+"labels: "+form) }
			ranges := mustRun(t, dir, nil, "algorithm.name", algorithm)
			labels("plain")
			mustRun(t, dir, nil, "algorithm.name", algorithm, "output.path", in("plain.parquet"))
			if ranges.Information == nil || *ranges.Information == 0 {
				t.Fatal("nothing is left of the values")
			}
			if stars := ranges.Masked[0]; algorithm == "tdr" && stars.Information != 1 {
				t.Errorf("stars keep %g of their information, with one number in each label",
					stars.Information)
			}
			from, to := cutOf(t, dir), readCut(t, in("plain.parquet"))
			compareForms(t, from, to)
			d, err := cutfile.Diff(t.Context(), in("out.parquet"), in("plain.parquet"), nil)
			equal := err == nil && !slices.ContainsFunc(d.Columns,
				func(c cutfile.ColumnDifference) bool { return len(c.Gone)+len(c.New) > 0 })
			if !equal || from.Kind == "" && d.Relation != cutfile.Equal {
				t.Errorf("%+v, %v", d, err)
			}
			for _, form := range []string{"range", "plain"} {
				for _, cut := range []string{"out.parquet", "plain.parquet"} {
					again := in("again-" + form + "-" + cut)
					labels(form)
					j := mustLoad(t, dir, "algorithm.name", algorithm, "output.path", again,
						"previous", in(cut))
					opt := ApplyOptions{Cut: in(cut), OnBreak: search.BreakSuppress}
					if _, err := Apply(t.Context(), j, opt); err != nil {
						t.Fatal(err)
					}
					want := from
					if form == "plain" || cut == "plain.parquet" {
						want = to
					}
					compareLabels(t, readCut(t, again), want)
				}
			}
			if from.Kind == "" {
				text, err := sql.MaskJob(t.Context(), mustLoad(t, dir, "algorithm.name", algorithm),
					in("plain.parquet"), sql.Options{Dialect: "duckdb", Table: "rows"})
				if err != nil || !strings.Contains(text, "'2'") ||
					strings.Contains(text, "'[2,3)'") {
					t.Errorf("%v\n%s", err, text)
				}
				mustRun(t, dir, nil, "algorithm.name", algorithm, "previous", in("out.parquet"),
					"output.path", in("next.parquet"))
			}
		})
	}
}

// compareForms compares labels as ranges with plain ones, which have the same ends.
func compareForms(t *testing.T, ranges, plain *cutfile.File) {
	t.Helper()
	shorter := make(map[string]int)
	for a, c := range ranges.Columns {
		for i, l := range c.Cut {
			is, want := plain.Columns[a].Cut[i], l.Label
			if string(is.Lower) != string(l.Lower) || string(is.Upper) != string(l.Upper) {
				t.Errorf("%s became %s, with other ends", l.Label, is.Label)
			}
			switch c.Name {
			case "stars":
				for star := 1; star <= 5; star++ {
					if l.Label == fmt.Sprintf("[%d,%d)", star, star+1) ||
						l.Label == fmt.Sprintf("[%d,%[1]d]", star) {
						want = fmt.Sprint(star)
					}
				}
			case "seen":
				want = strings.ReplaceAll(l.Label, "T00:00:00Z", "")
			}
			if is.Label != want || is.Null != l.Null {
				t.Errorf("column %s: %s became %s, want %s", c.Name, l.Label, is.Label, want)
			}
			if want != l.Label {
				shorter[c.Name]++
			}
		}
	}
	if shorter["stars"] == 0 || shorter["seen"] == 0 {
		t.Errorf("labels that could be shorter: %v", shorter)
	}
}

// compareLabels compares the labels of an applied cut with those of its own.
func compareLabels(t *testing.T, applied, of *cutfile.File) {
	t.Helper()
	for a, c := range of.Columns {
		if !slices.EqualFunc(applied.Columns[a].Cut, c.Cut, func(x, y cutfile.Label) bool {
			return x.Label == y.Label && x.Null == y.Null
		}) {
			t.Errorf("column %s: applied %v, was %v", c.Name, applied.Columns[a].Cut, c.Cut)
		}
	}
}

// Bounds within days keep the times of a whole column, and so does the mark of suppressed records.
func TestPlainMark(t *testing.T) {
	text := strings.Replace(plainJob, "seen: discretize",
		"seen: {mask: discretize, bounds: [2016-01-01, 2017-01-01]}", 1)
	text = strings.Replace(text, "k: 5", "k: 40", 1) + "labels: plain\nmax_suppressed: 5%\n"
	dir := plainTable().folder(t, text, 200)
	mustRun(t, dir, nil)
	cut := cutOf(t, dir)
	mark := cut.Columns[cut.Columns.Position("seen")].Suppressed
	if cut.Suppressed == 0 || mark != "[2016-01-01,2017-01-01]" {
		t.Errorf("%d records have the mark %q", cut.Suppressed, mark)
	}
}
