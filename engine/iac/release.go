package iac

import (
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// release returns the regions of the tuples that are left, in the order of their codes, followed by
// the region of the suppressed records, if they are released.
func (s *search) release(t *tuples) *engine.Regions {
	numbers, size, weight := t.left()
	slices.SortFunc(numbers, t.compare)
	r := &engine.Regions{}
	l := &locator{others: engine.Dropped}
	l.Index = partition.NewIndex(t.layout, len(numbers))
	for _, n := range numbers {
		l.Index.Add(t.index.Key(n))
		r.Sizes = append(r.Sizes, t.sizes[n])
	}
	switch suppressed := s.input.Rows - size; {
	case suppressed == 0:
	case !s.holds(&s.all, s.weight-weight):
		r.DroppedRecords = suppressed
	default:
		r.Suppressed, l.others = suppressed, int32(len(numbers))
		r.Sizes = append(r.Sizes, suppressed)
	}
	if t.weights != nil {
		r.Unit = s.input.Kinds.Unit
		for _, n := range numbers {
			r.Weights = append(r.Weights, t.weights[n])
		}
		if len(r.Weights) < len(r.Sizes) {
			r.Weights = append(r.Weights, s.weight-weight)
		}
	}
	r.Released = make([]uint32, len(r.Sizes)*len(s.levels))
	for a := range s.levels {
		column, labels := s.label(len(r.Sizes), a, t.layout.Fields, l)
		r.Columns = append(r.Columns, column)
		for region, label := range labels {
			r.Released[region*len(s.levels)+a] = label
		}
	}
	r.Locator = l
	r.Index()
	return r
}

// label returns the labels of an attribute, which are the nodes that regions have, in preorder, and
// the label number of every region. An attribute of no set has only its root.
func (s *search) label(
	regions, attribute int, fields []partition.Field, l *locator,
) (c engine.ColumnCut, labels []uint32) {
	level := s.levels[attribute]
	nodes := make([]int, regions)
	if i := slices.Index(s.attributes, attribute); i >= 0 {
		l.Columns = append(l.Columns, partition.FinderColumn{
			Column: attribute, Labels: level.merge().Codes, Field: fields[i],
		})
		for region := range l.Index.Len() {
			nodes[region] = level.nodes[fields[i].Code(l.Index.Key(region))]
		}
	}
	number := make([]uint32, level.tree.Len())
	for _, n := range slices.Compact(slices.Sorted(slices.Values(nodes))) {
		number[n] = uint32(len(c.Labels))
		label := level.tree.Label(n)
		switch mask := s.input.Attributes[attribute].Mask; {
		case mask == engine.Generalize:
			label = engine.NodeLabel([]engine.Label{label})
		case mask == engine.Suppress && n > 0:
			label = engine.SetLabel([]engine.Label{label})
		}
		c.Labels = append(c.Labels, label)
		if level.tree.IsInterval(n) {
			c.Intervals = append(c.Intervals, level.tree.Interval(n))
		}
	}
	for _, n := range nodes {
		labels = append(labels, number[n])
	}
	return c, labels
}

// locator finds the regions of generalized tuples.
type locator struct {
	partition.Finder       // regions, by the numbers of the index
	others           int32 // region of the tuples that are not in the index
}

// Locate writes the regions of n tuples.
func (l *locator) Locate(n int, codes [][]uint32, regions []int32) {
	for i := range regions[:n] {
		regions[i] = l.others
	}
	l.Find(n, codes, func(tuple, region int) { regions[tuple] = int32(region) })
}
