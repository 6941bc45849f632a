package mondrian

import (
	"context"
	"slices"

	"github.com/kcut/kcut/partition/cells"
)

// tolerance is how far from the best, or from 1, a candidate may be that counts as best.
const tolerance = 1e-9

// cutWidest cuts a part in its widest dimension that has an allowable cut.
func (s *search) cutWidest(ctx context.Context, p part) (done bool, err error) {
	extents, err := p.cells.Extents(ctx, s.tops)
	if err != nil {
		return false, err
	}
	widths := make([]float64, len(s.dimensions))
	for i, d := range s.dimensions {
		widths[i] = d.width(extents[i])
	}
	for !done && err == nil {
		column := widest(widths)
		if column < 0 {
			return false, nil
		}
		done, err = s.cutDimension(ctx, p, column)
		widths[column] = 0
	}
	return done, err
}

// widest returns the first of the greatest widths, or -1 when all are 0.
func widest(widths []float64) int {
	least := slices.Max(widths) - tolerance // widths are at most 1
	return slices.IndexFunc(widths, func(w float64) bool { return w > 0 && w >= least })
}

// cutDimension cuts a part in a dimension, if a cut is allowable.
func (s *search) cutDimension(ctx context.Context, p part, column int) (done bool, err error) {
	d := s.dimensions[column]
	cut := noCut
	err = p.cells.Histograms(ctx, []int{column}, func(_ int, set *cells.FrequencySet) error {
		switch {
		case d.kind == hierarchy:
			d.children(set)
		case d.nullsApart(set):
			cut = s.nullCut(set)
		case s.relaxed != nil:
			cut = relaxedCut(set, p.cells.Size())
		case s.engine.Median == Exact:
			cut = s.exactCut(set, p.cells.Size())
		default:
			cut = s.nearestCut(set, p.cells.Size())
		}
		return nil
	})
	switch {
	case err != nil:
		return false, err
	case d.kind == hierarchy:
		if !d.allowable(s.holds) {
			return false, nil
		}
		return true, s.divide(ctx, p, column)
	case cut == noCut:
		return false, nil
	case cut.shared > 0:
		return true, s.share(ctx, p, column, cut)
	}
	return true, s.halve(ctx, p, column, cut.at)
}

// cut is a cut of an ordered dimension: codes below at go left, and of the records of at
// those that are shared.
type cut struct {
	at     uint32
	shared uint64
	of     uint64 // records of at
}

// noCut says that no cut is allowable; code 0 is never the first of a right side.
var noCut = cut{}

// nullsApart reports whether nulls and values must be cut apart before anything else.
func (d *dimension) nullsApart(set *cells.FrequencySet) bool {
	n := len(set.Codes)
	return d.kind == continuous && d.HasNull && n > 1 && set.Codes[n-1] == d.top
}

// nullCut cuts nulls and values apart, if both are enough.
func (s *search) nullCut(set *cells.FrequencySet) cut {
	n := len(set.Codes) - 1
	nulls, values := set.Size(n), uint64(0)
	for i := range n {
		values += set.Size(i)
	}
	if !s.allowable(nulls, values) {
		return noCut
	}
	return cut{at: set.Codes[n]}
}

// nearestCut returns the allowable cut with the sides most alike.
func (s *search) nearestCut(set *cells.FrequencySet, size uint64) cut {
	best, least, left := noCut, size, uint64(0)
	for i := 1; i < len(set.Codes); i++ {
		left += set.Size(i - 1)
		right := size - left
		if !s.allowable(left, right) {
			continue
		}
		if difference := max(left, right) - min(left, right); difference < least {
			best, least = cut{at: set.Codes[i]}, difference
		}
	}
	return best
}

// exactCut returns the cut after the median, if it is allowable.
func (s *search) exactCut(set *cells.FrequencySet, size uint64) cut {
	median, left := medianOf(set, size)
	left += set.Size(median)
	if !s.allowable(left, size-left) || median+1 == len(set.Codes) {
		return noCut
	}
	return cut{at: set.Codes[median+1]}
}

// relaxedCut returns the cut that shares the median's records.
func relaxedCut(set *cells.FrequencySet, size uint64) cut {
	median, below := medianOf(set, size)
	return cut{at: set.Codes[median], shared: size/2 - below, of: set.Size(median)}
}

// medianOf returns the smallest value with half of the records at or below it, rounded
// down, and the number of records below it.
func medianOf(set *cells.FrequencySet, size uint64) (i int, below uint64) {
	for below+set.Size(i) < size/2 {
		below += set.Size(i)
		i++
	}
	return i, below
}
