package topdown_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/topdown"
	"github.com/kcut/kcut/internal/seedtest"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// protect adds entities, sensitive columns, or both to a case. It reports whether all its rows
// together hold.
func (c *randomCase) protect(r *rand.Rand, entities, sensitive bool) (reachable bool) {
	table := enginetest.Case{Data: c.data, Sets: c.sets}
	table.Protect(r, entities, sensitive)
	if entities && r.IntN(3) == 0 { // one entity has so many rows that they have no weight
		for i := range r.IntN(len(table.Data.Entities)) {
			table.Data.Entities[i] = "most"
		}
	}
	c.data, c.sets = table.Data, table.Sets
	n := newNaive(c.data, c.sets, c.options)
	all := n.stats(n.rows)
	return !slices.ContainsFunc(c.sets, func(s engine.Set) bool { return !s.Holds(all) })
}

// TestProtectedAgreesWithNaiveSearch compares searches that count entities, that use sensitive
// values, or both, with naive ones, and their releases with the requirement.
func TestProtectedAgreesWithNaiveSearch(t *testing.T) {
	for _, kind := range []struct {
		name                string
		entities, sensitive bool
	}{{"entities", true, false}, {"sensitive", false, true}, {"both", true, true}} {
		t.Run(kind.name, func(t *testing.T) {
			steps, reached, undone, store := 0, 0, 0, enginetest.OpenStore(t)
			cases := enginetest.Cases(t, seedtest.Few(150, 400), func(r *rand.Rand) {
				c := newCase(r)
				isReachable := c.protect(r, kind.entities, kind.sensitive)
				got, released, err := search(c.data, c.sets, c.options)
				if !isReachable {
					if !errors.Is(err, engine.ErrInfeasible) {
						t.Fatalf("error %v of what is infeasible\n%s", err, c)
					}
					return
				}
				if err != nil {
					t.Fatal(err, c)
				}
				reached++
				c.compareNaive(t, got, released)
				c.data.CheckProtected(t, released, c.sets)
				n := newNaive(c.data, c.sets, c.options)
				if len(n.search(c.options)) > len(got) {
					undone++
				}
				c.compareSpilled(t, r, store, engine.Requirement{Sets: c.sets}, got, released)
				if steps += len(got); t.Failed() {
					t.Fatal(c)
				}
			})
			t.Logf("%d cases, %d feasible, %d steps, undone of %d", cases, reached, steps, undone)
			if cases >= 100 && steps < cases/4 {
				t.Error("that is not enough")
			}
		})
	}
}

// compareSpilled fails the test where a search out of core differs from the search in memory.
func (c randomCase) compareSpilled(t *testing.T, r *rand.Rand, store *spill.Store,
	requirement engine.Requirement, want []engine.Step, wantReleased [][]engine.Label) {
	t.Helper()
	var got []engine.Step
	options := c.options
	options.OnStep = func(s engine.Step) { got = append(got, s) }
	options.Space = partition.Space{
		Budget:  spill.NewBudget(64 << 20),
		Store:   store,
		Share:   64 << 20,
		Threads: 1 + r.IntN(3),
	}
	if r.IntN(2) == 0 {
		options.Space.Share = 1 << 20
	}
	recoding, err := enginetest.SearchIn(t, topdown.Engine{}, c.data.Codes(), requirement, options,
		r.IntN(3) == 0)
	if err != nil {
		t.Errorf("out of core: %v", err)
	} else if released := c.data.Released(recoding); !reflect.DeepEqual(
		got, want) || !reflect.DeepEqual(released, wantReleased) {
		t.Errorf("out of core: steps\n%+v\nwant\n%+v", got, want)
	}
}

// TestRowsWithoutWeight has a class that contains only an entity with more rows than an entity has
// parts. The search does not see these rows: the step that makes the class is undone.
func TestRowsWithoutWeight(t *testing.T) {
	d := data([]enginetest.Column{twoWays("x"), twoWays("y")},
		frequencies{"x0 y0", 2, 2}, frequencies{"x0 y1", 2, 2}, frequencies{"x1 y0", 2, 2},
		frequencies{"x1 y1", enginetest.Unit, 1})
	for r := range d.Rows {
		d.Entities = append(d.Entities, fmt.Sprint(min(r, 12)))
	}
	steps, released, err := search(d, []engine.Set{{Columns: []int{0, 1}, K: 2, Entities: true}},
		engine.Options{MaxSteps: -1})
	if err != nil || len(steps) != 1 {
		t.Fatalf("%d steps, want 1; %v", len(steps), err)
	}
	d.CheckProtected(t, released, []engine.Set{{Columns: []int{0, 1}, K: 2, Entities: true}})
}

// TestSensitiveAdult searches Adult's training rows with the class as a sensitive column. A search
// by another program found the numbers of steps.
func TestSensitiveAdult(t *testing.T) {
	const rows = 30162
	d := enginetest.Adult(t, enginetest.EightAttributes...)
	d.Rows, d.Classes = d.Rows[:rows], d.Classes[:rows]
	d.Sensitive = [][]string{d.Classes}
	all := make([]int, rows)
	for i := range all {
		all[i] = i
	}
	whole, codes := d.Stats(all).Values[0], d.Codes()
	bound := func(limit engine.Limit) []engine.Protection {
		limit.Bind(&codes.Kinds.Sensitive[0], whole)
		return []engine.Protection{&limit}
	}
	for _, c := range []struct {
		others []engine.Protection
		steps  int
	}{
		{nil, 13},
		{bound(engine.Limit{Measure: engine.DistinctL, Bound: 2}), 11},
		// only the value >50K is bounded
		{bound(engine.Limit{
			Measure: engine.MaxConfidence, Of: map[string]float64{">50K": 0.8},
		}), 13},
		{bound(engine.Limit{Measure: engine.MaxConfidence, Bound: 0.9}), 6},
		{bound(engine.Limit{Measure: engine.Closeness, Bound: 0.3}), 21},
		{bound(engine.Limit{Measure: engine.Closeness, Bound: 0.2}), 3},
	} {
		sets := []engine.Set{{Columns: []int{0, 1, 2, 3, 4, 5, 6, 7}, K: 10, Others: c.others}}
		requirement, steps := engine.Requirement{Sets: sets}, 0
		options := engine.Options{MaxSteps: -1, OnStep: func(engine.Step) { steps++ }}
		recoding, err := topdown.Engine{}.Search(t.Context(),
			codes.Table(topdown.Engine{}.Plan(requirement)), requirement, options)
		if err != nil {
			t.Fatal(err)
		}
		if steps != c.steps {
			t.Errorf("%+v: %d steps, want %d", c.others, steps, c.steps)
		}
		d.CheckProtected(t, d.Released(recoding), sets)
	}
}
