package classify

import (
	"context"
	"math"

	"github.com/kcut/kcut/partition"
)

// Bayes learns naive Bayes classifiers by the rules of Weka's NaiveBayes: it estimates nominal
// columns and the class by their frequencies plus one (Laplace), and numeric columns by a normal
// density for each class, which is integrated over the column's precision: the mean difference of
// neighbouring values.
type Bayes struct{}

// Name returns "bayes".
func (Bayes) Name() string { return "bayes" }

// Learn counts every column's codes by class.
func (Bayes) Learn(ctx context.Context, d Data) (Classifier, error) {
	counts, err := count(ctx, d)
	if err != nil {
		return nil, err
	}
	b := &bayes{prior: frequencies(counts.classes)}
	for i, codes := range counts.codes {
		learn := nominal
		if d.Columns[i].Numeric {
			learn = normal
		}
		b.likelihoods = append(b.likelihoods, learn(d.Columns[i], d.Classes, codes))
	}
	return b, nil
}

// bayes is a naive Bayes classifier. Its numbers are logarithms.
type bayes struct {
	prior       []float64   // by class
	likelihoods [][]float64 // by column, code and class; 0 for the missing
}

func (b *bayes) Logs(tuple []uint32, logs []float64) {
	copy(logs, b.prior)
	for i, code := range tuple {
		for class, l := range b.likelihoods[i][int(code)*len(logs):][:len(logs)] {
			logs[class] += l
		}
	}
}

// frequencies returns the logarithms of Laplace's estimates.
func frequencies(counts []uint64) []float64 {
	all, logs := partition.Sum(counts)+uint64(len(counts)), make([]float64, len(counts))
	for i, n := range counts {
		logs[i] = math.Log(float64(n+1) / float64(all))
	}
	return logs
}

// nominal returns the likelihoods of a nominal column.
func nominal(c Column, classes int, counts []uint64) []float64 {
	likelihoods := make([]float64, c.Domain*classes)
	values := make([]uint64, c.Domain-1)
	for class := range classes {
		for code := range values {
			values[code] = counts[code*classes+class]
		}
		for code, l := range frequencies(values) {
			likelihoods[code*classes+class] = l
		}
	}
	return likelihoods
}

// normal returns the likelihoods of a numeric column.
func normal(c Column, classes int, counts []uint64) []float64 {
	likelihoods := make([]float64, c.Domain*classes)
	step := precision(c, classes, counts)
	for class := range classes {
		g := fit(c.Values, step, func(code int) uint64 { return counts[code*classes+class] })
		for code, x := range c.Values {
			likelihoods[code*classes+class] = g.log(x)
		}
	}
	return likelihoods
}

// leastPrecision is the precision of a column with one value.
const leastPrecision = 0.01

// precision returns the mean difference of neighbouring values that occur.
func precision(c Column, classes int, counts []uint64) float64 {
	lowest, highest, differences := math.NaN(), math.NaN(), -1
	for code, x := range c.Values {
		for _, n := range counts[code*classes:][:classes] {
			if n > 0 {
				if differences++; differences == 0 {
					lowest = x
				}
				highest = x
				break
			}
		}
	}
	if differences < 1 {
		return leastPrecision
	}
	return (highest - lowest) / float64(differences)
}

// gauss is a normal distribution of values that are rounded to multiples of a step, if the step is
// not 0.
type gauss struct{ mean, deviation, step float64 }

// fit returns the distribution of values with the given numbers of records. Its deviation is at
// least a sixth of the step.
func fit(values []float64, step float64, records func(code int) uint64) gauss {
	g := gauss{step: step, deviation: step / 6}
	var n, sum float64
	for code, x := range values {
		weight := float64(records(code))
		n += weight
		sum += float64(weight * g.round(x))
	}
	if n == 0 {
		return g
	}
	g.mean = sum / n
	squares := 0.0
	for code, x := range values {
		d := g.round(x) - g.mean
		squares += float64(float64(records(code)) * float64(d*d))
	}
	g.deviation = max(g.deviation, math.Sqrt(squares/n))
	return g
}

func (g gauss) round(x float64) float64 {
	if g.step == 0 {
		return x
	}
	return math.RoundToEven(x/g.step) * g.step
}

// leastLikely is a lower bound, so that one value far out does not decide alone.
const leastLikely = 1e-75

// log returns the logarithm of the probability of a value: of all numbers that round to it.
func (g gauss) log(x float64) float64 {
	d := g.round(x) - g.mean
	p := below((d+g.step/2)/g.deviation) - below((d-g.step/2)/g.deviation)
	return math.Log(max(p, leastLikely))
}

// below returns the share of a standard normal distribution below z.
func below(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
