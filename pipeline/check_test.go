package pipeline

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/check"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/risk"
)

// checkedTable has a table of columns a (texts), b (integers), c (numbers), s (sensitive), p
// (people); an empty cell is a null.
type checkedTable [][]string

func randomChecked(rng *rand.Rand, rows, most int) (table checkedTable) {
	for range rows {
		row := []string{
			fmt.Sprint("v", rng.IntN(most)), fmt.Sprint(rng.IntN(most) - 2),
			fmt.Sprint(float64(rng.IntN(most)) / 2),
			fmt.Sprint("s", rng.IntN(1+rng.IntN(5))), fmt.Sprint(rng.IntN(1 + rows/2)),
		}
		if rng.IntN(4) == 0 {
			row[rng.IntN(len(row))] = ""
		}
		table = append(table, row)
	}
	return table
}

// write writes the table to a number of files in a new folder.
func (c checkedTable) write(t *testing.T, files int) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for i := range files {
		f, err := os.Create(filepath.Join(folder, fmt.Sprintf("%02d.csv", i)))
		if err != nil {
			t.Fatal(err)
		}
		w := csv.NewWriter(f)
		rows := c[len(c)*i/files : len(c)*(i+1)/files]
		if err := errors.Join(w.WriteAll(append([][]string{{"a", "b", "c", "s", "p"}}, rows...)),
			f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// naive computes with maps the result of check for some columns.
func (c checkedTable) naive(columns []int, k int, people bool) *check.Result {
	classes, secrets := make(map[string][]int), []string(nil)
	for i, row := range c {
		tuple := ""
		for _, column := range columns {
			tuple += fmt.Sprintf("%q,", row[column])
		}
		classes[tuple] = append(classes[tuple], i)
		secrets = append(secrets, row[3])
	}
	whole, worst, all := sharesOf(secrets), naiveFigures{}, 0.0
	r := &check.Result{Rows: int64(len(c)), K: k, Anonymity: math.MaxInt64,
		Figures: &risk.Figures{Classes: int64(len(classes))}}
	for _, rows := range classes {
		values, who := []string(nil), make(map[string]bool)
		for _, i := range rows {
			values = append(values, c[i][3])
			who[c[i][4]] = true
		}
		size := int64(len(rows))
		if people {
			size = int64(len(who))
		}
		all += float64(size)
		r.Anonymity = min(r.Anonymity, size)
		if size == 1 {
			r.Unique++
		}
		if size < int64(k) {
			r.Below += float64(size)
		}
		worst.add(naiveMeasures(sharesOf(values), whole, ""))
	}
	r.Unique, r.Below = r.Unique/all, r.Below/all
	r.Prosecutor = risk.Risk{Highest: 1 / float64(r.Anonymity),
		Average: float64(len(classes)) / all}
	r.Journalist, r.Marketer = r.Prosecutor, r.Prosecutor.Average
	s := check.Sensitive{Column: "s", Values: len(whole)}
	s.L, s.EntropyL = new(worst["l"]), new(worst["entropy_l"])
	s.MaxConfidence, s.T = new(worst["max_confidence"]), new(worst["t"])
	r.Sensitive, r.OK = []check.Sensitive{s}, r.Anonymity >= int64(k)
	return r
}

// checkedText writes a result without the digits that depend on the order of sums.
func checkedText(r *check.Result) string {
	text := fmt.Sprintf("%d %d %d %t %.9f %.9f %d %.9f %.9f %.9f", r.Rows, r.K, r.Anonymity,
		r.OK, r.Unique, r.Below, r.Classes, r.Prosecutor, r.Journalist, r.Marketer)
	for _, s := range r.Sensitive {
		text += fmt.Sprintf(" %s %d %.9f %.9f %.9f %.9f",
			s.Column, s.Values, *s.L, *s.EntropyL, *s.MaxConfidence, *s.T)
	}
	return text
}

// Check finds in random tables what a naive count finds, in one file or several, in memory or in
// the store.
func TestCheckAgreesWithNaive(t *testing.T) {
	enginetest.Cases(t, 60, func(rng *rand.Rand) {
		table := randomChecked(rng, 1+rng.IntN(400), 2+rng.IntN(12))
		names, columns := []string{"a", "b", "c"}, rng.Perm(3)[:1+rng.IntN(3)]
		opt := CheckOptions{Sensitive: []string{"s"}, K: 1 + rng.IntN(4), Spill: rng.IntN(2) == 0}
		opt.Limits = job.Limits{Threads: 1 + rng.IntN(3), SpillDir: t.TempDir()}
		for _, column := range columns {
			opt.Columns = append(opt.Columns, names[column])
		}
		if rng.IntN(2) == 0 {
			opt.Entity = "p"
		}
		want := table.naive(columns, opt.K, opt.Entity != "")
		opt.Input = []string{table.write(t, 1+rng.IntN(4))}
		got, err := Check(t.Context(), opt)
		if errors.Is(err, formats.ErrSchema) {
			// in a few rows all values may be null, or whole numbers
			return
		}
		if got == nil || (err == nil) != want.OK ||
			err != nil && fault.ClassOf(err) != fault.Privacy {
			t.Fatalf("%v, want %t", err, want.OK)
		}
		if got, want := checkedText(got), checkedText(want); got != want {
			t.Errorf("%+v\n got %s\nwant %s", opt, got, want)
		}
	})
}

// A table that does not fit the memory is counted in the store, and the store leaves no file.
func TestCheckBeyondMemory(t *testing.T) {
	table := randomChecked(rand.New(rand.NewPCG(1, 2)), 400_000, 500)
	spilled, folder := false, t.TempDir()
	got, err := Check(t.Context(), CheckOptions{
		Input: []string{table.write(t, 3)}, Columns: []string{"a", "b", "c"},
		Sensitive: []string{"s"}, Entity: "p",
		Limits: job.Limits{Memory: resources.MinMemory, Threads: 2, SpillDir: folder},
		Events: Events{Notice: func(text string) {
			spilled = spilled || strings.Contains(text, "spilling")
		}},
	})
	if err != nil || !spilled {
		t.Fatalf("spilled: %t, error %v", spilled, err)
	}
	if got, want := checkedText(got), checkedText(
		table.naive([]int{0, 1, 2}, 0, true)); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if left, err := filepath.Glob(filepath.Join(folder, "*")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// Every column must be named once, and must not be nested.
func TestCheckRefuses(t *testing.T) {
	input := []string{checkedTable{{"x", "1", "1.5", "s", "p"}}.write(t, 1)}
	for _, tt := range []struct {
		want string
		opt  CheckOptions
	}{
		{`it lacks aa; did you mean "a"? the input has a, b, c, s, p`, CheckOptions{Columns: []string{"b"}, Entity: "aa"}},
		{"named twice", CheckOptions{Columns: []string{"a", "b", "a"}}},
		{"named twice", CheckOptions{Columns: []string{"a"}, Sensitive: []string{"a"}}},
	} {
		tt.opt.Input = input
		_, err := Check(t.Context(), tt.opt)
		var advised *fault.Error
		if !errors.As(err, &advised) || advised.Class != fault.Usage ||
			!strings.Contains(err.Error()+"; "+advised.Hint, tt.want) {
			t.Errorf("%v: %v, want %q", tt.opt.names(), err, tt.want)
		}
	}
	if r, err := Check(t.Context(), CheckOptions{
		Input: []string{checkedTable{}.write(t, 1)}, Columns: []string{"a"},
		Sensitive: []string{"s"}, K: 1,
	}); r == nil || r.Anonymity != 0 || r.OK || err == nil {
		t.Errorf("a table without rows: %+v, %v", r, err)
	}
}
