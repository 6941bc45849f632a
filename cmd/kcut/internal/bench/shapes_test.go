package bench

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// shape is a job whose cost does not depend mainly on its rows: with many columns, sets, values or
// steps.
type shape struct {
	name  string
	rows  func(w io.Writer) // writes the input as CSV
	job   string            // without its input and output
	other string            // addition to the job for comparison; empty: nothing
}

var shapes = []shape{
	{"columns=3000/sets=1500", digits(300, wideColumns), wideJob(2), ""},
	{"columns=3000/sets=3000", digits(300, wideColumns), wideJob(1), ""},
	{"columns=3000/sets=1", digits(300, wideColumns), wideJob(wideColumns), ""},
	{"suppressed=400000", towns("", nil), "quasi_identifiers: [{columns: [town], k: " +
		"5}]\ncolumns: {town: suppress}\n", ""},
	{"suppressed=skewed", func(w io.Writer) {
		r := rand.New(rand.NewPCG(1, 1))
		fmt.Fprintln(w, "town,class")
		for range 2_000_000 {
			fmt.Fprintf(w, "t%d,%d\n", int(400_000*math.Pow(r.Float64(), 3)),
				min(int(r.ExpFloat64()), 4))
		}
	}, "class: class\nquasi_identifiers: [{columns: [town], k: 5}]\ncolumns: {town: suppress, " +
		"class: keep}\n", ""},
	{"suppressed=two", towns(",shop,class", func(i int, r *rand.Rand) string {
		return fmt.Sprintf(",s%d,%d", i*7919%2_000_000/5, min(int(r.ExpFloat64()), 4))
	}), "class: class\nquasi_identifiers: [{columns: [town], k: 5}, {columns: [shop], k: 5}]\n" +
		"columns: {town: suppress, shop: suppress, class: keep}\nmax_unique: 100%\n", ""},
	{"suppressed=beside", towns(",age,class", func(_ int, r *rand.Rand) string {
		return fmt.Sprintf(",%d,%d", 17+r.IntN(73), min(int(r.ExpFloat64()), 4))
	}), "class: class\nquasi_identifiers: [{columns: [age, town], k: 5}]\ncolumns: {age: " +
		"discretize, town: suppress, class: keep}\n", ""},
	{"suppressed=sensitive", towns(",illness", func(_ int, r *rand.Rand) string {
		return fmt.Sprintf(",%d", r.IntN(20))
	}),
		"quasi_identifiers: [{columns: [town], k: 5}]\ncolumns: {town: suppress, illness: " +
			"keep}\nmax_unique: 100%\n",
		"sensitive: [{column: illness, l: 3}]\n"},
	{"suppressed=outliers", towns(",illness", func(i int, r *rand.Rand) string {
		if town := i / 5; town%3 == 0 { // all people there have the same illness
			return fmt.Sprintf(",%d", town%20)
		}
		return fmt.Sprintf(",%d", r.IntN(20))
	}), "quasi_identifiers: [{columns: [town], k: 5}]\ncolumns: {town: suppress, illness: " +
		"keep}\nmax_unique: 100%\n",
		"sensitive: [{column: illness, l: 3}]\nmax_suppressed: 40%\n"},
	{"told=600x600", digits(2000, 2*keptColumns), keptAndMaskedJob(), ""},
	{"outliers", twoNumbers, twoNumberSets, "max_suppressed: 1%\n"},
	{"outliers=entities", twoNumbers, twoNumberSets + "entity: person\n", "max_suppressed: 1%\n"},
	{"outliers=sensitive", twoNumbers, strings.Replace(twoNumberSets, "person: drop",
		"person: drop, illness: keep", 1) +
		"sensitive: [{column: illness, l: 3}]\n", "max_suppressed: 1%\n"},
}

// towns writes five rows for each of 400,000 towns, with other columns.
func towns(header string, others func(row int, r *rand.Rand) string) func(w io.Writer) {
	return func(w io.Writer) {
		r := rand.New(rand.NewPCG(1, 1))
		fmt.Fprintln(w, "town"+header)
		for i := range 2_000_000 {
			more := ""
			if others != nil {
				more = others(i, r)
			}
			fmt.Fprintf(w, "t%d%s\n", i/5, more)
		}
	}
}

