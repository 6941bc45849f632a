package topdown_test

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/topdown"
)

// TestAverageRiskAgreesWithNaiveSearch compares searches that bound the average risk, alone and
// with sensitive values, with naive ones that sum up the risks of rows, in memory and out of it.
func TestAverageRiskAgreesWithNaiveSearch(t *testing.T) {
	steps, pruned, store := 0, 0, enginetest.OpenStore(t)
	cases := enginetest.Cases(t, enginetest.Naive(200), func(r *rand.Rand) {
		c := newCase(r)
		isReachable := r.IntN(3) > 0 || c.protect(r, false, true)
		for i := range c.sets { // otherwise k alone bounds the risk
			c.sets[i].K = engine.KAnonymity(1 + r.IntN(2))
		}
		for i := range c.data.Columns {
			c.data.Columns[i].Rare = 0
		}
		c.foldRare()
		c.risk = []float64{0.02, 0.05, 0.07, 0.1, 0.15, 0.3}[r.IntN(6)]
		requirement := engine.Requirement{Sets: c.sets, AverageRisk: c.risk}
		got, released, err := searchFor(c.data, requirement, c.options)
		if float64(len(c.data.Rows))*c.risk < 1 {
			isReachable = false
		}
		if !isReachable && errors.Is(err, engine.ErrInfeasible) {
			return
		}
		if err != nil || !isReachable {
			t.Fatal(err, c)
		}
		c.compareNaive(t, got, released)
		c.compareSpilled(t, r, store, requirement, got, released)
		if any, _, err := search(c.data, c.sets, c.options); err != nil {
			t.Error(err)
		} else if !reflect.DeepEqual(any, got) {
			pruned++
		}
		if steps += len(got); t.Failed() {
			t.Fatal(c)
		}
	})
	t.Logf("%d cases, %d steps, %d with other steps without the limit", cases, steps, pruned)
	if cases >= 100 && (steps < cases || pruned < cases/8) {
		t.Error("that is not enough")
	}
}

// TestAverageRiskStops divides 16 rows into two halves, and these into quarters, and names the set
// that would have too many classes.
func TestAverageRiskStops(t *testing.T) {
	d := data([]enginetest.Column{twoWays("x"), twoWays("y")}, frequencies{"x0 y0", 2, 2},
		frequencies{"x0 y1", 2, 2}, frequencies{"x1 y0", 2, 2}, frequencies{"x1 y1", 2, 2})
	sets := []engine.Set{{Columns: []int{0}, K: 1}, {Columns: []int{0, 1}, K: 1}}
	for _, tt := range []struct {
		risk    float64
		classes int
	}{{0.063, 1}, {0.124, 1}, {0.125, 2}, {0.249, 2}, {0.25, 4}, {0, 4}} {
		requirement := engine.Requirement{Sets: sets, AverageRisk: tt.risk}
		recoding, err := topdown.Engine{}.Search(t.Context(),
			d.Table(topdown.Engine{}.Plan(requirement)), requirement,
			engine.Options{MaxSteps: -1})
		if err != nil {
			t.Fatal(err)
		}
		classes, stopped := 1, false
		for a, stops := range recoding.(*engine.Cut).Stops {
			classes *= len(recoding.(*engine.Cut).Columns[a].Labels)
			// of the two sets, the second implies the first
			stopped = stopped || slices.Contains(stops, engine.Stop{Why: engine.WhyRisk})
		}
		if classes != tt.classes || stopped != (classes < 4) {
			t.Errorf("average risk %g: %d classes, want %d; stopped by it: %v", tt.risk, classes,
				tt.classes, stopped)
		}
	}
}
