package judge

import (
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/recheck"
	"github.com/kcut/kcut/partition"
)

// An interval covers the null if it has all numbers or is in a set with the null.
func TestSpans(t *testing.T) {
	a := &engine.Attribute{Mask: engine.Discretize, Texts: []string{"1", "2", "3", "4"},
		HasNull: true}
	var pairs partition.Pairs
	for code := range uint32(a.Len()) {
		pairs = append(pairs, partition.Pair{Code: code, Count: 1})
	}
	s := &scale{Attribute: a, searched: pairs.Histogram(a.Len(), 1), to: len(a.Texts)}
	intervals := []engine.Interval{a.Interval(0, 4), a.Interval(0, 2), a.Interval(0, 2).WithNull(),
		a.Interval(1, 3).WithNull(), a.Interval(2, 4).WithNull()}
	var labels []engine.Label
	for _, i := range intervals {
		labels = append(labels, engine.Label{Text: i.Label})
	}
	labels = append(labels, engine.Label{Null: true})
	spans := make([]recheck.Span, len(labels))
	s.spans(labels, intervals, spans)
	of := recheck.CoverageOfIntervals(spans, a.NullCode())
	for label, want := range [][]uint32{{0, 1, 2, 3, 4}, {0, 1}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4},
		{4}} {
		index := recheck.NewRegionIndex([]uint32{uint32(label)}, []recheck.Coverage{of})
		all, regions := engine.Identity(a.Len()).Codes, make([]int32, a.Len())
		index.Locate(len(all), [][]uint32{all}, regions)
		got := slices.DeleteFunc(all, func(code uint32) bool {
			return regions[code] == engine.Dropped
		})
		if !slices.Equal(got, want) {
			t.Errorf("%+v covers %d, want %d", labels[label], got, want)
		}
	}
}
