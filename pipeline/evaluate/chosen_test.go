package evaluate

import (
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// The report names the algorithm that auto takes in every round, and its figures are those of this
// algorithm, which is measured once, as those of auto without any other algorithm are.
func TestChosen(t *testing.T) {
	path, _ := people(t, rand.New(rand.NewPCG(13, 1)), 1500)
	names := []string{"tdr", "kactus", "infogain-mondrian", "guided", "auto"}
	taken := map[string]bool{}
	for _, k := range []string{"5", "50"} {
		jobs := load(t, path, "quasi_identifiers[].k", k, names...)
		o := Options{
			Folds: 3, Repeats: 1,
		}
		e := newEvaluation(jobs, o)
		must(t, e.read(t.Context(), false, e.run))
		jobs = jobs[len(names)-1:]
		only := newEvaluation(jobs, o)
		must(t, only.read(t.Context(), false, only.run))
		chosen := map[string]int{}
		for r, measured := range e.measured {
			auto := measured[variants+len(names)-1]
			at := slices.Index(names, auto.chosen)
			if at < 0 {
				t.Fatalf("k %s: auto takes %q in round %d", k, auto.chosen, r)
			}
			alone := measured[variants+at]
			alone.chosen = auto.chosen
			for _, other := range []measurement{alone, only.measured[r][variants]} {
				if !reflect.DeepEqual(auto, other) {
					t.Errorf("k %s, round %d: auto takes %s and has %+v, not %+v", k, r,
						auto.chosen, auto, other)
				}
			}
			if auto.chosen == "guided" && &auto.scores[0] != &alone.scores[0] {
				t.Errorf("k %s, round %d: %s is measured twice", k, r, auto.chosen)
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
