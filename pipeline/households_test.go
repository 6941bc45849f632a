package pipeline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/check"
	"github.com/kcut/kcut/pipeline/job"
)

// housed is a row with its class, household, person and weight.
type housed struct {
	class, household, person string
	weight                   float64
}

// randomHoused draws rows of few people, whose households may be those of others, or none.
func randomHoused(rng *rand.Rand, weights []float64) (all []housed) {
	for _, weight := range weights {
		person := rng.IntN(1 + len(weights)/2)
		r := housed{household: fmt.Sprint("h", rng.IntN(1+len(weights)/3)),
			person: fmt.Sprint("p", person), weight: weight}
		if rng.IntN(2) == 0 {
			r.household = fmt.Sprint("h", person/3)
		}
		if rng.IntN(8) == 0 {
			r.household = ""
		}
		all = append(all, r)
	}
	return all
}

// checkHouseholds compares the risks of the members of households with those of a plain count of
// rows, or of people, with weights or without.
func checkHouseholds(
	t testing.TB, what string, got *check.Households, all []housed, people, weighted bool,
) {
	t.Helper()
	persons, of := map[string]map[string]bool{}, map[string][]float64{}
	for _, r := range all {
		if persons[r.class] == nil {
			persons[r.class] = map[string]bool{}
		}
		persons[r.class][r.person] = true
		of[r.class] = append(of[r.class], r.weight)
	}
	risks := map[string]float64{}
	for class, weights := range of {
		switch {
		case people:
			risks[class] = 1 / float64(len(persons[class]))
		case weighted:
			risks[class] = naiveWeighted(make([]string, len(weights)), weights).Individual.Highest
		default:
			risks[class] = 1 / float64(len(weights))
		}
	}
	members := map[string]map[string]float64{} // each with the highest risk of its rows
	for i, r := range all {
		who := fmt.Sprint(i)
		if people {
			who = r.person
		}
		if r.household == "" {
			r.household = "alone " + who
		}
		if members[r.household] == nil {
			members[r.household] = map[string]float64{}
		}
		members[r.household][who] = max(members[r.household][who], risks[r.class])
	}
	highest, sum, n := 0.0, 0.0, 0.0
	for _, of := range members {
		safe := 1.0
		for _, risk := range of {
			safe *= 1 - risk
		}
		highest, sum, n = max(highest, 1-safe), sum+(1-safe)*float64(len(of)), n+float64(len(of))
	}
	if got.Number != int64(len(members)) || math.Abs(got.Risk.Highest-highest) > 1e-9 ||
		math.Abs(got.Risk.Average-sum/max(n, 1)) > 1e-9 {
		t.Errorf("%s: got %+v, want %d, %v, %v", what, got, len(members), highest, sum/n)
	}
}

// Check finds the risks of households that a naive count finds: of rows, of people with several
// rows, and of rows with sampling weights.
func TestHouseholds(t *testing.T) {
	enginetest.Cases(t, enginetest.Naive(80), func(rng *rand.Rand) {
		all, text := randomHoused(rng, weighted(rng, 1+rng.IntN(200))), "a,b,h,p,w\n"
		for i := range all {
			r := &all[i]
			r.class = fmt.Sprintf("a%d,b%d", rng.IntN(1+rng.IntN(9)), rng.IntN(1+rng.IntN(9)))
			text += fmt.Sprintf("%s,%s,%s,%s\n", r.class, r.household, r.person,
				strconv.FormatFloat(r.weight, 'g', -1, 64))
		}
		opt := check.Options{Columns: []string{"a", "b"}, Household: "h", Spill: rng.IntN(2) == 0,
			Limits: job.Limits{SpillDir: t.TempDir(), Threads: 1 + rng.IntN(3)}}
		switch rng.IntN(3) {
		case 0:
			opt.Entity = "p"
		case 1:
			opt.Weight = "w"
		}
		got, err := checkText(t, text, opt)
		must(t, err)
		checkHouseholds(t, "check", got.Households, all, opt.Entity != "", opt.Weight != "")
	})
}

// A run reports the risks of households that a naive count finds: before masking in the input,
// after it on the labels of the rows that are released.
func TestHouseholdsOfRuns(t *testing.T) {
	const text = `
input: in
output: out.parquet
order: input
max_unique: 100%
household: h
quasi_identifiers: [{columns: [a, b], k: 3}, {columns: [b, c], k: 2}]
columns: {id: {keep: {identifying: accepted}}, a: suppress, b: discretize, c: suppress, h: drop,
  p: drop, w: drop}
`
	enginetest.Cases(t, enginetest.Naive(40), func(rng *rand.Rand) {
		extra := []string{"", "entity: p\n", "weight_of_row: w\n",
			"max_suppressed: 10%\nsuppressed: drop\n", "algorithm: mondrian\n"}[rng.IntN(5)]
		dir := jobFolder(t, text+extra+"limits: {threads: "+fmt.Sprint(1+rng.IntN(3))+"}\n")
		all, table := randomHoused(rng, weighted(rng, 20+rng.IntN(300))), "id,a,b,c,h,p,w\n"
		for i := range all {
			r := &all[i]
			r.class = fmt.Sprintf("a%d,%d,c%d", rng.IntN(4), rng.IntN(30), rng.IntN(1+rng.IntN(9)))
			table += fmt.Sprintf("%d,%s,%s,%s,%s\n", i, r.class, r.household, r.person,
				strconv.FormatFloat(r.weight, 'g', -1, 64))
		}
		write(t, filepath.Join(dir, "in", "a.csv"), table)
		report, err := runJob(t, dir, nil)
		if fault.ClassOf(err) == fault.Privacy {
			return // too many rows are odd
		}
		must(t, err)
		people, weighted := strings.Contains(extra, "entity"), strings.Contains(extra, "weight")
		checkHouseholds(t, "before "+extra, report.Households.Raw, all, people, weighted)
		release, after := readReleased(t, filepath.Join(dir, "out.parquet")), []housed(nil)
		for row := range release.rows {
			ids := release.column("id")
			id, err := strconv.Atoi(ids.texts[ids.codes[row]])
			must(t, err)
			r := all[id]
			r.class = ""
			for _, name := range []string{"a", "b", "c"} {
				r.class += fmt.Sprint(release.column(name).codes[row], " ")
			}
			after = append(after, r)
		}
		checkHouseholds(t, "after "+extra, report.Households.Labels, after, people, weighted)
	})
}
