package topdown

import (
	"context"
	"fmt"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/partition/tips"
)

// manyNumbers has two columns of numbers that are independent of each other, and people of two rows
// with one of three diagnoses. One number in 50 is rare.
func manyNumbers(rows int) enginetest.Data {
	d := enginetest.Data{Columns: []enginetest.Column{{Name: "a", Mask: engine.Discretize}, {Name: "b", Mask: engine.Discretize}}, Sensitive: make([][]string, 1)}
	for row := range rows {
		a, b := row%(rows/10), row/7%(rows/10)
		if row%50 == 0 {
			a, b = rows/10+row, rows/10+row
		}
		d.Rows = append(d.Rows, enginetest.Values(fmt.Sprint(a), fmt.Sprint(b)))
		d.Entities = append(d.Entities, fmt.Sprint(row/2))
		d.Sensitive[0] = append(d.Sensitive[0], fmt.Sprint(row%3))
	}
	return d
}

// TestInspectedSearchTouchesFewCandidates counts how often a search that may take records away, and
// inspects candidates, looks whether one is alive, which it does of each whose score it renews.
// That must not grow with the square of the steps.
func TestInspectedSearchTouchesFewCandidates(t *testing.T) {
	for _, kind := range []struct {
		name string
		set  engine.Set
	}{
		{"entities", engine.Set{K: 3, Entities: true}},
		{"distinct", engine.Set{K: 3, Others: []engine.Protection{engine.DistinctValues{L: 2}}}},
	} {
		t.Run(kind.name, func(t *testing.T) {
			touched := func(rows int) float64 {
				d := manyNumbers(rows)
				requirement := engine.Requirement{MaxSuppressed: uint64(rows / 25)}
				for column := range d.Columns {
					set := kind.set
					set.Columns = []int{column}
					requirement.Sets = append(requirement.Sets, set)
				}
				steps, looks := 0, 0
				options := engine.Options{MaxSteps: -1}
				pool := tips.NewPool(options.Space, workers.Worker{})
				s, err := newSearch(context.Background(), d.Table(Engine{}.Plan(requirement)), requirement, options, pool, workers.Worker{})
				if err != nil {
					t.Fatal(err)
				}
				s.queue.isDead = func(value int32) bool {
					looks++
					return s.view.Dead(value)
				}
				if err := s.run(context.Background()); err != nil {
					t.Fatal(err)
				}
				if steps = len(s.performed); steps < rows/100 {
					t.Fatalf("%d steps of %d rows are too few to count", steps, rows)
				}
				return float64(looks) / float64(steps)
			}
			few, many := touched(2_000), touched(16_000)
			t.Logf("%.1f and %.1f looks a step", few, many)
			if many > 2*few+10 {
				t.Errorf("a step looks at %.0f candidates, with an eighth of the rows at %.0f", many, few)
			}
		})
	}
}
