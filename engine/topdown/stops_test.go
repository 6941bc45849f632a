package topdown_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/taxonomy"
	"github.com/kcut/kcut/engine/topdown"
)

// TestStopsAgreeWithNaiveSearch tries to refine every label of the final cut further, and compares
// the result with the engine's reason.
func TestStopsAgreeWithNaiveSearch(t *testing.T) {
	seen := make(map[engine.Why]int)
	cases := enginetest.Cases(t, 200, func(r *rand.Rand) {
		c := newCase(r)
		if kind := r.IntN(4); kind > 0 &&
			(!c.protect(r, kind&1 > 0, kind&2 > 0) || slices.Contains(c.data.Weights(), 0)) {
			return // steps may be undone if rows have no weight
		}
		if len(c.data.Entities) == 0 && r.IntN(3) == 0 {
			if c.people(r, r.IntN(1+3*len(c.data.Rows))); !c.limitPeople(r) {
				return
			}
		}
		c.checkStops(t, seen)
		if t.Failed() {
			t.Fatal(c)
		}
	})
	t.Logf("%d cases, %v", cases, seen)
	for _, why := range []engine.Why{engine.WhyFinest, engine.WhyEmpty, engine.WhyClass,
		engine.WhyRecords, engine.WhySet, engine.WhySteps, engine.WhyProtection,
		engine.WhyPopulation} {
		if cases >= 100 && seen[why] == 0 {
			t.Errorf("no label stopped for reason %d", why)
		}
	}
}

func (c randomCase) checkStops(t *testing.T, seen map[engine.Why]int) {
	t.Helper()
	requirement := engine.Requirement{Sets: c.sets}
	recoding, err := topdown.Engine{}.Search(context.Background(),
		c.data.Table(topdown.Engine{}.Plan(requirement)), requirement, c.options)
	if err != nil {
		t.Fatal(err)
	}
	n := newNaive(c.data, c.sets, c.options)
	n.search(c.options)
	cut := recoding.(*engine.Cut)
	for a, column := range cut.Columns {
		if len(cut.Stops[a]) != len(column.Labels) {
			t.Fatalf("column %d: %d stops for %d labels", a, len(cut.Stops[a]), len(column.Labels))
		}
		if len(requirement.ByAttribute(len(cut.Columns))[a].Columns) == 0 {
			continue
		}
		for i, stop := range cut.Stops[a] {
			seen[stop.Why]++
			if !n.agrees(a, column.Labels[i], stop) {
				t.Errorf("column %d, label %d of %+v: stopped for %+v", a, i, column.Labels, stop)
			}
		}
	}
}

// agrees reports whether a label of the final cut is stopped for a reason.
func (n *naive) agrees(column int, label engine.Label, stop engine.Stop) bool {
	records := false
	for _, row := range n.released {
		records = records || row[column] == label
	}
	if !records {
		return stop.Why == engine.WhyEmpty
	}
	disclosing := n.data.Columns[column].Mask == engine.Suppress && label == engine.Label{Text: "*"}
	tried := 0
	// one candidate of the suppressed label agrees, or the only candidate of another label
	agrees := false
	open := false // a candidate could still be performed
	for _, x := range n.candidates(column) {
		if !disclosing && x.value != label {
			continue
		}
		tried++
		agrees = n.stopped(x, stop) || agrees
		open = n.stopped(x, engine.Stop{Why: engine.WhySteps}) || open
	}
	if tried == 0 {
		if pruned(n.data.Columns[column].Tree, label.Text) {
			return stop.Why == engine.WhyRecords || stop.Why == engine.WhyClass
		}
		return stop.Why == engine.WhyFinest
	}
	// the engine says so for candidates that it did not inspect, too
	if stop.Why == engine.WhySteps {
		return agrees || len(n.values) > 0 || n.population(column)
	}
	return agrees && !open
}

// population reports whether a set with a column has limits on the people of a population.
func (n *naive) population(column int) bool {
	return slices.ContainsFunc(n.sets, func(s engine.Set) bool {
		return s.Population.Asked() && slices.Contains(s.Columns, column)
	})
}

// pruned reports whether a node of a tree, by name, is a leaf that replaces a subtree.
func pruned(node taxonomy.Node, name string) bool {
	return node.Name == name && node.Values > 0 ||
		slices.ContainsFunc(node.Children, func(child taxonomy.Node) bool {
			return pruned(child, name)
		})
}

// stopped reports whether a candidate was not performed for a reason.
func (n *naive) stopped(x *naiveCandidate, stop engine.Stop) bool {
	beneficial, valid := n.beneficial(x), n.weigh(x)
	switch stop.Why {
	case engine.WhyClass:
		return !beneficial
	case engine.WhySteps:
		return beneficial && valid
	case engine.WhySet:
		return beneficial && x.anonymity[stop.Set] < n.sets[stop.Set].K.Size()
	case engine.WhyPopulation:
		return beneficial && !valid && n.population(x.column)
	case engine.WhyProtection:
		return beneficial && !valid && len(n.sets[stop.Set].Others) > 0
	case engine.WhyRecords:
		if !beneficial || valid {
			return false
		}
		for _, part := range x.parts {
			of := engine.Requirement{Sets: n.sets}.ByAttribute(len(n.data.Columns))[x.column]
			if len(part.rows) > 0 && n.stats(part.rows).Size < of.K.Size() {
				return true
			}
		}
	}
	return false
}
