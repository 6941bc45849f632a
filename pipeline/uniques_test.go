package pipeline

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/check"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/resources"
)

// naiveUniques finds minimal sample uniques with maps: each row in each set of columns. It returns
// their numbers by set, and the SUDA scores of the rows.
func naiveUniques(rows [][]string, subsets int) (minimal map[uint]int, scores []float64) {
	columns := len(rows[0])
	isUnique := make([]map[uint]bool, len(rows))
	for set := range uint(1) << columns {
		tuple := func(row []string) (text string) {
			for c := range columns {
				if set>>c&1 == 1 {
					text += fmt.Sprintf("%q,", row[c])
				}
			}
			return text
		}
		classes := make(map[string]int)
		for _, row := range rows {
			classes[tuple(row)]++
		}
		for i, row := range rows {
			if isUnique[i] == nil {
				isUnique[i] = make(map[uint]bool)
			}
			isUnique[i][set] = set > 0 && classes[tuple(row)] == 1
		}
	}
	minimal, scores = make(map[uint]int), make([]float64, len(rows))
	for i := range rows {
		for set := range uint(1) << columns {
			size := bits.OnesCount(set)
			if size > subsets || !isUnique[i][set] {
				continue
			}
			least := true
			for part := range set {
				least = least && !(part&^set == 0 && isUnique[i][part])
			}
			if least {
				minimal[set]++
				scores[i] += math.Gamma(float64(columns - size + 1)) // (columns - size)!
			}
		}
	}
	return minimal, scores
}

// checkUniques compares uniques with those of a naive search.
func checkUniques(t *testing.T, u *check.Uniques, names []string, minimal map[uint]int,
	scores []float64) {
	t.Helper()
	sum, highest, with, total := 0.0, 0.0, 0.0, int64(0)
	for _, score := range scores {
		sum, highest = sum+score, max(highest, score)
		if score > 0 {
			with++
		}
	}
	rows := float64(len(scores))
	for i, pair := range [][2]float64{{u.Share, with / rows}, {u.HighestScore, highest},
		{u.AverageScore, sum / rows}} {
		if math.Abs(pair[0]-pair[1]) > 1e-9*max(1, pair[1]) {
			t.Errorf("figure %d: got %v, want %v", i, pair[0], pair[1])
		}
	}
	sizes := make([]int64, u.Subsets)
	for _, s := range u.Sets {
		set := uint(0)
		for _, name := range s.Columns {
			set |= 1 << slices.Index(names, name)
		}
		if int64(minimal[set]) != s.Minimal {
			t.Errorf("%v: got %d, want %d", s.Columns, s.Minimal, minimal[set])
		}
		delete(minimal, set)
		sizes[len(s.Columns)-1] += s.Minimal
		total += s.Minimal
	}
	if len(minimal) > 0 || u.Minimal != total || !slices.Equal(sizes, u.Sizes) {
		t.Errorf("sets are missing: %v; %d of sizes %v, want %d of %v", minimal, u.Minimal,
			u.Sizes, total, sizes)
	}
}

// Check finds the minimal sample uniques of random tables that a naive search finds, also of rows
// that stand for several records.
func TestUniquesAgreeWithNaive(t *testing.T) {
	found := int64(0)
	enginetest.Cases(t, enginetest.Naive(150), func(rng *rand.Rand) {
		table := randomChecked(rng, 1+rng.IntN(60), 2+rng.IntN(9))
		names := strings.Split("abcsp", "")
		columns := rng.Perm(5)[:1+rng.IntN(5)]
		opt := check.Options{Subsets: 1 + rng.IntN(len(columns)), Input: []string{
			table.write(t, 1+rng.IntN(3))}}
		var rows [][]string
		for _, row := range table {
			var of []string
			for _, c := range columns {
				of = append(of, row[c])
			}
			rows = append(rows, of)
		}
		for _, c := range columns {
			opt.Columns = append(opt.Columns, names[c])
		}
		got, err := check.Table(t.Context(), opt)
		if errors.Is(err, formats.ErrSchema) {
			return // in a few rows all values may be null, or whole numbers
		}
		if err != nil {
			t.Fatal(err)
		}
		minimal, scores := naiveUniques(rows, opt.Subsets)
		checkUniques(t, got.Uniques, opt.Columns, minimal, scores)
		found += got.Uniques.Minimal
	})
	if found < 1000 {
		t.Errorf("only %d uniques were found", found)
	}
}

