package pipeline

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/risk"
)

// determinedTable has masked columns a, b and c, and kept columns g, h, n, d, p and q. For most
// of the rows, a determines g, a and b together determine h, c and d determine each other, and so
// do b and the pair of p and q; no column determines n.
func determinedTable(rng *rand.Rand) *testTable {
	t := &testTable{fields: textFields("a", "b", "c", "g", "h", "n", "d", "p", "q", "y", "e")}
	rows, wrong := 300+rng.IntN(500), rng.IntN(8)
	for row := range rows {
		a, b, c := rng.IntN(12), rng.IntN(5), rng.IntN(4)
		g, h, n, d, p, q := a/3, (a*3+b*2)%5, rng.IntN(5), 3*c, b/2, b%2
		if row < wrong {
			g, h, d, p = rng.IntN(4), rng.IntN(5), rng.IntN(4), rng.IntN(3)
		}
		var texts []string
		for _, value := range []int{a, b, c, g, h, n, d, p, q,
			rng.IntN(2), row / (1 + rng.IntN(3))} {
			texts = append(texts, fmt.Sprint("v", value))
		}
		t.rows = append(t.rows, texts)
	}
	return t
}

// determines reports by maps whether columns determine another column for 99 % of the rows,
// neither by chance nor because the other column is nearly constant.
func (t *testTable) determines(by []string, of string) bool {
	values, all, like := make(map[string]map[string]int), make(map[string]int), 0
	for _, row := range t.rows {
		tuple, value := t.key(row, by), t.key(row, []string{of})
		if values[tuple] == nil {
			values[tuple] = make(map[string]int)
		}
		values[tuple][value]++
		all[value]++
	}
	most := func(counts map[string]int) (n int) {
		for _, count := range counts {
			n = max(n, count)
		}
		return n
	}
	for _, counts := range values {
		like += most(counts)
	}
	rows := len(t.rows)
	return 2*len(values) <= rows && 100*most(all) < 99*rows && 100*like >= 99*rows
}

// isMember reports whether one or two columns of a set determine another column.
func (t *testTable) isMember(set []string, of string) bool {
	for i, a := range set {
		for _, b := range set[i:] {
			if t.determines(slices.Compact([]string{a, b}), of) {
				return true
			}
		}
	}
	return false
}

// figures returns the shares of rows, or people, that are alone and in classes of fewer than k,
// and the number of classes.
func (t *testTable) figures(columns []string, whose []string, k int) (f risk.Figures) {
	of, all := make(map[string]map[string]bool), make(map[string]bool)
	alone, small := make(map[string]bool), make(map[string]bool)
	for i, row := range t.rows {
		key := t.key(row, columns)
		if of[key] == nil {
			of[key] = make(map[string]bool)
		}
		of[key][whose[i]], all[whose[i]] = true, true
	}
	for _, those := range of {
		for one := range those {
			if len(those) == 1 {
				alone[one] = true
			}
			if len(those) < k {
				small[one] = true
			}
		}
	}
	n := float64(len(all))
	return risk.Figures{Unique: float64(len(alone)) / n, Below: float64(len(small)) / n,
		Classes: int64(len(of))}
}

// sameFigures reports whether figures, which may be absent, agree.
func sameFigures(got *risk.Figures, want risk.Figures) bool {
	return got != nil && math.Abs(got.Unique-want.Unique) < 1e-9 &&
		math.Abs(got.Below-want.Below) < 1e-9 && got.Classes == want.Classes
}

// riskCase is a job over a determinedTable.
type riskCase struct {
	*testTable
	rng     *rand.Rand
	kept    []string
	entity  bool
	text    string
	options RunOptions
	most    float64 // max_unique
}

// riskSets are the sets of a riskCase, with their k.
var (
	riskSets = [][]string{{"a", "b"}, {"b", "c"}, {"a", "c"}}
	riskKs   = []int{6, 4, 2}
)

