package tips

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/partition/partitiontest"
	"github.com/kcut/kcut/spill"
	"github.com/kcut/kcut/spill/spilltest"
)

// halves makes a column of so many codes, one value for all, in two halves.
func halves(view *View, codes int) (value int32) {
	c := NewColumn(codes)
	view.Columns = append(view.Columns, c)
	value = view.Add(len(view.Columns)-1, 2)
	for code := range codes {
		c.Value[code], c.Child[code] = value, uint32(2*code/codes)
	}
	return value
}

// halve refines codes lo to hi-1 of a column in the view. Their halves can be refined again.
func halve(view *View, column, lo, hi int, value int32) partition.Refinement {
	c := &view.Columns[column]
	view.Kill(value)
	r := partition.Refinement{Value: value, Column: column, Children: 2, First: uint32(lo), Child: slices.Clone(c.Child[lo:hi])}
	middle := (lo + hi) / 2
	for _, half := range [][2]int{{lo, middle}, {middle, hi}} {
		child := view.Add(column, 2)
		for code := half[0]; code < half[1]; code++ {
			c.Value[code], c.Child[code] = child, 0
			if code >= (half[0]+half[1])/2 {
				c.Child[code] = 1
			}
		}
	}
	return r
}

// TestPredictedRefinementsReadNothing performs three refinements of which the first predicts
// the others: what they ask of the store is nothing, unless they were not predicted.
func TestPredictedRefinementsReadNothing(t *testing.T) {
	for _, predicted := range []bool{true, false} {
		view := &View{}
		domains := []int{64, 512, 9}
		first, second := halves(view, 64), halves(view, 512)
		halves(view, 9)
		r := rand.New(rand.NewPCG(5, 5))
		table := partitiontest.RandomTable(r, 20_000, domains, partition.NewLayout(domains))
		tell(view, table)
		s := spilltest.NewMemoryStore()
		pool := newPool(partition.NewPool(spill.NewBudget(1<<40), s, 1<<40), 1)
		pool.sizes.subpartitionRecords, pool.sizes.partRecords = 16, 1
		tips, err := New(context.Background(), table, []int{0, 1, 2}, 1, false, nil, view, pool)
		if err != nil {
			t.Fatal(err)
		}
		refine := func(r partition.Refinement) {
			t.Helper()
			if err := tips.Refine(context.Background(), &r); err != nil {
				t.Fatal(err)
			}
			if err := allOut(nil, pool); err != nil {
				t.Fatal(err)
			}
		}
		if err := allOut(nil, pool); err != nil {
			t.Fatal(err)
		}
		one := halve(view, 0, 0, 64, first)
		if predicted {
			view.Lookahead = Lookahead{
				Next:   []SplitPoints{{Column: 0, Starts: []uint32{0, 16}}, {Column: 1, Starts: []uint32{0, 256}}},
				Beyond: []SplitPoints{{Column: 0, Starts: []uint32{8, 24}}, {Column: 1, Starts: []uint32{128, 384}}},
			}
		}
		refine(one)
		before := s.Calls
		refine(halve(view, 0, 0, 32, view.Columns[0].Value[0]))
		refine(halve(view, 1, 0, 512, second))
		if calls := s.Calls - before; (calls == 0) != predicted {
			t.Errorf("predicted %t: %d calls of the store", predicted, calls)
		}
		closePool(t, pool)
	}
}
