package bottomup_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/bottomup"
	"github.com/kcut/kcut/engine/enginetest"
)

func TestSearchIsInfeasibleBelowK(t *testing.T) {
	for _, sets := range [][]engine.Set{
		{{Columns: []int{0}, K: 30}},
		{{Columns: []int{0, 1, 2}, K: 2}, {Columns: []int{1}, K: 30}},
	} {
		if _, _, err := search(bottomup.Engine{}, figure1(), sets); !errors.Is(err, engine.ErrInfeasible) {
			t.Errorf("sets %v: got %v, want ErrInfeasible", sets, err)
		}
	}
}

func TestSearchWithAllRecordsAlike(t *testing.T) {
	steps, released, err := search(bottomup.Engine{}, figure1(), []engine.Set{{Columns: []int{0, 1, 2}, K: 29}})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range released {
		if row[0].Text != "ANY" || row[1].Text != "ANY" || row[2].Text != "ANY" {
			t.Fatalf("after %d steps a row is %v", len(steps), row)
		}
	}
}

func TestSearchStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	requirement := engine.Requirement{Sets: []engine.Set{{Columns: []int{0, 1, 2}, K: 20}}}
	steps := 0
	options := engine.Options{OnStep: func(engine.Step) {
		steps++
		cancel()
	}}
	_, err := bottomup.Engine{}.Search(ctx, figure1().Table(bottomup.Engine{}.Plan(requirement)), requirement, options)
	if !errors.Is(err, context.Canceled) || steps != 1 {
		t.Errorf("got %v after %d steps, want the context's error after 1", err, steps)
	}
}

func TestPlanLeavesOutImpliedSets(t *testing.T) {
	got := bottomup.Engine{}.Plan(engine.Requirement{Sets: []engine.Set{
		{Columns: []int{2, 0}, K: 5}, {Columns: []int{2}, K: 5}, {Columns: []int{1}, K: 2},
	}})
	want := engine.Plan{Histograms: true, Whole: true, Groupings: []engine.Grouping{{Columns: []int{0, 2}}, {Columns: []int{1}}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestOrderOfRowsDoesNotMatter shuffles the rows of random tables.
func TestOrderOfRowsDoesNotMatter(t *testing.T) {
	enginetest.Cases(t, 100, func(r *rand.Rand) {
		c, e := newCase(r)
		steps, _, err := search(e, c.Data, c.Sets)
		if err != nil {
			t.Fatal(err)
		}
		again, _, err := search(e, c.Data.Shuffle(r), c.Sets)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(steps, again) {
			t.Fatalf("steps differ\n%+v\n%+v\n%s", steps, again, c)
		}
	})
}