// drawRisk draws a case of an algorithm, in memory or in a store.
func drawRisk(seed uint64, search string, spilled bool) *riskCase {
	rng := rand.New(rand.NewPCG(seed, 0))
	c := &riskCase{testTable: determinedTable(rng),
		rng: rng, most: []float64{0, 0.01, 0.3, 1, 1}[rng.IntN(5)]}
	c.options.System.Spill = spilled
	c.kept = [][]string{{"g"}, {"h"}, {"n"}, {"d"}, {"p", "q"}, {"g", "d"}, {"n", "h"}}[rng.IntN(7)]
	c.text = "input: in\noutput: out.parquet\nclass: y\nunlisted: drop\nquasi_identifiers:\n"
	for i, set := range riskSets {
		c.text += fmt.Sprintf("  - {columns: [%s], k: %d}\n", strings.Join(set, ", "), riskKs[i])
	}
	c.text += "columns: {a: suppress, b: suppress, c: suppress, y: keep, e: drop, " +
		strings.Join(c.kept, ": keep, ") + ": keep}\n"
	takes := &truthCase{searches: search} // people of whom no row is dropped
	if c.entity = takes.protects() && !strings.Contains(search, "kactus") &&
		!strings.Contains(search, "drop") && rng.IntN(3) == 0; c.entity {
		c.text = "entity: e\n" + c.text
	}
	c.text = withAlgorithm(c.text, search)
	return c
}

// run runs the job with its limit of rows that are alone, or without a limit.
func (c *riskCase) run(t *testing.T, dir string, most float64) (*Report, error) {
	t.Helper()
	return Run(t.Context(), mustLoad(t, dir, "max_unique",
		fmt.Sprintf("%g%%", 100*most), "limits.memory", []string{"16MiB", "1GiB"}[c.rng.IntN(2)],
		"limits.threads", fmt.Sprint(1+c.rng.IntN(3))), c.options)
}

// check compares the reported risk with plain counts, and checks that the run refuses the release
// if these counts require it. It returns a description of the case.
func (c *riskCase) check(t *testing.T) string {
	dir := c.folder(t, c.text, 1+c.rng.IntN(400))
	report, err := c.run(t, dir, c.most)
	refused := err != nil
	if refused {
		mustFail(t, err, fault.Privacy)
		if report, err = c.run(t, dir, 1); fault.ClassOf(err) == fault.Privacy && err != nil {
			return "out of reach"
		}
		must(t, err)
	}
	out := readTable(t, filepath.Join(dir, "out.parquet"))
	cut := readCut(t, filepath.Join(dir, "out.parquet"))
	rows, whose := make([]string, len(out.rows)), make([]string, len(out.rows))
	for i := range out.rows {
		rows[i] = fmt.Sprint(i)
		if whose[i] = rows[i]; c.entity {
			whose[i] = c.key(c.testTable.rows[i], []string{"e"})
		}
	}
	union := out.figures([]string{"a", "b", "c"}, whose, cut.SmallestK())
	if got := cut.Union; got == nil || math.Abs(got.Unique-union.Unique) > 1e-6 ||
		math.Abs(got.BelowK-union.Below) > 1e-6 {
		t.Errorf("of all labels the cut says %+v, want %+v", got, union)
	}
	most := max(union.Unique, c.checkMembers(t, report, cut, out, whose))
	if refused != (most > c.most) {
		t.Errorf("refused: %t, and as many as %g are found, %g may be", refused, most, c.most)
	}
	c.checkFigures(t, report, cut, out, rows)
	c.checkPairs(t, report, cut, out, rows)
	c.checkDetermined(t, report)
	switch {
	case refused:
		return "refused"
	case c.entity:
		return "people"
	}
	return released
}

// checkMembers compares the kept columns that are members of sets, and returns the largest share
// of rows in small classes of a set with such a member.
func (c *riskCase) checkMembers(
	t *testing.T, report *Report, cut *cutfile.File, released *testTable, whose []string,
) (most float64) {
	t.Helper()
	type member struct {
		set  int
		kept string
	}
	got := make(map[member]float64)
	for _, m := range report.Risk.Members {
		if m.Set > 0 {
			got[member{m.Set - 1, m.Column}] = m.Below
		}
	}
	for i, set := range riskSets {
		for _, kept := range c.kept {
			below, ok := got[member{i, kept}]
			if !c.isMember(set, kept) {
				if ok {
					t.Errorf("%s is a member of %v", kept, set)
				}
				continue
			}
			want := released.figures(append(slices.Clone(set), kept), whose, cut.Sets[i].K).Below
			if most = max(most, want); !ok || math.Abs(below-want) > 1e-9 {
				t.Errorf("%s with %v: %v (%v) of the rows are below %d, want %v",
					kept, set, below, ok, cut.Sets[i].K, want)
			}
		}
	}
	return most
}

