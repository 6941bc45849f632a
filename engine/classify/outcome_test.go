package classify

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kcut/kcut/engine/enginetest"
)

// said is a classifier that says the same of a tuple's code every time.
type said [][]float64 // logarithms, by code

func (s said) Classify(tuple []uint32) uint32      { return first(s[tuple[0]]) }
func (s said) Logs(tuple []uint32, logs []float64) { copy(logs, s[tuple[0]]) }

// Every figure agrees with its definition on single records, and on pairs of them.
func TestOutcome(t *testing.T) {
	enginetest.Cases(t, 200, func(r *rand.Rand) {
		classes, codes := 2+r.IntN(3), 1+r.IntN(8)
		var c said
		for range codes {
			var logs []float64
			for range classes {
				logs = append(logs, 40*r.Float64())
				if r.IntN(6) == 0 {
					logs[len(logs)-1] = math.Inf(-1)
				}
			}
			logs[r.IntN(classes)] = 20
			c = append(c, logs)
		}
		var rows []row
		for range 1 + r.IntN(60) {
			rows = append(rows, row{
				codes: []uint32{uint32(r.IntN(codes))},
				class: uint32(r.IntN(classes)),
			})
		}
		d := dataOf([]Column{{Domain: codes}}, classes, rows)
		o, err := examine(t.Context(), c, d)
		if err != nil {
			t.Fatal(err)
		}
		var balanced, f1, auc, there, compared float64
		for class := range uint32(classes) {
			of, own, hit, named := 0.0, 0.0, 0.0, 0.0
			better, pairs := 0.0, 0.0
			for _, x := range rows {
				is := x.class == class
				says := Classify(c, x.codes, make([]float64, classes)) == class
				of += one(is)
				own += one(is && !says)
				hit += one(is && says)
				named += one(says)
				for _, y := range rows {
					if is && y.class != class {
						p, q := step(c[x.codes[0]], class), step(c[y.codes[0]], class)
						better += one(p > q) + one(p == q)/2
						pairs++
					}
				}
			}
			if got := o.ClassErrors()[class]; of == 0 && !math.IsNaN(got) ||
				of > 0 && math.Abs(got-own/of) > 1e-12 {
				t.Errorf("class %d of %g records: error %g, want %g", class, of, got, own/of)
			}
			if of > 0 {
				there++
				balanced += own / of
				if hit > 0 {
					f1 += 2 / (named/hit + of/hit)
				}
			}
			if pairs > 0 {
				compared++
				auc += better / pairs
			}
		}
		want := []float64{balanced / there, f1 / there, 0.5}
		if compared > 0 {
			want[2] = auc / compared
		}
		for i, got := range []float64{o.BalancedError(), o.F1(), o.AUC()} {
			if math.Abs(got-want[i]) > 1e-9 {
				t.Errorf("figure %d is %g, want %g", i, got, want[i])
			}
		}
	})
}

func one(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// step returns the log-odds of a class in units of rankStep.
func step(logs []float64, class uint32) float64 {
	others := 0.0
	for of, l := range logs {
		if uint32(of) != class {
			others += math.Exp(l)
		}
	}
	odds := logs[class] - math.Log(others)
	return math.Floor(math.Max(-rankMost, math.Min(rankMost-rankStep, odds)) / rankStep)
}
