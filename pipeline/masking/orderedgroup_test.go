package masking

import (
	"errors"
	"testing"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/spill"
)

// Rows of a row group are drawn if they are more than usual, even if they have only labels.
func TestRowsOfGroupAreDrawn(t *testing.T) {
	const words = 1000
	for _, tt := range []struct {
		rows, limit int64
		fits        bool
	}{{1000, 1 << 20, true}, {20_000, 64 << 20, false}, {20_000, 400 << 20, true}} {
		o := &ordering{Masker: &Masker{Budget: spill.NewBudget(tt.limit), Threads: 1}}
		g, err := &orderedGroup{o: o, form: &rowForm{words: words}}, error(nil)
		for row := int64(0); row < tt.rows && err == nil; row++ {
			err = g.take(&rowBlock{heads: make([]uint64, words), equal: []int64{1}}, 8*words)
		}
		if (err == nil) != tt.fits ||
			err != nil && (!errors.Is(err, spill.ErrBudget) || fault.HintOf(err) == "") {
			t.Errorf("%d rows in %d MiB: %v", tt.rows, tt.limit>>20, err)
		}
		if drawn := o.Budget.Used(); tt.fits && drawn < 8*words*tt.rows-usualHeld ||
			tt.rows == 1000 && drawn > 0 {
			t.Errorf("%d bytes are drawn for %d rows", drawn, tt.rows)
		}
		if g.close(); o.Budget.Used() != 0 {
			t.Errorf("%d bytes are still drawn", o.Budget.Used())
		}
	}
}

// Row groups with a number of rows that the job sets are predicted if they are larger than usual.
func TestDrawGroups(t *testing.T) {
	f := &PredictedRows{Rows: 1 << 20, Threads: 2,
		Kept: []PredictedColumn{{Bytes: 200 << 20, Stored: 100 << 20}}}
	for _, tt := range []struct {
		rows        int64
		least, most int64 // MiB
	}{{0, 0, 0}, {1000, 0, 0}, {1 << 18, 80, 160}, {1 << 20, 400, 600}, {1 << 30, 400, 600}} {
		budget := spill.NewBudget(1 << 30)
		drawn, err := f.DrawGroups(budget, tt.rows)
		if err != nil || drawn != budget.Used() || drawn>>20 < tt.least || drawn>>20 > tt.most {
			t.Errorf("row groups of %d rows: %d MiB, %v", tt.rows, drawn>>20, err)
		}
		_, err = f.DrawGroups(spill.NewBudget(20<<20), tt.rows)
		if (err != nil) != (tt.least > 0) || err != nil && fault.HintOf(err) == "" {
			t.Errorf("row groups of %d rows in 20 MiB: %v", tt.rows, err)
		}
	}
}
