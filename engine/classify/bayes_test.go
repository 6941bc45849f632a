package classify

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kcut/kcut/engine/enginetest"
)

// naiveBayes computes the probabilities of a row's classes, row by row and without logarithms.
func naiveBayes(columns []Column, classes int, rows []row, codes []uint32) []float64 {
	p := make([]float64, classes)
	for class := range p {
		var own []row
		for _, row := range rows {
			if int(row.class) == class {
				own = append(own, row)
			}
		}
		p[class] = float64(len(own)+1) / float64(len(rows)+classes)
		for i, c := range columns {
			switch {
			case int(codes[i]) == c.Domain-1:
			case c.Numeric:
				p[class] *= naiveDensity(c, i, rows, own, codes[i])
			default:
				same, known := 1, c.Domain-1
				for _, row := range own {
					if row.codes[i] == codes[i] {
						same++
					}
					if int(row.codes[i]) < c.Domain-1 {
						known++
					}
				}
				p[class] *= float64(same) / float64(known)
			}
		}
	}
	return p
}

// naiveDensity returns the probability of all numbers that round to one value.
func naiveDensity(c Column, column int, rows, own []row, code uint32) float64 {
	occurs := make([]bool, c.Domain-1)
	for _, row := range rows {
		if int(row.codes[column]) < len(occurs) {
			occurs[row.codes[column]] = true
		}
	}
	var present []float64
	for code, ok := range occurs {
		if ok {
			present = append(present, c.Values[code])
		}
	}
	step := 0.01
	if n := len(present); n > 1 {
		step = (present[n-1] - present[0]) / float64(n-1)
	}
	round := func(x float64) float64 { return math.RoundToEven(x/step) * step }
	n, sum, squares := 0.0, 0.0, 0.0
	for _, row := range own {
		if int(row.codes[column]) < c.Domain-1 {
			n, sum = n+1, sum+round(c.Values[row.codes[column]])
		}
	}
	mean, deviation := 0.0, step/6
	if n > 0 {
		mean = sum / n
		for _, row := range own {
			if int(row.codes[column]) < c.Domain-1 {
				squares += math.Pow(round(c.Values[row.codes[column]])-mean, 2)
			}
		}
		deviation = max(deviation, math.Sqrt(squares/n))
	}
	phi := func(x float64) float64 { return 0.5 * math.Erfc((mean-x)/deviation/math.Sqrt2) }
	x := round(c.Values[code])
	return max(phi(x+step/2)-phi(x-step/2), 1e-75)
}

func TestBayes(t *testing.T) {
	enginetest.Cases(t, 100, func(r *rand.Rand) {
		columns, classes := randomColumns(r), 1+r.IntN(4)
		rows := randomRows(r, columns, classes, 1+r.IntN(60))
		learned, err := Bayes{}.Learn(t.Context(), dataOf(columns, classes, rows))
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range randomRows(r, columns, classes, 20) {
			want := naiveBayes(columns, classes, rows, test.codes)
			got := make([]float64, classes)
			learned.Logs(test.codes, got)
			for class := range want {
				if math.Abs(got[class]-math.Log(want[class])) > 1e-6*math.Abs(got[class])+1e-9 {
					t.Errorf("class %d of %v: %g, want %g", class, test.codes, got[class],
						math.Log(want[class]))
				}
			}
		}
	})
}
