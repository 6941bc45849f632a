package bottomup_test

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/bottomup"
	"github.com/kcut/kcut/engine/enginetest"
)

// search runs the engine and returns its steps and the released rows.
func search(e bottomup.Engine, data enginetest.Data, sets []engine.Set) ([]engine.Step,
	[][]engine.Label, error) {
	requirement := engine.Requirement{Sets: sets}
	var steps []engine.Step
	options := engine.Options{OnStep: func(s engine.Step) { steps = append(steps, s) }}
	recoding, err := e.Search(context.Background(), data.Table(e.Plan(requirement)), requirement,
		options)
	if err != nil {
		return nil, nil, err
	}
	return steps, data.Released(recoding), nil
}

// TestAgreesWithNaiveSearch compares every step and the release with a naive search.
func TestAgreesWithNaiveSearch(t *testing.T) {
	steps, critical := 0, 0
	cases := enginetest.Cases(t, 150, func(r *rand.Rand) {
		c, e := newCase(r)
		got, released, err := search(e, c.Data, c.Sets)
		if err != nil {
			t.Fatalf("search: %v\n%s", err, c)
		}
		compare(t, e, c, got, released)
		if t.Failed() {
			t.Fatalf("%+v %s", e, c)
		}
		for _, s := range got {
			steps++
			if s.AnonyLoss > 0 {
				critical++
			}
		}
	})
	t.Logf("%d cases, %d steps, %d of them critical", cases, steps, critical)
	if cases >= 100 && (steps < cases || critical < cases/4) {
		t.Errorf("only %d steps, %d critical, in %d cases", steps, critical, cases)
	}
}

// newCase draws a table and an engine with few bins, often with hardly any witnesses.
func newCase(r *rand.Rand) (enginetest.Case, bottomup.Engine) {
	e := bottomup.Engine{Weighted: r.IntN(2) == 1, Bins: 1 + r.IntN(8)}
	return enginetest.NewCase(r, 60), e.WithWitnesses(r.IntN(4))
}

// compare fails the test where steps and release differ from those of the naive search.
func compare(t *testing.T, e bottomup.Engine, c enginetest.Case, got []engine.Step,
	released [][]engine.Label) {
	t.Helper()
	want, wantReleased := naiveSearch(t, c.Data, c.Sets, e)
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) {
			t.Errorf("got %d steps, want %d", len(got), len(want))
			break
		}
		if !same(got[i], want[i]) {
			t.Errorf("step %d:\ngot  %+v\nwant %+v", i+1, got[i], want[i])
			break
		}
	}
	if !t.Failed() && !reflect.DeepEqual(released, wantReleased) {
		t.Errorf("release:\ngot  %v\nwant %v", released, wantReleased)
	}
}

// same compares steps. Figures that depend on the order of additions may differ a little.
func same(got, want engine.Step) bool {
	if math.Abs(got.InfoGain-want.InfoGain) > 1e-9 || math.Abs(got.Score-want.Score) > 1e-9 {
		return false
	}
	got.InfoGain, got.Score = want.InfoGain, want.Score
	return reflect.DeepEqual(got, want)
}
