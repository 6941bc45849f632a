package domain

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// plainSpan is an interval of whole numbers, with −1 for an open end.
type plainSpan struct {
	lower, upper int
	closed       bool
}

func (s plainSpan) has(x int) bool {
	return (s.lower < 0 || x >= s.lower) && (s.upper < 0 || x < s.upper || s.closed && x == s.upper)
}

func (s plainSpan) label() cutfile.Label {
	l := cutfile.Label{Label: "[,)", Interval: true}
	if s.lower >= 0 {
		l.Lower = json.RawMessage(fmt.Sprint(s.lower))
	}
	if s.upper >= 0 {
		l.Upper = json.RawMessage(fmt.Sprint(s.upper))
	}
	if s.closed {
		l.Label = "[,]"
	}
	return l
}

func randomSpan(rng *rand.Rand) plainSpan {
	s := plainSpan{lower: rng.IntN(30) - 1, closed: rng.IntN(2) == 0}
	if s.upper = s.lower + 1 + rng.IntN(10); rng.IntN(5) == 0 {
		s.upper, s.closed = -1, false
	}
	return s
}

// A value is covered by the labels of all intervals that contain it, however they overlap, and
// values that the same labels cover have one code.
func TestOverlaps(t *testing.T) {
	enginetest.Cases(t, 60, func(rng *rand.Rand) {
		of := formats.Type{Kind: formats.Int, Bits: 64}
		column := &cutfile.Column{Name: "x", Mask: job.MaskDiscretize}
		var spans []plainSpan
		for range 1 + rng.IntN(12) {
			spans = append(spans, randomSpan(rng))
			column.Cut = append(column.Cut, spans[len(spans)-1].label())
		}
		spec := &job.Column{Name: "x", Mask: job.MaskDiscretize}
		budget := spill.NewBudget(1 << 20)
		c, err := (&CutColumn{Column: column, Spec: spec, Type: of}).overlapLabeler(budget)
		if err != nil {
			t.Fatal(err)
		}
		values := &formats.Values{Type: of}
		for _, x := range rng.Perm(45) {
			if err := values.Parse(fmt.Sprint(x)); err != nil {
				t.Fatal(err)
			}
		}
		codes, _, err := c.Encode(values, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, code := range codes {
			var want []uint32
			x := int(values.Float(i))
			for label, s := range spans {
				if s.has(x) {
					want = append(want, uint32(label))
				}
			}
			if got := labelsIn(c.added.values.Text(int(code) - newLabel)); !slices.Equal(got,
				want) {
				t.Errorf("labels %v cover %d, want %v", got, x, want)
			}
		}
		sets := c.added.values.Len()
		if used := slices.Compact(slices.Sorted(slices.Values(codes))); len(used) != sets {
			t.Errorf("%d codes of %d sets", len(used), sets)
		}
		if want := sets*numberedBytes + 3*len(c.added.values.Data) +
			len(c.places)*placeBytes; budget.Used() != int64(want) || len(c.places) < sets {
			t.Errorf("%d bytes drawn for %d sets at %d places, want %d", budget.Used(), sets,
				len(c.places), want)
		}
	})
}
