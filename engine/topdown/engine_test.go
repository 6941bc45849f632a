package topdown_test

import (
	"reflect"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/topdown"
)

func TestSearchWithoutStepsMasksEverything(t *testing.T) {
	steps, released := mustSearch(t, table1(), engine.ScoreTDR, 0, engine.Set{Columns: []int{0, 1, 2}, K: 34})
	if len(steps) != 0 {
		t.Errorf("%d steps performed", len(steps))
	}
	compareGroups(t, released, map[string]int{"ANY_Edu ANY_Sex [1,99]": 34})
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
