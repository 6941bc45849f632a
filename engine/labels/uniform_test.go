package labels

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
)

// Drawn numbers are inside their interval, evenly everywhere, and as near to what was drawn as the
// steps are wide; raw values are in the steps of the same numbers.
func TestUniform(t *testing.T) {
	enginetest.Cases(t, 200, func(r *rand.Rand) {
		a := &engine.Attribute{Mask: engine.Discretize, HasNull: true}
		at := 0.0
		for range 2 + r.IntN(30) {
			at += math.Exp(6 * r.Float64())
			a.Texts, a.Positions = append(a.Texts, ""), append(a.Positions, at)
		}
		n := len(a.Texts)
		a.Lower, a.Upper = a.Positions[0], a.Positions[n-1]
		l := Labels{Attribute: a, values: []engine.Label{{Text: "[,]"}},
			intervals: []engine.Interval{{Hi: n}}}
		for range r.IntN(20) {
			lo := r.IntN(n)
			hi := lo + 1 + r.IntN(n-lo)
			l.intervals = append(l.intervals, engine.Interval{Lo: lo, Hi: hi})
			l.values = append(l.values, engine.Label{Text: "x"})
		}
		l.values = append(l.values, engine.Label{Null: true})
		f, raw := l.Uniform()
		if !slices.IsSorted(f.Values) || len(f.Values) != f.Domain-1 ||
			len(f.Values) > steps+1+4*len(l.values) {
			t.Fatalf("%d codes of values %v", f.Domain, f.Values)
		}
		for label := range l.values {
			if label == len(l.values)-1 || !l.informs(label) {
				if got := f.Draw(uint32(label), r.Uint64()); got != uint32(f.Domain-1) {
					t.Fatalf("label %d without information is drawn as %d", label, got)
				}
				continue
			}
			lower, upper := l.ends(label)
			sum, widest := 0.0, 0.0
			const draws = 1000
			for i := range draws {
				share := (float64(i) + 0.5) / draws
				code := f.Draw(uint32(label), uint64(share*(1<<63))<<1)
				if x := lower + share*(upper-lower); code != naiveStep(f.starts, x) {
					t.Fatalf("%g is in step %d", x, code)
				}
				v := f.Values[code]
				if v < lower || v > upper {
					t.Fatalf("%g was drawn from [%g, %g]", v, lower, upper)
				}
				sum += v
				if code+1 < uint32(len(f.starts)) {
					widest = max(widest, f.starts[code+1]-f.starts[code])
				}
			}
			if off := sum/draws - (lower+upper)/2; math.Abs(off) > widest+1e-9*upper {
				t.Fatalf("the mean is off by %g, steps are at most %g wide", off, widest)
			}
		}
		for code, x := range a.Positions {
			if got := raw.Code(uint32(code)); len(f.starts) > 0 && got != naiveStep(f.starts, x) {
				t.Fatalf("raw %g is in step %d", x, got)
			}
		}
		if raw.Code(a.NullCode()) != uint32(raw.Domain-1) {
			t.Fatal("the null is a number")
		}
	})
}

// naiveStep returns the last step that starts at or below a number, or the first one.
func naiveStep(starts []float64, x float64) (step uint32) {
	for i, start := range starts {
		if start <= x {
			step = uint32(i)
		}
	}
	return step
}
