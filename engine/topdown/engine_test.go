package topdown_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/topdown"
)

func TestSearchIsInfeasibleBelowK(t *testing.T) {
	for _, sets := range [][]engine.Set{
		{{Columns: []int{0}, K: 35}},
		{{Columns: []int{0, 1, 2}, K: 2}, {Columns: []int{1}, K: 35}},
	} {
		if _, _, err := search(table1(), sets, engine.Options{}); !errors.Is(err, engine.ErrInfeasible) {
			t.Errorf("sets %v: got %v, want ErrInfeasible", sets, err)
		}
	}
}

func TestSearchWithoutStepsMasksEverything(t *testing.T) {
	steps, released := mustSearch(t, table1(), engine.ScoreTDR, 0, engine.Set{Columns: []int{0, 1, 2}, K: 34})
	if len(steps) != 0 {
		t.Errorf("%d steps performed", len(steps))
	}
	compareGroups(t, released, map[string]int{"ANY_Edu ANY_Sex [1,99]": 34})
}

func TestSearchStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	requirement := engine.Requirement{Sets: []engine.Set{{Columns: []int{0, 1, 2}, K: 1}}}
	table := table1().Table(topdown.Engine{}.Plan(requirement))
	steps := 0
	_, err := topdown.Engine{}.Search(ctx, table, requirement, engine.Options{MaxSteps: -1, OnStep: func(engine.Step) {
		steps++
		cancel()
	}})
	if !errors.Is(err, context.Canceled) || steps != 1 {
		t.Errorf("got %v after %d steps, want the context's error after 1", err, steps)
	}
}

// TestPlanLeavesOutImpliedSets also wants the columns in the attributes' order.
func TestPlanLeavesOutImpliedSets(t *testing.T) {
	got := topdown.Engine{}.Plan(engine.Requirement{Sets: []engine.Set{
		{Columns: []int{2, 0}, K: 5}, {Columns: []int{2}, K: 5}, {Columns: []int{1}, K: 2},
	}})
	want := engine.Plan{Histograms: true, Leaves: true, Groupings: []engine.Grouping{{Columns: []int{0, 2}}, {Columns: []int{1}}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestEveryPrefixIsTheLimitedSearch is the anytime property: max_steps n performs the
// first n steps of the whole search.
func TestEveryPrefixIsTheLimitedSearch(t *testing.T) {
	sets := []engine.Set{{Columns: []int{0, 1}, K: 3}, {Columns: []int{1, 2}, K: 4}}
	whole, _ := mustSearch(t, table1(), engine.ScoreTDR, -1, sets...)
	for n := range whole {
		if got, _ := mustSearch(t, table1(), engine.ScoreTDR, n, sets...); !reflect.DeepEqual(append([]engine.Step{}, got...), whole[:n]) {
			t.Errorf("max_steps %d: got %+v, want %+v", n, got, whole[:n])
		}
	}
}

// TestOrderOfRowsDoesNotMatter shuffles the rows of random tables.
func TestOrderOfRowsDoesNotMatter(t *testing.T) {
	enginetest.Cases(t, 100, func(r *rand.Rand) {
		c := newCase(r)
		steps, _, err := search(c.data, c.sets, c.options)
		if err != nil {
			t.Fatal(err)
		}
		shuffled := c.data.Shuffle(r)
		again, _, err := search(shuffled, c.sets, c.options)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(steps, again) {
			t.Fatalf("steps differ\n%+v\n%+v\n%s", steps, again, c)
		}
	})
}

// TestAdult recounts a release of real data for two overlapping sets.
func TestAdult(t *testing.T) {
	d := enginetest.Adult(t)
	sets := []engine.Set{{Columns: []int{0, 1, 3, 5, 9}, K: 50}, {Columns: []int{3, 4, 6, 7, 12, 13}, K: 100}}
	steps, released := mustSearch(t, d, engine.ScoreTDR, -1, sets...)
	if len(steps) < 10 {
		t.Fatalf("only %d steps", len(steps))
	}
	if got := enginetest.CheckAnonymous(t, released, sets); !reflect.DeepEqual(got, steps[len(steps)-1].Anonymity) {
		t.Errorf("A(QID) is %v, the search says %v", got, steps[len(steps)-1].Anonymity)
	}
	d.CheckTrue(t, released)
}
