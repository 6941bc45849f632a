package iac_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/iac"
)

// run runs the engine on data and describes the outcome.
func run(e iac.Engine, data enginetest.Data, sets ...engine.Set) (outcome, error) {
	requirement := engine.Requirement{Sets: sets}
	recoding, err := e.Search(context.Background(), data.Table(e.Plan(requirement)), requirement, engine.Options{})
	if errors.Is(err, engine.ErrUnreached) {
		return outcome{unreached: true}, nil
	}
	if err != nil {
		return outcome{}, err
	}
	r := recoding.(*engine.Regions)
	return outcome{released: data.Released(r), suppressed: r.Suppressed, dropped: r.DroppedRecords}, nil
}

// TestAgreesWithNaive compares the release with that of a program that does nothing
// cleverly.
func TestAgreesWithNaive(t *testing.T) {
	suppressed, dropped, unreached := 0, 0, 0
	cases := enginetest.Cases(t, 1000, func(r *rand.Rand) {
		c, e := newCase(r)
		got, err := run(e, c.Data, c.Sets...)
		if want := runNaive(c.Data, c.Sets, e); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%v\ngot  %v\nwant %v\n%+v %s", err, got, want, e, c)
		}
		switch {
		case got.unreached:
			unreached++
		case got.suppressed > 0:
			suppressed++
		case got.dropped > 0:
			dropped++
		}
	})
	t.Logf("%d cases, %d with suppressed records, %d with dropped ones, %d short of k", cases, suppressed, dropped, unreached)
	if cases >= 100 && min(suppressed, dropped, unreached) < cases/50 {
		t.Error("cases are too alike")
	}
}

// newCase draws a table and an engine. IACc is mostly asked for a small k, or for none.
func newCase(r *rand.Rand) (enginetest.Case, iac.Engine) {
	c := enginetest.NewCase(r, 80)
	e := iac.Engine{Capped: r.IntN(2) == 0, Small: iac.Small(r.IntN(3)), Bins: 1 + r.IntN(8)}
	if r.IntN(3) == 0 {
		e.MinInfo = r.Float64()
	}
	if e.Capped {
		e.Delta, e.Epsilon = r.Float64(), r.Float64()
		none := r.IntN(2) == 0
		for i := range c.Sets {
			if none {
				c.Sets[i].K = 0
			}
		}
	}
	return c, e
}
