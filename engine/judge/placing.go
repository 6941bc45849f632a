package judge

import (
	"context"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/cover"
	"github.com/kcut/kcut/engine/recheck"
	"github.com/kcut/kcut/partition"
)

// placer returns a masker of records that were not searched, for somebody who has only the labels
// of a release: every attribute gets the label of its cut, or all get the labels of the first
// region whose labels cover the record, as when the release's cut is applied to another table.
// Nothing else that the search knows matters: neither its trees nor the records that it suppressed.
// The memory of the index of regions is drawn.
func (t *Trial) placer(r *Release) (*Masker, error) {
	regions, ok := r.Recoding.(*engine.Regions)
	if !ok {
		return NewMasker(t.placingCut(r, r.Recoding.(*engine.Cut)), r.Pools), nil
	}
	var columns []recheck.Coverage
	var labels []int
	bytes := int64(0)
	for a := range t.Attributes {
		of := recheck.Coverage{Spans: make([]recheck.Span, len(regions.Labels(a)))}
		if t.Attributes[a].Mask == engine.Discretize {
			s := t.scaleOf(r, a)
			s.spans(regions.Labels(a), regions.Intervals(a), of.Spans)
			of = recheck.CoverageOfIntervals(of.Spans, s.NullCode())
		} else {
			covers := cover.Of(&r.Attributes[a], regions, a)
			of.Covers = func(label, code uint32) bool { return covers[label].Has(code) }
			for i := range covers {
				s := &of.Spans[i]
				s.Low, s.High, s.Codes = covers[i].Span()
				bytes += covers[i].Bytes()
			}
		}
		columns, labels = append(columns, of), append(labels, len(of.Spans))
	}
	bytes += recheck.RegionIndexBytes(regions.Len(), labels)
	if err := t.Space.Budget.Draw("an index of regions", bytes); err != nil {
		return nil, err
	}
	placed := regions.Unsearched().(*engine.Regions)
	placed.Locator = recheck.NewRegionIndex(regions.Released, columns)
	return NewMasker(placed, nil), nil
}

// placingCut returns the cut of records that were not searched.
func (t *Trial) placingCut(r *Release, cut *engine.Cut) *engine.Cut {
	placed := &engine.Cut{Reached: cut.Reached}
	for a, column := range cut.Columns {
		if t.Attributes[a].Mask == engine.Discretize {
			column.Code = slices.Clone(column.Code)
			s := t.scaleOf(r, a)
			for label, i := range column.Intervals {
				if column.Labels[label].Mark {
					continue
				}
				for code, hi := s.edge(i.Lo), s.edge(i.Hi); code < hi; code++ {
					column.Code[code] = uint32(label)
				}
			}
		}
		placed.Columns = append(placed.Columns, column)
	}
	return placed
}

// unplaced returns the share of the test records that are in no region, or only in the region of
// suppressed records.
func (t *Trial) unplaced(ctx context.Context, test Source, r *Release) (float64, error) {
	lost := uint64(0)
	err := test(ctx, func(b *Block) error {
		for i, n := range b.Counts {
			if engine.IsTaken(b.Labels, i, r.Marks) {
				lost += n
			}
		}
		return nil
	})
	return float64(lost) / float64(t.TestedOn), err
}

// scale is the values of a discretized attribute. The search has not seen some of them, and a run
// would not know these: its outer intervals are open, or end at declared bounds, and the others end
// at values of the search or at the bounds that it chose between them.
type scale struct {
	*engine.Attribute
	searched *partition.Histogram // of the records that were searched
	from, to int                  // searched values are from ≤ code < to
	rounded  bool                 // the release has bounds of its own
}

// scaleOf returns the scale of an attribute.
func (t *Trial) scaleOf(r *Release, a int) *scale {
	suppressed, dropped := r.Lost()
	s := &scale{
		Attribute: &r.Attributes[a], searched: t.Searched.Histograms[a],
		rounded: suppressed+dropped > 0,
	}
	s.to = len(s.Texts)
	for s.from < s.to && !s.isSearched(s.from) {
		s.from++
	}
	for s.to > s.from && !s.isSearched(s.to-1) {
		s.to--
	}
	return s
}

func (s *scale) isSearched(code int) bool {
	return s.searched.Start[code] < s.searched.Start[code+1]
}

// edge returns the first code of an interval that starts at a code, or the first one after an
// interval that ends there.
func (s *scale) edge(code int) int {
	switch {
	case code >= s.to: // also if no value was searched: the whole range is open at both ends
		return len(s.Texts)
	case code <= s.from:
		return 0
	}
	for !s.rounded && !s.isSearched(code) {
		code++
	}
	if s.Bounds == nil || s.Even() != s.Attribute {
		return code
	}
	for code > 0 && s.Positions[code-1] >= s.Bounds[code].Position {
		code--
	}
	return code
}

// spans writes the codes that the labels of regions cover.
func (s *scale) spans(labels []engine.Label, intervals []engine.Interval, spans []recheck.Span) {
	for i, label := range labels {
		low, high, null := 0, s.Len(), false // a mark, and the whole range: the null, too
		switch {
		case label.Null:
			low = int(s.NullCode())
		case !label.Mark:
			if lo, hi := s.edge(intervals[i].Lo), s.edge(intervals[i].Hi); hi-lo < len(s.Texts) {
				low, high, null = lo, hi, intervals[i].HasNull()
			}
		}
		if low < high {
			spans[i] = recheck.Span{
				Low: uint32(low), High: uint32(high - 1), Codes: uint32(high - low),
			}
		}
		if null {
			spans[i].AddNull(s.NullCode())
		}
	}
}
