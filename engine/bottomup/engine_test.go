package bottomup_test

import (
	"reflect"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/bottomup"
)

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

func TestPlanLeavesOutImpliedSets(t *testing.T) {
	got := bottomup.Engine{}.Plan(engine.Requirement{Sets: []engine.Set{
		{Columns: []int{2, 0}, K: 5}, {Columns: []int{2}, K: 5}, {Columns: []int{1}, K: 2},
	}})
	want := engine.Plan{Histograms: true, Whole: true, Groupings: []engine.Grouping{{Columns: []int{0, 2}}, {Columns: []int{1}}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
