package iac_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/iac"
)

// pairs returns a table of two columns of letters, with the given counts of pairs.
func pairs(counts map[string]int) enginetest.Data {
	d := enginetest.Data{Columns: []enginetest.Column{{Name: "first", Mask: engine.Suppress},
		{Name: "second", Mask: engine.Suppress}}}
	for pair, n := range counts {
		for range n {
			d.Rows = append(d.Rows, enginetest.Values(pair[:1], pair[1:]))
			d.Classes = append(d.Classes, pair[:1])
		}
	}
	return d
}

// TestSmall: 2 suppressed records are too few for k = 3.
func TestSmall(t *testing.T) {
	d := pairs(map[string]int{"ax": 5, "ay": 2, "bx": 4, "by": 3})
	for topUp, want := range map[bool]map[string]int{
		false: {"ax": 5, "bx": 4, "by": 3, "": 2},
		true:  {"ax": 5, "bx": 4, "**": 5},
	} {
		got, err := run(iac.Engine{TopUp: topUp}, d, engine.Set{Columns: []int{0, 1}, K: 3})
		if err != nil {
			t.Fatal(err)
		}
		counts := map[string]int{}
		for _, row := range got.released {
			key := ""
			for _, label := range row {
				key += label.Text
			}
			counts[key]++
		}
		if !reflect.DeepEqual(counts, want) || got.suppressed != uint64(want["**"]) ||
			got.dropped != uint64(want[""]) {
			t.Errorf("top up %t: got %v, want %v", topUp, counts, want)
		}
	}
}

// TestAdultLevels: nearly constant levels have the most information about the class relative to
// their own.
func TestAdultLevels(t *testing.T) {
	d := enginetest.Adult(t, "workclass", "native-country")
	const training = 30_162
	d.Rows, d.Classes = d.Rows[:training], d.Classes[:training]
	got, err := run(iac.Engine{}, d, engine.Set{Columns: []int{0, 1}, K: 1})
	if err != nil {
		t.Fatal(err)
	}
	var labels [2][]string
	for _, row := range got.released {
		for c := range labels {
			if !slices.Contains(labels[c], row[c].Text) {
				labels[c] = append(labels[c], row[c].Text)
			}
		}
	}
	slices.Sort(labels[0])
	const want = "[With-Pay Without-pay] 41"
	if text := fmt.Sprint(labels[0], len(labels[1])); text != want {
		t.Errorf("got %s, want %s", text, want)
	}
}

// run runs the engine on data and describes the outcome.
func run(e iac.Engine, data enginetest.Data, sets ...engine.Set) (outcome, error) {
	requirement := engine.Requirement{Sets: sets}
	recoding, err := e.Search(context.Background(), data.Table(e.Plan(requirement)), requirement,
		engine.Options{})
	if errors.Is(err, engine.ErrUnreached) {
		return outcome{unreached: true}, nil
	}
	if err != nil {
		return outcome{}, err
	}
	r := recoding.(*engine.Regions)
	return outcome{released: data.Released(r), suppressed: r.Suppressed, dropped: r.DroppedRecords},
		nil
}

// TestAgreesWithNaive compares the release with that of a naive program.
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
	t.Logf("%d cases, %d with suppressed records, %d with dropped ones, %d short of k", cases,
		suppressed, dropped, unreached)
	if cases >= 100 && min(suppressed, dropped, unreached) < cases/50 {
		t.Error("cases are too alike")
	}
}

// TestAgreesWithNaiveWhereEntitiesCount tests IACk.
func TestAgreesWithNaiveWhereEntitiesCount(t *testing.T) {
	suppressed, dropped, infeasible := 0, 0, 0
	cases := enginetest.Cases(t, 1000, func(r *rand.Rand) {
		c, e := newCase(r)
		e.Capped = false
		c.Protect(r, true, false)
		all := make([]int, len(c.Data.Rows))
		for row := range all {
			all[row] = row
		}
		people := c.Data.Stats(all)
		got, err := run(e, c.Data, c.Sets...)
		if slices.ContainsFunc(c.Sets, func(s engine.Set) bool { return !s.Holds(people) }) {
			if infeasible++; !errors.Is(err, engine.ErrInfeasible) {
				t.Fatalf("got %v, want ErrInfeasible", err)
			}
			return
		}
		if want := runNaive(c.Data, c.Sets, e); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%v\ngot  %v\nwant %v\n%+v %s", err, got, want, e, c)
		}
		c.Data.CheckProtected(t, got.released, c.Sets)
		suppressed, dropped = suppressed+int(min(got.suppressed, 1)),
			dropped+int(min(got.dropped, 1))
	})
	t.Logf("%d cases, %d with suppressed records, %d with dropped ones, %d infeasible", cases,
		suppressed, dropped, infeasible)
	if cases >= 100 && (min(suppressed, dropped) < cases/200 || infeasible > cases/2) {
		t.Error("cases are too alike")
	}
}

// newCase draws a table and an engine. Mostly it asks IACc for a small k, or for none.
func newCase(r *rand.Rand) (enginetest.Case, iac.Engine) {
	c := enginetest.NewCase(r, 80)
	e := iac.Engine{Capped: r.IntN(2) == 0, TopUp: r.IntN(3) == 0, Bins: 1 + r.IntN(8)}
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
