package topdown

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/partition/tips"
	"github.com/kcut/kcut/spill"
)

// independent returns a table of all combinations of three columns' codes, each as often as
// any other. Every column says something about the class.
func independent(t *testing.T) *engine.Table {
	t.Helper()
	const values, copies = 12, 20
	table := &engine.Table{Classes: 2, Rows: values * values * values * copies, Merged: true}
	lean := []int{5, 3, 1} // how much a column says
	codes := make([][]uint32, len(lean))
	counts := make([][]uint64, len(lean))
	for i := range lean {
		a := engine.Attribute{Name: fmt.Sprint("c", i), Mask: engine.Discretize, Upper: values - 1}
		for v := range values {
			a.Texts, a.Positions = append(a.Texts, fmt.Sprintf("%02d", v)), append(a.Positions, float64(v))
		}
		table.Attributes, counts[i] = append(table.Attributes, a), make([]uint64, 2*values)
	}
	for combination := range values * values * values {
		tuple := []int{combination % values, combination / values % values, combination / values / values}
		ones := 0
		for i, v := range tuple {
			ones += lean[i] * v
		}
		ones = ones * copies / (values * 9)
		for i, v := range tuple {
			counts[i][2*v] += uint64(copies - ones)
			counts[i][2*v+1] += uint64(ones)
			for range copies {
				codes[i] = append(codes[i], uint32(v))
			}
		}
	}
	domains := make([]int, len(lean))
	for _, c := range counts {
		h := &partition.Histogram{Classes: 2, Start: []int{0}}
		for at, n := range c {
			h.Class, h.Count = append(h.Class, uint32(at%2)), append(h.Count, n)
			if at%2 == 1 {
				h.Start = append(h.Start, len(h.Count))
			}
		}
		table.Histograms = append(table.Histograms, h)
	}
	for i, c := range (Engine{}).Codes(table.Attributes, table.Histograms, 2, allTogether) {
		domains[i] = c.Domain
		for r, code := range codes[i] {
			codes[i][r] = c.Codes[code]
		}
	}
	budget := spill.NewBudget(1 << 40)
	counter := partition.NewCounter(len(domains), budget)
	err := counter.Add(len(codes[0]), codes, domains)
	if err == nil {
		var grouping *partition.Table
		grouping, err = partition.Tabulate(context.Background(), []*partition.Counter{counter}, budget, 1)
		table.Groupings = []*partition.Table{grouping}
	}
	if err != nil {
		t.Fatal(err)
	}
	return table
}

var allTogether = engine.Requirement{Sets: []engine.Set{{Columns: []int{0, 1, 2}, K: 300}}}

// TestForecastOfIndependentColumns: where columns are independent of each other, all steps
// are predicted from the start.
func TestForecastOfIndependentColumns(t *testing.T) {
	for _, score := range []engine.Score{engine.ScoreTDR, engine.ScoreTDS, engine.ScoreInfoGain} {
		var performed, predicted []int
		options := engine.Options{MaxSteps: -1, Score: score, OnStep: func(s engine.Step) { performed = append(performed, s.Attribute) }}
		pool := tips.NewPool(options.Space)
		s, err := newSearch(context.Background(), independent(t), allTogether, options, pool)
		if err != nil {
			t.Fatal(err)
		}
		s.update(true)
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
