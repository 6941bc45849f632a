package topdown_test

import (
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/taxonomy"
	"github.com/kcut/kcut/engine/topdown"
)

// twoWays returns a column with the two values x0 and x1 under a root.
func twoWays(name string) enginetest.Column {
	return enginetest.Column{Name: name, Tree: tree("ANY_"+name, tree(name+"0"), tree(name+"1"))}
}

// TestAnonymityFallsInOneSet refines a column of two sets whose anonymity falls only in the first.
// From then on a column of the first set, which no refinement has touched, costs less: its score
// must be renewed before another column, of the second set, is preferred.
func TestAnonymityFallsInOneSet(t *testing.T) {
	d := data([]enginetest.Column{twoWays("a"), twoWays("b"), twoWays("c"), twoWays("d")},
		frequencies{"a0 b1 c0 d1", 5, 0},
		frequencies{"a0 b0 c0 d1", 1, 0},
		frequencies{"a0 b0 c1 d1", 4, 0},
		frequencies{"a0 b0 c0 d0", 0, 40},
		frequencies{"a1 b0 c0 d0", 0, 34},
		frequencies{"a1 b0 c1 d0", 0, 16})
	c := randomCase{d, []engine.Set{{Columns: []int{0, 1}, K: 2}, {Columns: []int{0, 2, 3}, K: 2}},
		engine.Options{MaxSteps: -1, Score: engine.ScoreTDR}, 0}
	steps, released, err := search(c.data, c.sets, c.options)
	if err != nil {
		t.Fatal(err)
	}
	c.compareNaive(t, steps, released)
	var order []int
	for _, s := range steps {
		order = append(order, s.Attribute)
	}
	if want := []int{3, 0, 1, 2}; !slices.Equal(order, want) {
		t.Errorf("columns were refined in the order %d, want %d", order, want)
	}
}

// TestPrunedLeaf has a leaf that represents three values of four: it is no value, and keeps their
// share of the certainty penalty.
func TestPrunedLeaf(t *testing.T) {
	d := data([]enginetest.Column{{
		Name: "zip",
		Tree: tree("*", taxonomy.Node{Name: "0*", Values: 3}, tree("17")),
	}},
		frequencies{"0*", 4, 0}, frequencies{"17", 4, 0})
	d.Classes = nil
	requirement := engine.Requirement{Sets: []engine.Set{{Columns: []int{0}, K: 2}}}
	gain := 0.0
	options := engine.Options{MaxSteps: -1, OnStep: func(s engine.Step) { gain = s.InfoGain }}
	recoding, err := topdown.Engine{}.Search(t.Context(),
		d.Table(topdown.Engine{}.Plan(requirement)), requirement, options)
	if err != nil {
		t.Fatal(err)
	}
	if want := 8 * (1 - 0.5*0.75); gain != want {
		t.Errorf("the step gains %v, want %v", gain, want)
	}
	want := []engine.Stop{{Why: engine.WhyRecords}, {Why: engine.WhyFinest}}
	if got := recoding.(*engine.Cut).Stops[0]; !slices.Equal(got, want) {
		t.Errorf("the labels stopped for %+v, want %+v", got, want)
	}
}

// TestStopNamesTheSetThatBreaks refuses a column whose refinement leaves exactly k records in one
// of its sets, and fewer in another.
func TestStopNamesTheSetThatBreaks(t *testing.T) {
	d := data([]enginetest.Column{twoWays("x"), twoWays("y"), twoWays("z")},
		frequencies{"x1 y0 z0", 1, 0},
		frequencies{"x1 y1 z0", 0, 1},
		frequencies{"x0 y0 z0", 3, 0},
		frequencies{"x0 y1 z0", 0, 3})
	requirement := engine.Requirement{Sets: []engine.Set{{Columns: []int{0, 2}, K: 2},
		{Columns: []int{0, 1}, K: 2}}}
	recoding, err := topdown.Engine{}.Search(t.Context(),
		d.Table(topdown.Engine{}.Plan(requirement)), requirement, engine.Options{MaxSteps: -1})
	if err != nil {
		t.Fatal(err)
	}
	want := []engine.Stop{{Why: engine.WhySet, Set: 1}}
	if got := recoding.(*engine.Cut).Stops[0]; !slices.Equal(got, want) {
		t.Errorf("column x stopped for %+v, want %+v", got, want)
	}
}
