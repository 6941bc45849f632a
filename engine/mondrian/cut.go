package mondrian

import (
	"context"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition/cells"
)

// cut is a cut of an ordered dimension: codes below at go left, and so do shared of the records
// with code at.
type cut struct {
	at     uint32
	shared uint64
	of     uint64 // number of records with code at
}

// noCut means that no cut is allowable; code 0 is never the first of a right side.
var noCut = cut{}

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
	var widest engine.Best[int]
	for !done && err == nil {
		widest.Reset(1)
		for i, w := range widths {
			if w > 0 && s.asked[i] != nil {
				widest.Offer(-w, i)
			}
		}
		column, ok := widest.First()
		if !ok {
			return false, nil
		}
		done, err = s.cutDimension(ctx, p, column)
		widths[column] = 0
	}
	return done, err
}

// cutDimension cuts a part in a dimension, if a cut is allowable.
func (s *search) cutDimension(ctx context.Context, p part, column int) (done bool, err error) {
	d, size := s.dimensions[column], p.cells.Size()
	s.set = s.asked[column]
	cut, divided, nulls := noCut, false, false
	err = p.cells.Histograms(ctx, []int{column}, func(_ int, set *cells.FrequencySet) error {
		nulls = d.mixed(set)
		switch {
		case d.kind == hierarchy:
			divided = d.children(set) && s.allHold(set, &d.division)
		case nulls && s.partsNulls(set, size):
			cut.at, nulls = d.top, false
		case s.relaxed != nil && !nulls:
			if s.allowable(size/2, size-size/2) {
				median, below := medianOf(set, size)
				cut.at, cut.shared, cut.of = set.Codes[median], size/2-below, set.Size(median)
			}
		default:
			cut = s.nearestCut(set, size)
		}
		if d.kind == nominal && cut != noCut {
			s.entropy.natural(set)
			d.prefix(set, s.entropy.order, slices.Index(set.Codes, cut.at))
			divided = true
		}
		return nil
	})
	switch {
	case err != nil:
		return false, err
	case divided:
		return true, s.divide(ctx, p, column)
	case cut == noCut:
		return false, nil
	case cut.shared > 0:
		return true, s.share(ctx, p, column, cut)
	}
	return true, s.halve(ctx, p, column, cut.at, nulls)
}

// mixed reports whether a part has numbers and nulls, which are cut apart before any other cut.
// Nulls too few for that go right with the larger numbers, but for InfoGain they rule out all cuts
// by entropy that is neither guided nor balanced.
func (d *dimension) mixed(set *cells.FrequencySet) bool {
	n := len(set.Codes)
	return d.kind == continuous && d.HasNull && n > 1 && set.Codes[n-1] == d.top
}

// partsNulls reports whether the cut between numbers and nulls is allowable.
func (s *search) partsNulls(set *cells.FrequencySet, size uint64) bool {
	last := len(set.Codes) - 1
	s.begin(set)
	s.shift(set, last, last+1)
	return s.allowable(set.Size(last), size-set.Size(last))
}

// nearestCut returns the allowable cut whose sides are nearest in size, so that a part that has an
// allowable cut is cut. In a tie it is the smaller code.
func (s *search) nearestCut(set *cells.FrequencySet, size uint64) cut {
	best, least, left := noCut, size, uint64(0)
	s.begin(set)
	for i := 1; i < len(set.Codes); i++ {
		left += set.Size(i - 1)
		s.shift(set, i-1, i)
		right := size - left
		if difference := max(left, right) - min(left, right); difference < least &&
			s.allowable(left, right) {
			best, least = cut{at: set.Codes[i]}, difference
		}
	}
	return best
}

// medianOf returns the smallest value with half of the records, rounded down, at or below it, and
// the number of records below it.
func medianOf(set *cells.FrequencySet, size uint64) (i int, below uint64) {
	for below+set.Size(i) < size/2 {
		below += set.Size(i)
		i++
	}
	return i, below
}
