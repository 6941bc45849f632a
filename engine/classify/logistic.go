package classify

import (
	"context"
	"math"

	"github.com/kcut/kcut/partition"
)

// Logistic learns multinomial logistic regressions. A nominal column has a weight for each code, a
// numeric one a weight for its standardized value and one for missing values. The ridge is the
// smallest that makes the weights unique.
type Logistic struct{}

// ridge is the factor of the squared weights, without the intercepts.
const ridge = 1e-8

// Name returns "logistic".
func (Logistic) Name() string { return "logistic" }

// Learn finds the weights with the largest likelihood of the data.
func (Logistic) Learn(ctx context.Context, d Data) (Classifier, error) {
	r, err := newRegression(ctx, d)
	if err != nil {
		return nil, err
	}
	if err := hold(d.Space, "weights of a regression", r.parameters()*minimizedTimes); err != nil {
		return nil, err
	}
	weights, err := minimize(r.parameters(), func(at, gradient []float64) (float64, error) {
		return r.loss(ctx, at, gradient)
	})
	if err != nil {
		return nil, err
	}
	r.weights = weights
	r.data = Data{}
	return r, nil
}

// term is a code's contribution to the sum of every class: a factor of one of the weights.
type term struct {
	weight int
	factor float64
}

// regression is a logistic regression. The last class is the reference: its sum is 0.
type regression struct {
	data    Data
	terms   [][]term // by column and code
	stride  int      // number of weights of a class: the intercept, then those of the terms
	classes int      // number of classes without the last
	records float64

	weights []float64
	sums    []float64 // scratch, by class
}

func newRegression(ctx context.Context, d Data) (*regression, error) {
	counts, err := count(ctx, d)
	if err != nil {
		return nil, err
	}
	r := &regression{data: d, stride: 1, classes: d.Classes - 1, sums: make([]float64, d.Classes)}
	for i, c := range d.Columns {
		terms := make([]term, c.Domain)
		if c.Numeric {
			standardize(c, d.Classes, counts.codes[i], r.stride, terms)
			r.stride += 2
		} else {
			for code := range terms {
				terms[code] = term{r.stride + code, 1}
			}
			r.stride += c.Domain
		}
		r.terms = append(r.terms, terms)
	}
	for _, n := range counts.classes {
		r.records += float64(n)
	}
	return r, nil
}

// standardize computes the terms of a numeric column, with mean 0 and deviation 1.
func standardize(c Column, classes int, counts []uint64, weight int, terms []term) {
	g := fit(c.Values, 0, func(code int) uint64 {
		return partition.Sum(counts[code*classes:][:classes])
	})
	for code, x := range c.Values {
		if g.deviation > 0 {
			terms[code] = term{weight, (x - g.mean) / g.deviation}
		}
	}
	terms[c.Domain-1] = term{weight + 1, 1}
}

func (r *regression) parameters() int { return r.classes * r.stride }

func (r *regression) Logs(tuple []uint32, logs []float64) {
	r.sum(r.weights, tuple)
	copy(logs, r.sums)
}

// sum computes the sums of a tuple.
func (r *regression) sum(weights []float64, tuple []uint32) {
	for class := range r.classes {
		w := weights[class*r.stride:][:r.stride]
		s := w[0]
		for i, code := range tuple {
			t := r.terms[i][code]
			s += float64(w[t.weight] * t.factor)
		}
		r.sums[class] = s
	}
}

// loss returns the mean of the negative log-likelihood, and writes its gradient.
func (r *regression) loss(ctx context.Context, weights, gradient []float64) (loss float64,
	err error) {
	clear(gradient)
	err = r.data.each(ctx, func(tuple []uint32, class uint32, count uint64) {
		r.sum(weights, tuple)
		own := r.sums[class]
		all := softmax(r.sums)
		n := float64(count)
		loss += float64(n * (all - own))
		for other := range r.classes {
			residual := r.sums[other]
			if uint32(other) == class {
				residual--
			}
			r.push(gradient[other*r.stride:], tuple, n*residual)
		}
		r.sums[r.classes] = 0
	})
	return r.regularize(weights, gradient, loss), err
}

// push adds the contribution of a tuple's terms to a class's gradient.
func (r *regression) push(gradient []float64, tuple []uint32, by float64) {
	gradient[0] += by
	for i, code := range tuple {
		t := r.terms[i][code]
		gradient[t.weight] += float64(by * t.factor)
	}
}

// regularize adds the ridge and divides by the number of records.
func (r *regression) regularize(weights, gradient []float64, loss float64) float64 {
	for i, w := range weights {
		if i%r.stride != 0 {
			loss += float64(ridge * float64(w*w))
			gradient[i] += float64(2 * ridge * w)
		}
		gradient[i] /= r.records
	}
	return loss / r.records
}

// softmax replaces sums by probabilities, and returns the logarithm of the sum of their
// exponentials.
func softmax(sums []float64) float64 {
	highest := sums[first(sums)]
	all := 0.0
	for i, s := range sums {
		sums[i] = math.Exp(s - highest)
		all += sums[i]
	}
	for i := range sums {
		sums[i] /= all
	}
	return highest + math.Log(all)
}
