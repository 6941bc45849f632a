package masking

import (
	"errors"
	"fmt"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/spill"
)

// labelColumns returns the plan of a release of n columns of labels.
func labelColumns(t *testing.T, n int) *Plan {
	p := &Plan{}
	for i := range n {
		c, err := newRendered(fmt.Sprint("c", i), formats.Type{Kind: formats.String}, 2, func(values *formats.Values, label int) error {
			values.AppendBytes([]byte{'a' + byte(label)})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		p.columns = append(p.columns, c)
	}
	return p
}

// Labels of thousands of columns are drawn before there are any; those of a usual table count as overhead.
func TestDrawLabels(t *testing.T) {
	const columns, rows = 1000, 20_000
	for _, tt := range []struct {
		columns int
		limit   int64
		fits    bool
	}{{20, 1 << 20, true}, {columns, 64 << 20, false}, {columns, 90 << 20, true}} {
		m := &Masker{Plan: labelColumns(t, tt.columns), Budget: spill.NewBudget(tt.limit)}
		rowGroup, err := writer.NewRowGroup(m.Plan.Outputs(), writer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w := &worker{m: m, rows: rowGroup}
		if err := w.drawLabels(rows); (err == nil) != tt.fits || err != nil && (!errors.Is(err, spill.ErrBudget) || fault.HintOf(err) == "") {
			t.Errorf("%d columns in %d MiB: %v", tt.columns, tt.limit>>20, err)
		}
		if drawn := w.drawn; tt.fits && drawn != m.Budget.Used() || tt.columns == columns && tt.fits && drawn < 4*columns*rows-usualHeld || tt.columns == 20 && drawn > 0 {
			t.Errorf("%d bytes are drawn for %d columns", drawn, tt.columns)
		}
	}
}
