// Package boost fits gradient-boosted decision trees to counted records, and predicts the
// probability of every class for a tuple of codes. The guided search uses these probabilities.
//
//	records ──bins──▶ scores ──▶ gradients ──histograms──▶ tree ──▶ scores ──▶ … ──▶ Model
//
// Every round adds a tree for every class that lowers the logistic loss; for two classes one tree
// suffices. A tree grows leaf by leaf: each time, the split with the highest gain in any leaf is
// made (Friedman, 2001; Ke et al., 2017). Ordered columns are split between two bins; bins of other
// columns are first ordered by their mean gradients (Fisher, 1958).
//
// Contract: gradients are integers, so that sums of them are exact: a model depends only on the
// records, not on their order. The rest is plain float64 without fused multiply-add, the same on
// every machine. Limits: a probability that is above zero by less than a Unit may be 0, and the
// model may change from one version to the next.
package boost

import (
	"context"
	"math"
)

// Options control the fit of a model.
type Options struct {
	Rounds int
	Leaves int    // largest number of leaves of a tree; at most 16
	Least  uint64 // smallest number of records of a leaf
	// number of times that the records are dealt to folds and models are fitted; at most 5
	Deals int
	Rate  float64 // share of a tree's change that is applied
}

// ridge is added to the curvature of every leaf.
const ridge = 1

// fit returns the model of the records, each counted by its weight.
func (b *binned) fit(ctx context.Context, weights []uint64, o Options) (*Model, error) {
	n, trees := len(b.Class), treesOf(b.Classes)
	f := &fitting{
		binned: b, Options: o, weights: weights,
		model:  newModel(trees, o.Rounds, b.first[len(b.Columns)]),
		scores: make([]float64, n*trees), probabilities: make([]int32, n*trees),
		gradients: make([]gradient, n), rows: make([]uint32, n), spare: make([]uint32, n),
	}
	for row, weight := range weights {
		if weight > 0 {
			f.all = append(f.all, uint32(row))
		}
	}
	f.rows = f.rows[:len(f.all)]
	for range o.Rounds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f.round()
	}
	return f.model, nil
}

// fitting is the state of a fit.
type fitting struct {
	*binned
	Options
	weights []uint64
	model   *Model

	scores        []float64 // by record and tree of a round
	probabilities []int32   // by record and tree of a round, in units of 1/one
	all           []uint32  // records that count
	gradients     []gradient
	rows          []uint32 // records of the leaves, one leaf after the other
	spare         []uint32
	leaves        []leaf
	free          [][]gradient // histograms for reuse
	order         []int        // scratch: an order of bins
	means         [maxBins]float64
}

// gradientBytes is the memory of a gradient.
const gradientBytes = 24

// gradient is the derivative of the loss of some records by their score, its curvature, and the
// number of records.
type gradient struct {
	slope, curve int64
	records      uint64
}

func (g *gradient) add(o *gradient) {
	g.slope += o.slope
	g.curve += o.curve
	g.records += o.records
}

func (g *gradient) subtract(o *gradient) {
	g.slope -= o.slope
	g.curve -= o.curve
	g.records -= o.records
}

// gain returns twice the loss that a leaf of such records removes.
func (g *gradient) gain() float64 {
	slope := float64(g.slope)
	return float64(slope*slope) / (float64(g.curve) + ridge*one)
}

// mean returns the amount that a leaf of such records would subtract from their scores.
func (g *gradient) mean() float64 { return float64(g.slope) / (float64(g.curve) + ridge*one) }

// round adds the trees of a round.
func (f *fitting) round() {
	trees := f.model.trees
	for _, row := range f.all {
		probabilities(f.scores[int(row)*trees:][:trees], f.probabilities[int(row)*trees:][:trees])
	}
	for t := range trees {
		f.differentiate(t)
		f.grow()
		for i := range f.leaves {
			l := &f.leaves[i]
			value := float64(-f.Rate * l.total.mean())
			f.model.values[len(f.model.values)-1][i] = value
			for _, row := range f.rows[l.from:l.to] {
				f.scores[int(row)*trees+t] += value
			}
			f.free = append(f.free, l.sums)
		}
	}
}

// differentiate computes the gradients for a tree. With two classes the tree is for the second one.
func (f *fitting) differentiate(tree int) {
	trees, class := f.model.trees, uint32(tree)
	if trees == 1 {
		class = 1
	}
	for _, row := range f.all {
		p, n := int64(f.probabilities[int(row)*trees+tree]), int64(f.weights[row])
		g := gradient{slope: n * p, curve: n * (p * (one - p) / one), records: uint64(n)}
		if f.Class[row] == class {
			g.slope -= n * one
		}
		f.gradients[row] = g
	}
}

// one is the probability 1 in integers.
const one = 1 << 20

// probabilities turns the scores of a record into probabilities. A single score becomes the
// probability of the second class.
func probabilities(scores []float64, to []int32) {
	if len(scores) == 1 {
		e := exp(-math.Abs(scores[0]))
		p := e
		if scores[0] > 0 {
			p = 1
		}
		to[0] = int32(p / (1 + e) * one)
		return
	}
	largest, sum := scores[0], 0.0
	for _, s := range scores {
		largest = max(largest, s)
	}
	for _, s := range scores {
		sum += exp(s - largest)
	}
	for i, s := range scores {
		to[i] = int32(exp(s-largest) / sum * one)
	}
}

// exp returns an approximation of e to the power of x ≤ 0. The result of math.Exp is not the same
// on all machines.
func exp(x float64) float64 {
	if x < -40 {
		return 0
	}
	binary := float64(x * math.Log2E)
	n := int(binary - 0.5)
	r := float64((binary - float64(n)) * math.Ln2)
	sum := 1.0 / 720
	for _, c := range [...]float64{1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2, 1, 1} {
		sum = float64(sum*r) + c
	}
	return sum * math.Float64frombits(uint64(1023+n)<<52)
}
