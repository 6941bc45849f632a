package labels

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/cover"
	"github.com/kcut/kcut/engine/enginetest"
)

// Drawn numbers are inside their interval, evenly everywhere, and as near to what was drawn as the
// steps are wide; raw values are in the steps of the same numbers.
func TestNumbers(t *testing.T) {
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
		f, raw := l.Drawn(nil)
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

// Each word under a label is drawn equally often, and no other one; nulls are missing, like labels
// without information, unless roots count.
func TestWords(t *testing.T) {
	tree, err := engine.NewTree(engine.Node{Name: "all", Children: []engine.Node{
		{Name: "a", Children: []engine.Node{{Name: "a1"}, {Name: "a2"}}}, {Name: "b"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	nodes := engine.Attribute{Mask: engine.Generalize, Tree: tree, Texts: tree.Leaves(),
		HasNull: true}
	letters := engine.Attribute{Mask: engine.Suppress, Texts: []string{"x", "y", "z", "{"},
		HasNull: true}
	for _, tt := range []struct {
		attribute engine.Attribute
		labels    []string          // the null is empty
		words     map[string]string // of labels that stand for other words than their own
		code      []uint32          // of a cut
	}{
		{nodes, []string{"all", "a", "a2", "b", `{a|\N}`, ""},
			map[string]string{"all": "a1,a2,b,", "a": "a1,a2", `{a|\N}`: "a1,a2,"}, nil},
		{letters, []string{"x", `{x|z|\{}`, `{y|\N}`, "*", ""},
			map[string]string{`{x|z|\{}`: "x,z,{", `{y|\N}`: "y,", "*": "x,y,z,{,"}, nil},
		{letters, []string{"y", "*"}, map[string]string{"*": "x,z,{,"}, []uint32{1, 0, 1, 1, 1}},
	} {
		var released []engine.Label
		for _, text := range tt.labels {
			released = append(released, engine.Label{Text: text, Null: text == ""})
		}
		columns := engine.Columns{{Labels: released, Code: tt.code}}
		recoding := engine.Recoding(&engine.Regions{Columns: columns})
		if tt.code != nil {
			recoding = &engine.Cut{Columns: columns}
		}
		for _, roots := range []bool{false, true} {
			l := Of(&tt.attribute, recoding, 0)
			l.Roots = roots
			f, raw := l.Drawn(cover.Of(&tt.attribute, recoding, 0))
			missing := uint32(len(tt.attribute.Texts))
			if f.Domain != int(missing)+1 || raw.Domain != f.Domain || raw.IsDrawn() ||
				f.Draw(engine.DroppedLabel, 0) != missing {
				t.Errorf("features %+v and %+v", f, raw)
			}
			for label, text := range tt.labels {
				words, ok := tt.words[text]
				if !ok {
					words = text
				}
				if !roots && tt.code == nil && (text == "all" || text == "*") {
					words = ""
				}
				all := strings.Split(words, ",")
				const draws = 60
				for i := range uint64(draws) {
					want := uint32(slices.Index(tt.attribute.Texts, all[i*uint64(len(all))/draws]))
					want = min(want, missing) // also the null, which is no text
					got := f.Draw(uint32(label), (2*i+1)*(math.MaxUint64/(2*draws)))
					if got != want {
						t.Errorf("%s of %v is drawn as %d, want %d", text, tt.labels, got, want)
					}
				}
			}
			for code := range tt.attribute.Len() {
				if got := raw.Code(uint32(code)); got != uint32(code) {
					t.Errorf("the raw value %d has code %d", code, got)
				}
			}
		}
	}
}
