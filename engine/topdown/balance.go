package topdown

import (
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
)

// balance scales the scores of columns: by their weights, and down with the number of
// specializations of the column so far.
type balance struct {
	power   float64
	scales  []float64 // by column: factor of scores; nil: 1
	shares  []float64 // by column: divisor of scores; nil: 1
	counted []int     // by column: number of specializations performed
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

// balanced returns a column's score after balancing.
func (b *balance) balanced(column int, score float64) float64 {
	if b.scales != nil {
		score *= b.scales[column]
	}
	if b.shares != nil {
		score /= b.shares[column]
	}
	return score
}
