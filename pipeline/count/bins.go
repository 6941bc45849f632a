package count

import (
	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/spill"
)

// binner cuts values that come in order into quantile bins when there are more than a limit: bin i
// starts at the first value with at least i/limit of the records below it, and bins that would be empty
// vanish. Until then it keeps every value apart.
type binner struct {
	limit        int
	values       int    // so far
	total        uint64 // records with a value
	below, edge  uint64
	exact, bins  formats.Values // the values; the smallest value of every bin
	exactly, cut Bound          // the pairs of either
	merged       int            // pairs of the bins when they were last merged
	drawn        int64
}

// usualPairs of value and class, four of each bin, count as overhead; what exceeds them,
// because classes are many, is drawn.
const usualPairs = 4 * domain.MaxSplitValues

// draw draws what the pairs have grown by.
func (b *binner) draw(column string, budget *spill.Budget) error {
	pairs := max(0, len(b.exactly.Pairs)-usualPairs) + max(0, len(b.cut.Pairs)-usualPairs)
	need := int64(pairs)*engine.FrequencyBytes - b.drawn
	if need < drawnPairs*engine.FrequencyBytes {
		return nil
	}
	b.drawn += need
	return budget.Draw("the classes of column "+column, need)
}

// drawnPairs are drawn at one time.
const drawnPairs = 1024

func (b *binner) add(v *domain.Counted) {
	records := v.Records()
	if b.values++; b.values <= b.limit {
		b.exactly.addPairs(uint32(b.exact.Len()), v)
		appendValue(&b.exact, v)
	} else { // they are of no use any more
		b.exact, b.exactly.Pairs = formats.Values{Type: b.exact.Type}, nil
	}
	if b.below*uint64(b.limit) >= b.edge*b.total {
		b.edge = b.below*uint64(b.limit)/b.total + 1
		appendValue(&b.bins, v)
	}
	b.cut.addPairs(uint32(b.bins.Len()-1), v)
	if len(b.cut.Pairs) > max(4*b.limit, 2*b.merged) {
		b.cut.Pairs = b.cut.Pairs.Merge()
		b.merged = len(b.cut.Pairs)
	}
	b.below += records
}
