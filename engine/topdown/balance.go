package topdown

import (
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
)

// balance says how much the scores of columns count: by their weights, and the less the more of their specializations have been
// performed.
type balance struct {
	power   float64
	scales  []float64 // by column: what scores are multiplied by; nil: 1
	shares  []float64 // by column: what scores are divided by; nil: 1
	counted []int     // by column: specializations that were performed
}

func newBalance(options engine.Options, columns int) balance {
	b := balance{power: options.Balance, scales: options.Weights}
	if b.power > 0 {
		b.shares, b.counted = slices.Repeat([]float64{1}, columns), make([]int, columns)
	}
	return b
}

// count counts a specialization of a column.
func (b *balance) count(column int) {
	if b.shares == nil {
		return
	}
	b.counted[column]++
	b.shares[column] = math.Pow(float64(1+b.counted[column]), b.power)
}

// balanced returns what a score of a column counts.
func (b *balance) balanced(column int, score float64) float64 {
	if b.scales != nil {
		score *= b.scales[column]
	}
	if b.shares != nil {
		score /= b.shares[column]
	}
	return score
}