const keptColumns = 600

// keptAndMaskedJob masks every second column.
func keptAndMaskedJob() string {
	var sets, masks strings.Builder
	for c := 0; c < 2*keptColumns; c += 2 {
		fmt.Fprintf(&sets, "  - {columns: [c%d], k: 5}\n", c)
		fmt.Fprintf(&masks, "  c%d: discretize\n  c%d: {mask: keep, identifying: accepted}\n", c,
			c+1)
	}
	return "quasi_identifiers:\n" + sets.String() + "columns:\n" + masks.String() + "max_unique: " +
		"100%\n"
}

// twoNumbers writes two columns of numbers, people of two rows each, and a column of twenty
// illnesses.
func twoNumbers(w io.Writer) {
	r := rand.New(rand.NewPCG(1, 1))
	fmt.Fprintln(w, "a,b,person,illness")
	for i := range 1_000_000 {
		fmt.Fprintf(w, "%d,%d,%d,%d\n", r.IntN(200_000), int(20_000*r.ExpFloat64()), i/2, i*7919%20)
	}
}

// twoNumberSets is a job with a set for each of the two numbers.
const twoNumberSets = "quasi_identifiers: [{columns: [a], k: 10}, {columns: [b], k: 10}]\n" +
	"unlisted: drop\ncolumns: {a: discretize, b: discretize, person: drop}\nmax_unique: 100%\n"

const wideColumns = 3000

// digits writes rows of columns that have six values each.
func digits(rows, columns int) func(w io.Writer) {
	return func(w io.Writer) {
		r := rand.New(rand.NewPCG(1, 1))
		for row := range rows + 1 {
			for c := range columns {
				if c > 0 {
					fmt.Fprint(w, ",")
				}
				if row == 0 {
					fmt.Fprintf(w, "c%d", c)
				} else {
					fmt.Fprint(w, r.IntN(6))
				}
			}
			fmt.Fprintln(w)
		}
	}
}

// wideJob returns a job with sets of many columns.
func wideJob(columns int) string {
	var sets, masks strings.Builder
	for c := 0; c < wideColumns; c += columns {
		var names []string
		for i := range columns {
			names = append(names, fmt.Sprintf("c%d", c+i))
			fmt.Fprintf(&masks, "  c%d: discretize\n", c+i)
		}
		fmt.Fprintf(&sets, "  - {columns: [%s], k: 5}\n", strings.Join(names, ", "))
	}
	return "quasi_identifiers:\n" + sets.String() + "columns:\n" + masks.String() + "max_unique: " +
		"100%\n"
}

// BenchmarkShapes runs jobs of these shapes, and reports the processor time of a run, its number of
// steps, and the ratio of the time of the compared job to it.
func BenchmarkShapes(b *testing.B) {
	for _, s := range shapes {
		b.Run(s.name, func(b *testing.B) {
			dir := b.TempDir()
			f, err := os.Create(filepath.Join(dir, "in.csv"))
			if err != nil {
				b.Fatal(err)
			}
			w := bufio.NewWriter(f)
			s.rows(w)
			if err := w.Flush(); err != nil {
				b.Fatal(err)
			}
			if err := f.Close(); err != nil {
				b.Fatal(err)
			}
			took, steps := 0.0, 0
			run := func(more string) (seconds float64) {
				path := filepath.Join(dir, "job.yaml")
				if err := os.WriteFile(path,
					[]byte("input: in.csv\noutput: out.parquet\n"+s.job+more), 0o600); err != nil {
					b.Fatal(err)
				}
				// otherwise there would be nothing to do
				if err := os.RemoveAll(filepath.Join(dir, "out.parquet")); err != nil {
					b.Fatal(err)
				}
				before := probe()
				_, report := timedRun(b, path, "8GiB")
				steps = report.Steps
				return probe().since(before).CPU
			}
			other := 0.0
			for b.Loop() {
				took += run("")
				if s.other != "" {
					other += run(s.other)
				}
			}
			b.ReportMetric(took/float64(b.N), "CPU-s/op")
			b.ReportMetric(float64(steps), "steps")
			if s.other != "" {
				b.ReportMetric(other/took, "times")
			}
		})
	}
}
