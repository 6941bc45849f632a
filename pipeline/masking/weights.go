package masking

import (
	"context"
	"sync"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/risk"
)

// CountWeights reads the input and measures the risk of the rows that are released by the sampling
// weights that a column has, in the classes of rows with the same labels.
func (m *Masker) CountWeights(ctx context.Context, weight int) (*risk.Weighted, error) {
	sum, err := risk.NewWeightSum(m.Budget)
	if err != nil {
		return nil, err
	}
	defer sum.Close()
	labels, rows, mu := m.labelHashes(), int64(0), sync.Mutex{}
	more := []formats.Request{{Column: weight, Coded: true}}
	err = m.Recoder.scan(ctx, m.Dataset, more, m.Threads, m.Budget,
		func(t *rowLabeler) func(*formats.Batch) {
			c := &entityCounter{Plan: m.Plan, rowLabeler: t, groups: []Group{{Kept: -1}},
				kept: []int{-1}, labelHashes: labels, classes: make([]uint64, entityRows)}
			of := &weightCounter{entityCounter: c, sum: sum, column: len(m.requests())}
			return func(b *formats.Batch) {
				n := of.batch(b)
				mu.Lock()
				rows += n
				mu.Unlock()
			}
		})
	if err != nil {
		return nil, err
	}
	return sum.Figures(rows), nil
}

// weightCounter adds up the weights of the rows of one goroutine.
type weightCounter struct {
	*entityCounter
	sum     *risk.WeightSum
	column  int // position of the weights among the columns of a batch
	of      *formats.Values
	weights []risk.Weight // by code, null first
	added   []risk.WeightedRow
}

// batch adds the rows of a batch, except dropped ones, and returns their number.
func (c *weightCounter) batch(b *formats.Batch) (records int64) {
	column := b.Columns[c.column]
	if c.of != column.Values {
		c.of, c.weights = column.Values, append(c.weights[:0], risk.Weight{})
	}
	for i := len(c.weights) - 1; i < column.Values.Len(); i++ {
		weight, _ := risk.WeightOf(column.Values.Float(i))
		c.weights = append(c.weights, weight)
	}
	for from := 0; from < b.Rows; from += entityRows {
		to := min(b.Rows, from+entityRows)
		counts := b.CountsOf(from, to)
		c.added = c.added[:0]
		for i, class := range c.classify(b, 0, from, to) {
			if c.labels[0][from+i] == engine.DroppedLabel {
				continue
			}
			row := risk.WeightedRow{Class: class, Rows: 1,
				Weight: c.weights[column.Codes[from+i]]}
			if counts != nil {
				row.Rows = counts[i]
			}
			c.added = append(c.added, row)
			records += int64(row.Rows)
		}
		c.sum.Add(c.added)
	}
	return records
}
