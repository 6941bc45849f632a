package check

import (
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/risk"
)

// weights sums up the sampling weights of classes.
type weights struct {
	column  string
	field   partition.Field
	byCode  []risk.Weight // 0: the value is no weight
	without uint64        // rows without a weight

	class   risk.Weight // of the last class
	classes risk.WeightedClasses
}

func newWeights(column string, field partition.Field, values *domain.Interner) *weights {
	w := &weights{column: column, field: field, byCode: make([]risk.Weight, values.Len())}
	for i := range values.Values().Len() {
		w.byCode[i+1], _ = risk.WeightOf(values.Values().Float(i))
	}
	return w
}

// inspect counts rows without a weight.
func (w *weights) inspect(key []uint64, rows uint64) {
	if w.byCode[w.field.Code(key)] == (risk.Weight{}) {
		w.without += rows
	}
}

// check refuses rows without a weight.
func (w *weights) check() error {
	if w.without == 0 {
		return nil
	}
	return fault.Errorf(fault.Input, "leave these rows out, or give them their weights",
		"read sampling weights of column %s: %s without a number above 0 and of 2^53 at most",
		w.column, text.Count(w.without, "row"))
}

// add adds rows to the class.
func (w *weights) add(key []uint64, rows uint64) {
	w.class.Add(w.byCode[w.field.Code(key)], rows)
}

// end ends a class of rows.
func (w *weights) end(rows int64) {
	w.classes.Add(rows, w.class)
	w.class = risk.Weight{}
}
