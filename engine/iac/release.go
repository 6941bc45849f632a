package iac

import (
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// release returns the regions of the tuples that are left, in the order of their codes,
// and then the one of the suppressed records, if they are released.
func (s *search) release(t *tuples) *engine.Regions {
	numbers, size := t.left()
	slices.SortFunc(numbers, t.compare)
	r := &engine.Regions{}
	l := &locator{layout: t.layout, index: partition.NewIndex(t.layout, len(numbers)), others: engine.Dropped}
	for _, n := range numbers {
		l.index.Add(t.index.Key(n))
		r.Sizes = append(r.Sizes, t.sizes[n])
	}
	regions := len(numbers)
	switch suppressed := s.input.Rows - size; {
	case suppressed == 0:
	case suppressed < s.fewest && s.Small == Drop:
		r.DroppedRecords = suppressed
	default:
		r.Suppressed = suppressed
		r.Sizes = append(r.Sizes, suppressed)
		l.others = int32(regions)
		regions++
	}
	r.Released = make([]uint32, regions*len(s.levels))
	for a := range s.levels {
		r.Columns = append(r.Columns, s.label(r.Released[a:], a, l))
	}
	r.Locator = l
	r.Index()
	return r
}

// label writes the label numbers of an attribute to every len(s.levels)-th place, and
// returns the labels: of the nodes that regions have, in preorder. An attribute of no set
// is its root.
func (s *search) label(released []uint32, attribute int, l *locator) engine.RegionColumn {
	level := s.levels[attribute]
	nodes := make([]int, (len(released)+len(s.levels)-1)/len(s.levels)) // by region
	if i := slices.Index(s.attributes, attribute); i >= 0 {
		field := l.layout.Fields[i]
		l.columns = append(l.columns, located{attribute: attribute, codes: level.coarsening().Codes, field: field})
		for region := range l.index.Len() {
			nodes[region] = level.nodes[field.Code(l.index.Key(region))]
		}
	}
	number := make([]uint32, level.tree.Len())
	var c engine.RegionColumn
	for _, n := range slices.Compact(slices.Sorted(slices.Values(nodes))) {
		number[n] = uint32(len(c.Labels))
		label := level.tree.Label(n)
		if n > 0 && s.input.Attributes[attribute].Mask == engine.Suppress {
			label = engine.SetLabel([]engine.Label{label})
		}
		c.Labels = append(c.Labels, label)
		if level.tree.IsInterval(n) {
			c.Intervals = append(c.Intervals, level.tree.Interval(n))
		}
	}
	for region, n := range nodes {
		released[region*len(s.levels)] = number[n]
	}
	return c
}
