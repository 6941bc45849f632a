package check

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/spill"
)

// TestHouseholdsByHand compares the risks of households with those of sdcMicro's definition by
// hand: 1 minus the product of the members' 1 − r. Members are in classes of 1, 2, 4 and 5 rows.
func TestHouseholdsByHand(t *testing.T) {
	for _, tt := range []struct {
		rows             string // class, household
		number           int64
		highest, average float64
	}{
		// h: 1 − 1/2 · 3/4 = 5/8; each of the other four is alone: 1/2, 1/4, 1/4, 1/4
		{"x,h\nx,i\ny,h\ny,j\ny,k\ny,l\n", 5, 0.625, (2*0.625 + 0.5 + 3*0.25) / 6},
		// h: 1 − (4/5)³ = 61/125; i: 1 − (4/5)² = 9/25
		{"x,h\nx,h\nx,h\nx,i\nx,i\n", 2, 0.488, (3*0.488 + 2*0.36) / 5},
		// h has a member of a class of one row
		{"x,h\nx,i\ny,h\n", 2, 1, (2*1 + 0.5) / 3},
		// rows without a household are alone
		{"x,\nx,\nx,h\nx,h\n", 3, 0.4375, (2*0.4375 + 2*0.25) / 4},
	} {
		path := filepath.Join(t.TempDir(), "table.csv")
		if err := os.WriteFile(path, []byte("class,household\n"+tt.rows), 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := dataset.Open(t.Context(), []string{path}, formats.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		found, err := Count(t.Context(), &Request{Dataset: in, Columns: []int{0}, Entity: -1,
			Household: 1, Weight: -1}, &count.Resources{Budget: spill.NewBudget(1 << 30),
			Threads: 1, Advanced: func(int64, int64) {}})
		if err != nil {
			t.Fatal(err)
		}
		of := found.Households
		if of.Number != tt.number || math.Abs(of.Risk.Highest-tt.highest) > 1e-9 ||
			math.Abs(of.Risk.Average-tt.average) > 1e-9 {
			t.Errorf("%q: %+v, want %+v", tt.rows, of, tt)
		}
	}
}
