package topdown_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/topdown"
)

// TestRepeat demands that a search which goes on behind some steps of an earlier one takes the
// same steps from there as that one did.
func TestRepeat(t *testing.T) {
	enginetest.Cases(t, 200, func(r *rand.Rand) {
		c := newCase(r)
		want, released, err := search(c.data, c.sets, c.options)
		if err != nil {
			t.Fatal(err)
		}
		n := r.IntN(len(want) + 1)
		for _, step := range want[:n] {
			c.options.Performed = append(c.options.Performed, step.Candidate)
		}
		got, again, err := search(c.data, c.sets, c.options)
		if err != nil || len(got) != len(want)-n || len(got) > 0 && !reflect.DeepEqual(got, want[n:]) {
			t.Fatalf("behind %d steps: %v\ngot  %+v\nwant %+v\n%v", n, err, got, want[n:], c)
		}
		if !reflect.DeepEqual(again, released) {
			t.Fatalf("behind %d steps: another release\n%v", n, c)
		}
	})
}

// TestRepeatRefuses demands an error for steps that the table does not have.
func TestRepeatRefuses(t *testing.T) {
	requirement := engine.Requirement{Sets: []engine.Set{{Columns: []int{0, 1}, K: 4}}}
	for _, performed := range [][]int32{{-1}, {1000}, {0, 0}} {
		table := table1().Table(topdown.Engine{}.Plan(requirement))
		if _, err := (topdown.Engine{}).Search(t.Context(), table, requirement, engine.Options{MaxSteps: -1, Performed: performed}); err == nil {
			t.Errorf("%v were performed", performed)
		}
	}
}