// checkFigures compares the figures on labels, on kept columns and on both.
func (c *riskCase) checkFigures(
	t *testing.T, report *Report, cut *cutfile.File, released *testTable, rows []string,
) {
	t.Helper()
	k, labels := cut.SmallestK(), []string{"a", "b", "c"}
	if report.Risk.K != k {
		t.Errorf("the smallest k is %d, want %d", report.Risk.K, k)
	}
	if want := released.figures(labels, rows, k); !sameFigures(report.Risk.Labels, want) {
		t.Errorf("labels: %+v, want %+v", report.Risk.Labels, want)
	}
	if want := released.figures(append(labels, c.kept...), rows, k); !sameFigures(report.Risk.Both,
		want) {
		t.Errorf("labels and kept columns: %+v, want %+v", report.Risk.Both, want)
	}
	whose, of := rows, released
	if c.entity {
		whose, of = nil, c.testTable
		for _, row := range of.rows {
			whose = append(whose, c.key(row, []string{"e"}))
		}
	}
	if want := of.figures(append([]string{"y"}, c.kept...), whose,
		k); !sameFigures(report.Risk.Kept,
		want) {
		t.Errorf("kept columns: %+v, want %+v", report.Risk.Kept, want)
	}
}

// checkPairs compares the worst two pairs of sets.
func (c *riskCase) checkPairs(
	t *testing.T, report *Report, cut *cutfile.File, released *testTable, rows []string,
) {
	t.Helper()
	var shares [][2]float64
	for i := range riskSets {
		for j := range riskSets[:i] {
			f := released.figures([]string{"a", "b", "c"}, rows, min(cut.Sets[i].K, cut.Sets[j].K))
			shares = append(shares, [2]float64{f.Below, f.Unique})
		}
	}
	slices.SortFunc(shares, func(a, b [2]float64) int {
		return cmp.Or(cmp.Compare(b[0], a[0]), cmp.Compare(b[1], a[1]))
	})
	for i, want := range shares[:2] {
		if i >= len(report.Risk.Pairs) || math.Abs(report.Risk.Pairs[i].Below-want[0]) > 1e-9 ||
			math.Abs(report.Risk.Pairs[i].Unique-want[1]) > 1e-9 {
			t.Errorf("pairs %+v, want shares %v", report.Risk.Pairs, shares)
		}
	}
}

// checkDetermined compares the masked columns that kept columns determine, alone or two together.
func (c *riskCase) checkDetermined(t *testing.T, report *Report) {
	t.Helper()
	var got, want []string
	for _, d := range report.Risk.Determines {
		by := []string{d.Kept}
		if d.With != "" {
			by = append(by, d.With)
		}
		slices.Sort(by)
		got = append(got, fmt.Sprint(by, d.Masked))
	}
	kept := append([]string{"y"}, c.kept...)
	for _, masked := range []string{"a", "b", "c"} {
		for i, one := range kept {
			if c.determines([]string{one}, masked) {
				want = append(want, fmt.Sprint([]string{one}, masked))
			}
			for _, two := range kept[:i] {
				by := []string{one, two}
				slices.Sort(by)
				if !c.determines([]string{one}, masked) && !c.determines([]string{two}, masked) &&
					c.determines(by, masked) {
					want = append(want, fmt.Sprint(by, masked))
				}
			}
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("kept columns tell masked ones: %v, want %v", got, want)
	}
}

// The reported risk of a release, and the decision to refuse it, agree with counts by maps in
// random tables: rows or people that are alone on all labels, pairs of sets, kept columns that
// are members of sets, columns that determine others, and the figures of the guard; for every
// algorithm, in memory and out of core.
func TestRiskAgreesWithNaive(t *testing.T) {
	n := 2 * len(searches())
	if os.Getenv("KCUT_LONG") != "" {
		n = 1000
	}
	found, list := make(map[string]int), searches()
	for i, seed := range seeded(t, n) {
		search, spilled := list[i%len(list)], i/len(list)%2 == 1
		t.Run(fmt.Sprint(searchName(search), " ", seed), func(t *testing.T) {
			c := drawRisk(seed, search, spilled)
			defer func() {
				if t.Failed() {
					t.Logf("spilled: %t, at most %g\n%s", spilled, c.most, c.text)
				}
			}()
			found[c.check(t)]++
		})
	}
	if least := min(3, 1+n/40); len(found) < least && os.Getenv("KCUT_SEED") == "" {
		t.Errorf("%v: that says little", found)
	}
	t.Log(found)
}
