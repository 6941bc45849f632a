package domain

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// plainSpan is an interval of whole numbers, with −1 for an open end.
type plainSpan struct {
	lower, upper int
	closed, null bool
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
	if s.null {
		l.Label = engine.Interval{Label: l.Label}.WithNull().Label
	}
	return l
}

func randomSpan(rng *rand.Rand) plainSpan {
	s := plainSpan{lower: rng.IntN(30) - 1, closed: rng.IntN(2) == 0}
	s.null = rng.IntN(4) == 0
	if rng.IntN(10) == 0 {
		s.lower = -1
	}
	if s.upper = s.lower + 1 + rng.IntN(10); rng.IntN(5) == 0 {
		s.upper, s.closed = -1, false
	}
	return s
}

// A value is covered by the labels of all intervals that contain it, however they overlap; the null
// by the label that is it, by intervals of everything, by sets with it, and by the mark, which
// covers all values.
func TestOverlaps(t *testing.T) {
	outside := 0
	enginetest.Cases(t, 200, func(rng *rand.Rand) {
		of := formats.Type{Kind: formats.Int, Bits: 64}
		column := &cutfile.Column{Name: "x", Mask: job.MaskDiscretize}
		var spans []plainSpan
		for range 1 + rng.IntN(12) {
			spans = append(spans, randomSpan(rng))
			column.Cut = append(column.Cut, spans[len(spans)-1].label())
		}
		hasNull := rng.IntN(2) == 0
		if hasNull {
			column.Cut = append(column.Cut, cutfile.Label{Null: true})
		}
		if rng.IntN(2) == 0 {
			column.Suppressed = engine.Suppressed
		}
		spec := &job.Column{Name: "x", Mask: job.MaskDiscretize, Render: job.RenderLabel}
		budget := spill.NewBudget(1 << 20)
		cut := &CutColumn{Column: column, Spec: spec, Type: of,
			cut: &Cut{File: &cutfile.File{}}}
		l, err := cut.placeLabeler(budget)
		if err != nil {
			t.Fatal(err)
		}
		values := &formats.Values{Type: of}
		for _, x := range rng.Perm(45)[:1+rng.IntN(45)] {
			if err := values.Parse(fmt.Sprint(x)); err != nil {
				t.Fatal(err)
			}
		}
		codes, size, err := l.Encode(values, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		records := make([]uint64, size)
		for _, code := range codes {
			records[code]++
		}
		records[l.Null()] = uint64(rng.IntN(2))
		domain, err := l.Domain(records)
		if err != nil {
			t.Fatal(err)
		}
		coverage, want := l.Coverage(), uint64(0)
		covers := func(label int, code uint32) bool {
			s := &coverage.Spans[label]
			return s.Codes > 0 && s.Low <= code && code <= s.High &&
				(s.Codes == s.High-s.Low+1 || coverage.Covers(uint32(label), code))
		}
		mark := len(spans) // the null comes last
		check := func(what any, code uint32, has func(s plainSpan) bool) bool {
			any := false
			for label, s := range spans {
				any = any || has(s)
				if got := covers(label, code); got != has(s) {
					t.Errorf("%v is in %v: %t", what, s, got)
				}
			}
			if column.Suppressed != "" && !covers(mark, code) {
				t.Errorf("the mark does not cover %v", what)
			}
			return any || column.Suppressed != "" && !cut.Tells()
		}
		for i, code := range codes {
			x := int(values.Float(i))
			code = domain.Codes[code]
			if !check(x, code, func(s plainSpan) bool { return s.has(x) }) {
				want++
			}
			if hasNull && covers(len(coverage.Spans)-1, code) {
				t.Errorf("the null covers %d", x)
			}
		}
		null := domain.Codes[l.Null()]
		isAll := func(s plainSpan) bool { return s.lower < 0 && s.upper < 0 || s.null }
		inNull := check("null", null, isAll) || hasNull
		if hasNull && !covers(len(coverage.Spans)-1, null) {
			t.Error("the null does not cover itself")
		}
		if !inNull {
			want += domain.Nulls
		}
		if outside += int(want); domain.Outside != want {
			t.Errorf("%d records are outside, want %d", domain.Outside, want)
		}
		spec.Render = job.RenderBounds
		hasSet := slices.ContainsFunc(spans, func(s plainSpan) bool { return s.null })
		if _, err := cut.placeLabeler(spill.NewBudget(1 << 20)); (err != nil) != hasSet {
			t.Errorf("ends alone are to show %v: %v", spans, err)
		}
		if drawn := budget.Used(); drawn != int64(size-newLabel-l.n)*placeBytes {
			t.Errorf("%d bytes drawn for %d codes", drawn, size)
		}
	})
	if outside == 0 {
		t.Error("no value was outside")
	}
}
