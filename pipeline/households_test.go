package pipeline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/pipeline/job"
)

// Check finds the risks of households that a naive count finds: of rows, of people with several
// rows, and of rows with sampling weights.
func TestHouseholds(t *testing.T) {
	enginetest.Cases(t, 80, func(rng *rand.Rand) {
		rows := 1 + rng.IntN(200)
		weights, text := weighted(rng, rows), "a,b,h,p,w\n"
		type row struct{ class, household, person string }
		var all []row
		for i := range weights {
			a, b, p := rng.IntN(1+rng.IntN(9)), rng.IntN(1+rng.IntN(9)), rng.IntN(1+rows/2)
			r := row{fmt.Sprint(a, " ", b), fmt.Sprint("h", rng.IntN(1+rows/3)), fmt.Sprint("p", p)}
			if rng.IntN(2) == 0 {
				r.household = fmt.Sprint("h", p/3)
			}
			if rng.IntN(8) == 0 {
				r.household = ""
			}
			all = append(all, r)
			text += fmt.Sprintf("a%d,b%d,%s,%s,%s\n", a, b, r.household, r.person,
				strconv.FormatFloat(weights[i], 'g', -1, 64))
		}
		opt := CheckOptions{Columns: []string{"a", "b"}, Household: "h", Spill: rng.IntN(2) == 0,
			Limits: job.Limits{SpillDir: t.TempDir(), Threads: 1 + rng.IntN(3)}}
		switch rng.IntN(3) {
		case 0:
			opt.Entity = "p"
		case 1:
			opt.Weight = "w"
		}
		// the size of a class, and the sum of its weights
		people, sizes, sums := map[string]map[string]bool{}, map[string]float64{},
			map[string]float64{}
		for i, r := range all {
			if people[r.class] == nil {
				people[r.class] = map[string]bool{}
			}
			people[r.class][r.person] = true
			sizes[r.class]++
			sums[r.class] += weights[i]
		}
		riskOf := func(class string) float64 {
			switch {
			case opt.Entity != "":
				return 1 / float64(len(people[class]))
			case opt.Weight != "":
				var classes []string
				var of []float64
				for i, r := range all {
					if r.class == class {
						classes, of = append(classes, class), append(of, weights[i])
					}
				}
				return naiveWeighted(classes, of).Individual.Highest
			}
			return 1 / sizes[class]
		}
		// members of households, each with the highest risk of its rows
		members := map[string]map[string]float64{}
		for i, r := range all {
			who := fmt.Sprint(i)
			if opt.Entity != "" {
				who = r.person
			}
			if r.household == "" {
				r.household = "alone " + who
			}
			if members[r.household] == nil {
				members[r.household] = map[string]float64{}
			}
			members[r.household][who] = max(members[r.household][who], riskOf(r.class))
		}
		highest, sum, n := 0.0, 0.0, 0.0
		for _, of := range members {
			safe := 1.0
			for _, r := range of {
				safe *= 1 - r
			}
			highest, sum, n = max(highest, 1-safe), sum+(1-safe)*float64(len(of)),
				n+float64(len(of))
		}
		got, err := checkText(t, text, opt)
		must(t, err)
		if h := got.Households; h.Number != int64(len(members)) ||
			math.Abs(h.Risk.Highest-highest) > 1e-9 || math.Abs(h.Risk.Average-sum/n) > 1e-9 {
			t.Errorf("%+v: got %+v, want %d, %v, %v", opt, h, len(members), highest, sum/n)
		}
	})
}
