package topdown_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/taxonomy"
	"github.com/kcut/kcut/engine/topdown"
)

// search runs the engine and returns its steps and the released rows.
func search(data enginetest.Data, sets []engine.Set, options engine.Options) ([]engine.Step,
	[][]engine.Label, error) {
	return searchFor(data, engine.Requirement{Sets: sets}, options)
}

// searchFor is search for a requirement.
func searchFor(data enginetest.Data, requirement engine.Requirement,
	options engine.Options) ([]engine.Step, [][]engine.Label, error) {
	var steps []engine.Step
	options.OnStep = func(s engine.Step) { steps = append(steps, s) }
	table := data.Table(topdown.Engine{}.Plan(requirement))
	recoding, err := topdown.Engine{}.Search(context.Background(), table, requirement, options)
	if err != nil {
		return nil, nil, err
	}
	return steps, data.Released(recoding), nil
}

// TestAgreesWithNaiveSearch compares every step and the release with a naive search.
func TestAgreesWithNaiveSearch(t *testing.T) {
	steps := 0
	cases := enginetest.Cases(t, 400, func(r *rand.Rand) {
		c := newCase(r)
		steps += c.compare(t)
		if t.Failed() {
			t.Fatal(c)
		}
	})
	t.Logf("%d cases, %d steps", cases, steps)
	if cases >= 100 && steps < cases {
		t.Errorf("only %d steps in %d cases", steps, cases)
	}
}

// randomCase is one table, requirement and options.
type randomCase struct {
	data    enginetest.Data
	sets    []engine.Set
	options engine.Options
	risk    float64 // the largest average risk, 0: any
}

func (c randomCase) String() string {
	table := enginetest.Case{Data: c.data, Sets: c.sets}
	return fmt.Sprintf("score %d balance %v weights %v max steps %d average risk %v %s",
		c.options.Score, c.options.Balance, c.options.Weights, c.options.MaxSteps, c.risk, table)
}

// compare fails the test where engine and naive search differ. It returns the number of steps.
func (c randomCase) compare(t *testing.T) int {
	t.Helper()
	got, released, err := search(c.data, c.sets, c.options)
	if err != nil {
		t.Errorf("search: %v", err)
		return 0
	}
	c.compareNaive(t, got, released)
	return len(got)
}

// compareNaive fails the test where steps and release differ from those of the naive search.
func (c randomCase) compareNaive(t *testing.T, got []engine.Step, released [][]engine.Label) {
	t.Helper()
	want, wantReleased := c.naiveSearch()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) {
			t.Errorf("got %d steps, want %d", len(got), len(want))
			break
		}
		step := got[i]
		step.Live, step.Touched = 0, 0
		if limit := uint64(len(c.data.Rows) * len(step.Anonymity)); got[i].Live > limit {
			t.Errorf("step %d: %d live records of %d", i+1, got[i].Live, limit)
		}
		if !reflect.DeepEqual(step, want[i]) ||
			math.Float64bits(step.InfoGain) != math.Float64bits(want[i].InfoGain) {
			t.Errorf("step %d:\ngot  %+v\nwant %+v", i+1, step, want[i])
			break
		}
	}
	if !t.Failed() && !reflect.DeepEqual(released, wantReleased) {
		t.Errorf("release:\ngot  %v\nwant %v", released, wantReleased)
	}
}

// newCase draws a random case.
func newCase(r *rand.Rand) randomCase {
	rows := 60
	if r.IntN(50) == 0 { // partitions that are large enough to be counted by subtraction
		rows = 1200
	}
	table := enginetest.NewCase(r, rows)
	c := randomCase{data: table.Data, sets: table.Sets}
	if r.IntN(2) == 0 {
		c.foldRare()
	}
	if r.IntN(3) == 0 {
		for i := range c.data.Columns {
			if c.data.Columns[i].Mask == engine.Discretize {
				c.data.Columns[i].Round, c.data.Columns[i].MinWidth = r.IntN(6), r.IntN(4)
			}
		}
	}
	for i := range c.data.Columns {
		if c.data.Columns[i].Mask == engine.Generalize && r.IntN(3) == 0 {
			pruneLeaves(r, &c.data.Columns[i].Tree)
		}
	}
	c.options = engine.Options{Score: engine.Score(r.IntN(3)), MaxSteps: -1}
	if r.IntN(5) == 0 {
		c.options.MaxSteps = r.IntN(6)
	}
	if r.IntN(3) == 0 {
		for range c.data.Columns {
			c.options.Weights = append(c.options.Weights,
				[]float64{0.01, 0.7, 1, 3, 1000}[r.IntN(5)])
		}
	}
	if r.IntN(3) == 0 {
		c.options.Balance = []float64{0.1, 0.5, 1, 2, 10}[r.IntN(5)]
	}
	return c
}

// foldRare removes from the lists of suppressed columns the values that can never be disclosed.
func (c *randomCase) foldRare() {
	for i := range c.data.Columns {
		if c.data.Columns[i].Mask != engine.Suppress {
			continue
		}
		for _, set := range c.sets {
			if slices.Contains(set.Columns, i) {
				c.data.Columns[i].Rare = max(c.data.Columns[i].Rare, int(set.K))
			}
		}
	}
}

func TestSearchWithoutStepsMasksEverything(t *testing.T) {
	steps, released := mustSearch(t, table1(), engine.ScoreTDR, 0,
		engine.Set{Columns: []int{0, 1, 2}, K: 34})
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
		if got, _ := mustSearch(t, table1(), engine.ScoreTDR, n,
			sets...); !reflect.DeepEqual(append([]engine.Step{}, got...), whole[:n]) {
			t.Errorf("max_steps %d: got %+v, want %+v", n, got, whole[:n])
		}
	}
}

// pruneLeaves turns some subtrees of a tree into leaves that represent several values.
func pruneLeaves(r *rand.Rand, node *taxonomy.Node) {
	if len(node.Children) == 0 {
		node.Values = r.IntN(4)
	}
	for i := range node.Children {
		pruneLeaves(r, &node.Children[i])
	}
}
