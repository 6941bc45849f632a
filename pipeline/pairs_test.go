package pipeline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/risk"
)

// checkPairs: the report has the two pairs of sets that leave most rows in small classes, and
// their shares.
func (a *audit) checkPairs(r *Report) {
	a.Helper()
	if r.Risk == nil || r.Risk.Labels == nil {
		return
	}
	if slices.ContainsFunc(r.Notices, func(text string) bool {
		return strings.HasSuffix(text, "and 0.0 % alone")
	}) {
		a.Errorf("a note says that nobody is alone: %q", r.Notices)
	}
	var all []risk.Pair
	for i := range a.cut.Sets {
		for j := range a.cut.Sets[:i] {
			if !a.cut.Sets[i].Within(&a.cut.Sets[j]) && !a.cut.Sets[j].Within(&a.cut.Sets[i]) {
				all = append(all, a.pair(j, i))
			}
		}
	}
	for _, reported := range r.Risk.Pairs {
		if !slices.ContainsFunc(all, func(p risk.Pair) bool { return samePair(p, reported) }) {
			a.Errorf("the report says %+v of two sets, counted are %+v", reported, all)
		}
	}
	slices.SortFunc(all, risk.Pair.Compare)
	if len(a.cut.Sets) > 6 { // not all are paired
		return
	}
	if worst := all[:min(len(all), 2)]; !slices.EqualFunc(r.Risk.Pairs, worst, samePair) {
		a.Errorf("the report says %+v of the worst pairs of sets, counted are %+v",
			r.Risk.Pairs, worst)
	}
}

// samePair reports whether two pairs of sets and their shares are the same.
func samePair(p, q risk.Pair) bool {
	return p.Sets == q.Sets && p.K == q.K && math.Abs(p.Unique-q.Unique) < 1e-9 &&
		math.Abs(p.Below-q.Below) < 1e-9
}

// pair computes the figures of two sets on the columns of both by a plain count.
func (a *audit) pair(i, j int) risk.Pair {
	p := risk.Pair{Sets: [2]int{i + 1, j + 1}, K: min(a.cut.Sets[i].K, a.cut.Sets[j].K)}
	columns, alone, small := slices.Concat(a.cut.Sets[i].Columns, a.cut.Sets[j].Columns), 0, 0
	for _, rows := range a.classes(columns) {
		if len(rows) == 1 {
			alone++
		}
		if len(rows) < p.K {
			small += len(rows)
		}
	}
	all := float64(a.release.rows)
	p.Unique, p.Below = float64(alone)/all, float64(small)/all
	return p
}

// TestPairs: a run reports the worst pairs, for two sets whose rows are alone on the columns of
// both, and for three sets.
func TestPairs(t *testing.T) {
	for _, sets := range []string{"", "  - {columns: [age, zip], k: 4}\n"} {
		dir := jobFolder(t, "max_unique: 100%\n"+
			strings.Replace(nightlyJob, "columns:\n  id", sets+"columns:\n  id", 1))
		newResidents(rand.New(rand.NewPCG(3, 4)), 600).night(t,
			filepath.Join(dir, "in", "a.parquet"))
		report := mustRun(t, dir, nil)
		auditFolder(t, dir).checkReport(report)
		worst := report.Risk.Pairs[0]
		if worst.Unique == 0 || worst.Below <= worst.Unique ||
			sets != "" && len(report.Risk.Pairs) < 2 {
			t.Errorf("the pairs tell nothing: %+v", report.Risk.Pairs)
		}
	}
}

// A single row that is alone on all labels is more than none, however many rows there are, and as
// many rows as max_unique allows are published.
func TestAloneAmongMany(t *testing.T) {
	const text = `
input: in
output: out.parquet
count: n
quasi_identifiers: [{columns: [a], k: 5}, {columns: [b], k: 5}]
columns: {a: suppress, b: suppress}
`
	seven := "x,y,6\n"
	for i := range 7 {
		seven += fmt.Sprintf("a%d,y,70\nx,b%[1]d,71\na%[1]d,b%[1]d,1\n", i)
	}
	for _, tt := range []struct{ rows, few, enough, unique string }{
		{"x,u,1500000\ny,v,1500000\nx,v,1\n", "0%", "0.1%", "< 0.1 %"},
		{seven, "0.69%", "0.7%", "0.7 %"}, // 0.7 / 100 is less than 7.0 / 1000
	} {
		dir := jobFolder(t, text)
		write(t, filepath.Join(dir, "in", "a.csv"), "a,b,n\n"+tt.rows)
		_, err := runJob(t, dir, nil, "max_unique", tt.few)
		mustFail(t, err, fault.Privacy, tt.unique+" of the rows are alone on the labels")
		if report := mustRun(t, dir, nil, "max_unique", tt.enough); report.Union.Unique == 0 {
			t.Errorf("%s: nobody is alone", tt.unique)
		}
	}
}
