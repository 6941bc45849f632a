package mondrian

import (
	"context"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition/cells"
)

// option is the best split of a column, with its gain relative to its sides (Quinlan, 1993).
type option struct {
	split
	gain  float64 // reduction of entropy, times the number of records
	merit float64 // the gain, or its ratio to the entropy of the sides' sizes
}

// options lists the best split of every column that has an allowable one, the best columns first,
// at most most of them.
func (g *guide) options(ctx context.Context, of *cells.Cells, most int) ([]option, error) {
	x, size, whole := &g.entropy, of.Size(), 0.0
	x.found = x.found[:0]
	err := of.Histograms(ctx, g.columns, func(column int, set *cells.FrequencySet) error {
		if column == 0 {
			whole = x.lossOfAll(x.classes(set), size)
		}
		x.best.Reset(float64(size << x.bits))
		g.offer(column, set, size)
		if best, ok := x.best.First(); ok {
			o := option{split: best, gain: (whole - best.loss) / float64(uint64(1)<<x.bits)}
			o.merit = o.gain
			if !g.byGain {
				o.merit /= engine.NLog(size) - g.sizes(best, size)
			}
			x.found = append(x.found, o)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return ranked(x.found, size, most), nil
}

// sizes returns the sum of n log n over the sides of a split of a dimension that was just offered.
func (g *guide) sizes(by split, size uint64) (sum float64) {
	d := g.dimensions[by.column]
	if d.kind != hierarchy {
		return engine.NLog(by.left) + engine.NLog(size-by.left)
	}
	for _, n := range d.sizes {
		sum += engine.NLog(n)
	}
	return sum
}

// ranked returns the first options of a part, by merit: first those that gain at least the mean of
// all, then the others. The part has size records.
func ranked(all []option, size uint64, most int) (first []option) {
	mean := 0.0
	for _, o := range all {
		mean += o.gain / float64(len(all))
	}
	less := func(o option) bool { return engine.AsGoodAs(o.gain, float64(size)) < mean }
	left := slices.Clone(all)
	var best engine.Best[int]
	for len(first) < most && len(left) > 0 {
		best.Reset(1)
		rest := !slices.ContainsFunc(left, func(o option) bool { return !less(o) })
		for i, o := range left {
			if less(o) == rest {
				best.Offer(-o.merit, i)
			}
		}
		i, _ := best.First()
		first, left = append(first, left[i]), slices.Delete(left, i, i+1)
	}
	return first
}
