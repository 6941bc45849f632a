package topdown

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/partition/tips"
)

// independent returns a table of all combinations of three columns' codes, each as often as
// any other. Every column says something about the class.
func independent() *engine.Table {
	const values, copies = 12, 20
	c := enginetest.Codes{Rows: values * values * values * copies, Columns: make([][]uint32, 3), Classes: 2}
	for i := range c.Columns {
		a := engine.Attribute{Name: fmt.Sprint("c", i), Mask: engine.Discretize, Upper: values - 1}
		for v := range values {
			a.Texts, a.Positions = append(a.Texts, fmt.Sprintf("%02d", v)), append(a.Positions, float64(v))
		}
		c.Attributes = append(c.Attributes, a)
	}
	for row := range c.Rows {
		ones := 0 // records of the first class among the copies
		for i, lean := range []int{5, 3, 1} {
			v := row / copies / []int{1, values, values * values}[i] % values
			ones += lean * v
			c.Columns[i] = append(c.Columns[i], uint32(v))
		}
		class := uint32(0)
		if row%copies < ones*copies/(values*9) {
			class = 1
		}
		c.Class = append(c.Class, class)
	}
	return c.Table(Engine{}.Plan(allTogether))
}

var allTogether = engine.Requirement{Sets: []engine.Set{{Columns: []int{0, 1, 2}, K: 300}}}

// TestForecastOfIndependentColumns: where columns are independent of each other, all steps
// are predicted from the start.
func TestForecastOfIndependentColumns(t *testing.T) {
	for _, score := range []engine.Score{engine.ScoreTDR, engine.ScoreTDS, engine.ScoreInfoGain} {
		var performed, predicted []int
		options := engine.Options{MaxSteps: -1, Score: score, OnStep: func(s engine.Step) { performed = append(performed, s.Attribute) }}
		pool := tips.NewPool(options.Space, workers.Worker{})
		s, err := newSearch(context.Background(), independent(), allTogether, options, pool, workers.Worker{})
		if err != nil {
			t.Fatal(err)
		}
		s.update()
		for _, p := range s.predict().Next {
			predicted = append(predicted, p.Column)
		}
		if err := s.run(context.Background()); err != nil {
			t.Fatal(err)
		}
		if len(performed) < 8 || !slices.Equal(performed, predicted) {
			t.Errorf("score %d: predicted columns %v, performed %v", score, predicted, performed)
		}
	}
}
