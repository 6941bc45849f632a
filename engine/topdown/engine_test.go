package topdown_test

import (
	"reflect"
	"testing"

	"github.com/kcut/kcut/engine"
)

func TestSearchWithoutStepsMasksEverything(t *testing.T) {
	steps, released := mustSearch(t, table1(), engine.ScoreTDR, 0, engine.Set{Columns: []int{0, 1, 2}, K: 34})
	if len(steps) != 0 {
		t.Errorf("%d steps performed", len(steps))
	}
	compareGroups(t, released, map[string]int{"ANY_Edu ANY_Sex [1,99]": 34})
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
