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

// shape is a job whose cost is not that of its rows: of many columns, sets, values or steps.
type shape struct {
	name  string
	rows  func(w io.Writer) // the input, as CSV
	job   string            // but for its input and output
	other string            // what is added to the job to compare with; empty: nothing
}

var shapes = []shape{
	{"columns=3000/sets=1500", wideRows, wideJob(2), ""},
	{"columns=3000/sets=3000", wideRows, wideJob(1), ""},
	{"columns=3000/sets=1", wideRows, wideJob(wideColumns), ""},
	{"suppressed=400000", func(w io.Writer) {
		fmt.Fprintln(w, "town")
		for i := range 2_000_000 {
			fmt.Fprintf(w, "t%d\n", i/5)
		}
	}, "quasi_identifiers: [{columns: [town], k: 5}]\ncolumns: {town: suppress}\n", ""},
	{"suppressed=skewed", func(w io.Writer) {
		r := rand.New(rand.NewPCG(1, 1))
		fmt.Fprintln(w, "town,class")
		for range 2_000_000 {
			fmt.Fprintf(w, "t%d,%d\n", int(400_000*math.Pow(r.Float64(), 3)), min(int(r.ExpFloat64()), 4))
		}
	}, "class: class\nquasi_identifiers: [{columns: [town], k: 5}]\ncolumns: {town: suppress, class: keep}\n", ""},
	{"outliers", twoNumbers, twoNumberSets, "max_suppressed: 1%\n"},
	{"outliers=entities", twoNumbers, twoNumberSets + "entity: person\n", "max_suppressed: 1%\n"},
}

// twoNumbers writes two columns of numbers, and people of two rows each.
func twoNumbers(w io.Writer) {
	r := rand.New(rand.NewPCG(1, 1))
	fmt.Fprintln(w, "a,b,person")
	for i := range 1_000_000 {
		fmt.Fprintf(w, "%d,%d,%d\n", r.IntN(200_000), int(20_000*r.ExpFloat64()), i/2)
	}
}

// twoNumberSets has a set for each of them.
const twoNumberSets = "quasi_identifiers: [{columns: [a], k: 10}, {columns: [b], k: 10}]\n" +
	"columns: {a: discretize, b: discretize, person: drop}\nmax_unique: 100%\n"

const wideColumns = 3000

func wideRows(w io.Writer) {
	r := rand.New(rand.NewPCG(1, 1))
	for row := range 301 {
		for c := range wideColumns {
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

// wideJob has sets of so many columns.
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
	return "quasi_identifiers:\n" + sets.String() + "columns:\n" + masks.String()
}

// BenchmarkShapes runs jobs of these shapes, and reports the processor time of a run and how many steps it has, and of the
// job that is compared how many times that is.
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
				if err := os.WriteFile(path, []byte("input: in.csv\noutput: out.parquet\n"+s.job+more), 0o600); err != nil {
					b.Fatal(err)
				}
				if err := os.RemoveAll(filepath.Join(dir, "out.parquet")); err != nil { // else there would be nothing to do
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
