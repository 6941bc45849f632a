package classify

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kcut/kcut/engine/enginetest"
)

// The gradient agrees with finite differences of the loss.
func TestLogisticGradient(t *testing.T) {
	enginetest.Cases(t, 30, func(r *rand.Rand) {
		columns, classes := randomColumns(r), 2+r.IntN(3)
		reg, err := newRegression(t.Context(),
			dataOf(columns, classes, randomRows(r, columns, classes, 1+r.IntN(50))))
		if err != nil {
			t.Fatal(err)
		}
		loss := func(weights, gradient []float64) float64 {
			l, err := reg.loss(t.Context(), weights, gradient)
			if err != nil {
				t.Fatal(err)
			}
			return l
		}
		weights, gradient := make([]float64, reg.parameters()), make([]float64, reg.parameters())
		for i := range weights {
			weights[i] = r.NormFloat64()
		}
		loss(weights, gradient)
		got := append([]float64(nil), gradient...)
		for i, w := range weights {
			const h = 1e-5
			weights[i] = w + h
			above := loss(weights, gradient)
			weights[i] = w - h
			below := loss(weights, gradient)
			weights[i] = w
			if want := (above - below) / (2 * h); math.Abs(got[i]-want) > 1e-6 {
				t.Errorf("derivative %d is %g, want %g", i, got[i], want)
			}
		}
	})
}

// With one nominal column, the probabilities are the frequencies.
func TestLogisticFrequencies(t *testing.T) {
	columns := []Column{{Domain: 4}}
	var rows []row
	for code, counts := range [][]int{{5, 1, 4}, {2, 7, 1}, {1, 1, 18}, {3, 3, 3}} {
		for class, n := range counts {
			for range n {
				rows = append(rows, row{[]uint32{uint32(code)}, uint32(class)})
			}
		}
	}
	learned, err := Logistic{}.Learn(t.Context(), dataOf(columns, 3, rows))
	if err != nil {
		t.Fatal(err)
	}
	reg := learned.(*regression)
	for code, want := range [][]float64{{.5, .1, .4}, {.2, .7, .1}, {.05, .05, .9},
		{1. / 3, 1. / 3, 1. / 3}} {
		reg.sum(reg.weights, []uint32{uint32(code)})
		reg.sums[2] = 0
		softmax(reg.sums)
		for class := range want {
			if math.Abs(reg.sums[class]-want[class]) > 1e-4 {
				t.Errorf("code %d, class %d: %g, want %g", code, class, reg.sums[class],
					want[class])
			}
		}
	}
}

// minimize finds the known minimum of a bowl with axes of very different lengths.
func TestMinimize(t *testing.T) {
	enginetest.Cases(t, 20, func(r *rand.Rand) {
		n := 1 + r.IntN(20)
		bottom, bend := make([]float64, n), make([]float64, n)
		for i := range n {
			bottom[i], bend[i] = 10*r.NormFloat64(), math.Exp(r.NormFloat64())
		}
		at, err := minimize(n, func(at, gradient []float64) (value float64, err error) {
			for i, x := range at {
				value += bend[i] * (x - bottom[i]) * (x - bottom[i])
				gradient[i] = 2 * bend[i] * (x - bottom[i])
			}
			return value, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range at {
			if math.Abs(at[i]-bottom[i])*bend[i] > 1e-5 {
				t.Errorf("%d: at %g, the bottom is at %g", i, at[i], bottom[i])
			}
		}
	})
}