// checkText checks a table that is written as words with commas, with its names first.
func checkText(t *testing.T, text string, opt check.Options) (*check.Result, error) {
	t.Helper()
	opt.Input = []string{filepath.Join(t.TempDir(), "table.csv")}
	if err := os.WriteFile(opt.Input[0], []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return check.Table(t.Context(), opt)
}

// The scores and contributions that sdcMicro's documents and tests state, with their rows.
func TestUniquesAgreeWithSDCMicro(t *testing.T) {
	for _, c := range []struct {
		name, table   string
		scores        []float64
		contributions []float64 // in percent
	}{
		{"guideline", `Residence,Gender,Education,Labor
Urban,Female,Secondary incomplete,Employed
Urban,Female,Secondary incomplete,Employed
Urban,Female,Primary incomplete,Non-LF
Urban,Male,Secondary complete,Employed
Rural,Female,Secondary complete,Unemployed
Urban,Male,Secondary complete,Employed
Urban,Female,Primary complete,Non-LF
Urban,Male,Post-secondary,Unemployed
Urban,Female,Secondary incomplete,Non-LF
Urban,Female,Secondary incomplete,Non-LF
`, []float64{0, 0, 6, 0, 12, 0, 6, 10, 0, 0}, nil},
		{"simple", "a,b,c\n2,0,0\n1,3,6\n1,0,0\n", nil, []float64{50, 37.5, 37.5}},
		{"book", `age,gender,income,education
20s,male,50k+,highschool
20s,male,50k+,highschool
20s,male,50k-,highschool
20s,male,50k-,highschool
20s,female,50k-,university
20s,female,50k-,highschool
20s,female,50k-,middleschool
60s,male,50k-,university
`, []float64{0, 0, 0, 0, 4, 2, 6, 8}, nil},
	} {
		rows, err := csv.NewReader(strings.NewReader(c.table)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		names := rows[0]
		minimal, scores := naiveUniques(rows[1:], len(names))
		if c.scores != nil && !slices.Equal(scores, c.scores) {
			t.Errorf("%s: naive scores %v, want %v", c.name, scores, c.scores)
		}
		got, err := checkText(t, c.table, check.Options{Columns: names, Subsets: len(names)})
		if err != nil {
			t.Fatal(err)
		}
		checkUniques(t, got.Uniques, names, minimal, scores)
		for i, want := range c.contributions {
			if of := got.Uniques.Columns[i]; of.Column != names[i] ||
				math.Abs(100*of.Share-want) > 1e-9 {
				t.Errorf("%s: column %s contributes %v, want %v", c.name, of.Column, of.Share, want)
			}
		}
	}
}

// A row that stands for several records is not unique, and a table may have no rows.
func TestUniquesOfCounts(t *testing.T) {
	got, err := checkText(t, "a,b,n\nx,1,1\ny,2,2\nz,1,1\n",
		check.Options{Columns: []string{"a", "b"}, Count: "n", Subsets: 2})
	if err != nil || got.Uniques.Minimal != 2 || got.Uniques.Share != 0.5 {
		t.Errorf("%+v, %v", got.Uniques, err)
	}
	got, err = checkText(t, "a,b\n", check.Options{Columns: []string{"a", "b"}, Subsets: 1})
	if err != nil || got.Uniques.Minimal != 0 || got.Uniques.Share != 0 {
		t.Errorf("no rows: %+v, %v", got.Uniques, err)
	}
}

// A search that would look at too many sets, or that makes no sense, is refused before the input
// is read.
func TestUniquesRefused(t *testing.T) {
	columns := strings.Split("abcdefghijklmnopqrstuvwxyz", "")
	for _, c := range []struct {
		opt  check.Options
		want string
	}{
		{check.Options{Columns: columns[:2], Subsets: 3}, "2 are named"},
		{check.Options{Columns: columns[:2], Subsets: 1, Entity: "x"}, "counts people"},
		{check.Options{Columns: columns, Subsets: 4},
			"subsets of 3, the largest number that works here: these are 2951 sets"},
		{check.Options{Columns: slices.Repeat(columns, 400), Subsets: 2}, "name fewer columns"},
	} {
		_, err := check.Table(t.Context(), c.opt)
		if fault.ClassOf(err) != fault.Usage ||
			!strings.Contains(err.Error()+fault.HintOf(err), c.want) {
			t.Errorf("%d of %d: %v; %s, want %q", c.opt.Subsets, len(c.opt.Columns), err,
				fault.HintOf(err), c.want)
		}
	}
}

// A table whose rows do not fit the memory ends with the memory that suffices.
func TestUniquesBeyondMemory(t *testing.T) {
	table := randomChecked(rand.New(rand.NewPCG(1, 2)), 400_000, 500)
	opt := check.Options{Input: []string{table.write(t, 1)}, Columns: []string{"a", "b", "c", "p"},
		Subsets: 3, Limits: job.Limits{Memory: resources.MinMemory, SpillDir: t.TempDir()}}
	_, err := check.Table(t.Context(), opt)
	if fault.ClassOf(err) != fault.Resources || !strings.Contains(fault.HintOf(err), "--memory") ||
		!strings.Contains(fault.HintOf(err), "name fewer columns") {
		t.Errorf("%v; %s", err, fault.HintOf(err))
	}
}
