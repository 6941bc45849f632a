package evaluate

import (
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// The report names the algorithm that auto takes in every round, and its figures are those of this
// algorithm.
func TestChosen(t *testing.T) {
	path, _ := people(t, rand.New(rand.NewPCG(13, 1)), 1500)
	names := []string{"tdr", "kactus", "infogain-mondrian", "guided", "auto"}
	taken := map[string]bool{}
	for _, k := range []string{"5", "50"} {
		o := Options{
			Variants: load(t, path, "quasi_identifiers[].k", k, names...), Folds: 3, Repeats: 1,
		}
		e := newEvaluation(o)
		must(t, e.read(t.Context(), false))
		chosen := map[string]int{}
		for r, measured := range e.measured {
			auto := measured[variants+len(names)-1]
			at := slices.Index(names, auto.chosen)
			if at < 0 {
				t.Fatalf("k %s: auto takes %q in round %d", k, auto.chosen, r)
			}
			alone := measured[variants+at]
			if !reflect.DeepEqual(auto.scores, alone.scores) || auto.costs != alone.costs {
				t.Errorf("k %s, round %d: auto takes %s and has %+v, alone it has %+v", k, r,
					auto.chosen, auto, alone)
			}
			chosen[auto.chosen]++
		}
		for i, result := range e.report().Results {
			want := map[string]int(nil)
			if names[i] == "auto" {
				want = chosen
			}
			if !maps.Equal(result.Chosen, want) {
				t.Errorf("k %s: %s takes %v, want %v", k, names[i], result.Chosen, want)
			}
		}
		for name := range chosen {
			taken[name] = true
		}
	}
	t.Log(taken)
}
