package topdown

import (
	"fmt"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/partition/tips"
)

// manyNumbers returns two independent columns of numbers, and entities of two rows with one of
// three diagnoses. One number in 50 is rare.
func manyNumbers(rows int) enginetest.Data {
	d := enginetest.Data{Columns: []enginetest.Column{{Name: "a", Mask: engine.Discretize},
		{Name: "b", Mask: engine.Discretize}}, Sensitive: make([][]string, 1)}
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

// manyTexts returns five rows for each of many texts. All rows of every third text have the same
// diagnosis.
func manyTexts(rows int) enginetest.Data {
	d := enginetest.Data{
		Columns:   []enginetest.Column{{Name: "a", Mask: engine.Suppress}},
		Sensitive: make([][]string, 1),
	}
	for row := range rows {
		text, diagnosis := row/5, row%5
		if text%3 == 0 {
			diagnosis = text % 7
		}
		d.Rows = append(d.Rows, enginetest.Values(fmt.Sprint(text)))
		d.Sensitive[0] = append(d.Sensitive[0], fmt.Sprint(diagnosis))
	}
	return d
}

// TestInspectedSearchTouchesFewCandidates counts how often a search that may take records away, and
// inspects candidates, asks whether one is alive. It asks for each candidate whose score it renews.
// The number must not grow with the square of the steps.
func TestInspectedSearchTouchesFewCandidates(t *testing.T) {
	distinct := engine.Set{K: 3, Others: []engine.Protection{
		&engine.Limit{Measure: engine.DistinctL, Bound: 2},
	}}
	for _, kind := range []struct {
		name  string
		table func(rows int) enginetest.Data
		set   engine.Set
		taken int // the share of records that may be taken away is 1/taken
	}{
		{"entities", manyNumbers, engine.Set{K: 3, Entities: true}, 25},
		{"distinct", manyNumbers, distinct, 25},
		{"outlying texts", manyTexts, distinct, 2},
	} {
		t.Run(kind.name, func(t *testing.T) {
			touched := func(rows int) float64 {
				d := kind.table(rows)
				requirement := engine.Requirement{MaxSuppressed: uint64(rows / kind.taken)}
				for column := range d.Columns {
					set := kind.set
					set.Columns = []int{column}
					requirement.Sets = append(requirement.Sets, set)
				}
				return looksOf(t, d, requirement)
			}
			few, many := touched(2_000), touched(16_000)
			t.Logf("%.1f and %.1f looks a step", few, many)
			if many > 2*few+10 {
				t.Errorf("a step looks at %.0f candidates, with an eighth of the rows at %.0f",
					many, few)
			}
		})
	}
}

// looksOf returns how often a step of a search asks whether a candidate is alive.
func looksOf(t *testing.T, d enginetest.Data, requirement engine.Requirement) float64 {
	t.Helper()
	looks, options := 0, engine.Options{MaxSteps: -1}
	pool := tips.NewPool(options.Space, workers.Worker{})
	s, err := newSearch(t.Context(), d.Table(Engine{}.Plan(requirement)), nil, requirement, options,
		pool, workers.Worker{})
	if err != nil {
		t.Fatal(err)
	}
	s.queue.isDead = func(value int32) bool {
		looks++
		return s.view.Dead(value)
	}
	if err := s.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	steps := len(s.performed)
	if steps < len(d.Rows)/100 {
		t.Fatalf("%d steps of %d rows are too few to count", steps, len(d.Rows))
	}
	return float64(looks) / float64(steps)
}
