package recheck

import (
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
)

// RegionIndex finds the first of some regions that covers a tuple of codes. It is a tree of cuts
// whose leaves list regions. Searches divide records by cuts, so that similar cuts separate their
// regions again, and leaves are short. A region that contains others is in the leaves of these,
// too.
type RegionIndex struct {
	released []uint32 // labels of all regions, one for each column
	columns  []Coverage
	nodes    []regionNode
	listed   []int32 // the regions of all leaves, ascending in each
}

// Span is the range of codes that a label covers.
type Span struct {
	Low, High uint32 // the first and the last code
	Codes     uint32 // number of codes; 0: none
}

// Coverage says which codes the labels of a column cover.
type Coverage struct {
	Spans []Span // by label
	// Covers reports whether a label covers a code of its span, if it does not cover all.
	Covers func(label, code uint32) bool
}

// has reports whether a code is in the span. If the span is whole, the label then covers it.
func (s *Span) has(code uint32) bool { return s.Low <= code && code <= s.High }

// whole reports whether the label covers all codes of its span.
func (s *Span) whole() bool { return s.Codes > s.High-s.Low }

// regionNode is a cut, or a leaf. The lower side of a cut is the next node.
type regionNode struct {
	column int32  // −1: a leaf
	at     uint32 // the first code on the upper side; for a leaf, the start of its regions
	above  int32  // the node of the upper side; for a leaf, the end of its regions
}

// NewRegionIndex returns an index of regions, given their labels, and the codes that these cover.
func NewRegionIndex(released []uint32, columns []Coverage) *RegionIndex {
	x := &RegionIndex{released: released, columns: columns}
	var list []int32
	for region := range int32(len(released) / len(columns)) {
		if x.coversSome(region) {
			list = append(list, region)
		}
	}
	b := &regionDivider{RegionIndex: x}
	b.divide(list, len(list))
	return x
}

// CoverageOf returns the coverage of a column with a number of labels, given the labels that cover
// each code.
func CoverageOf(covers [][]uint32, labels int) Coverage {
	spans := make([]Span, labels)
	for i := range spans {
		spans[i].Low = math.MaxUint32
	}
	for code, by := range covers {
		for _, label := range by {
			s := &spans[label]
			s.Low, s.High = min(s.Low, uint32(code)), uint32(code)
			s.Codes++
		}
	}
	return Coverage{Spans: spans, Covers: func(label, code uint32) bool {
		return slices.Contains(covers[code], label)
	}}
}

// CoverageOfIntervals returns the coverage of intervals, given their codes: adjacent ones and, of
// some, the null's.
func CoverageOfIntervals(spans []Span, null uint32) Coverage {
	return Coverage{Spans: spans, Covers: func(label, code uint32) bool {
		s := &spans[label]
		return code == null || code < s.Low+s.Codes-1
	}}
}

// AddNull adds the code of the null, which is the last one, to the codes of an interval.
func (s *Span) AddNull(null uint32) {
	if s.High = null; s.Codes == 0 {
		s.Low = null
	}
	s.Codes++
}

// coversSome reports whether a region covers any tuples.
func (x *RegionIndex) coversSome(region int32) bool {
	for a, label := range x.labels(region) {
		if x.columns[a].Spans[label].Codes == 0 {
			return false
		}
	}
	return true
}

// labels returns the labels of a region.
func (x *RegionIndex) labels(region int32) []uint32 {
	return x.released[int(region)*len(x.columns):][:len(x.columns)]
}

// regionIndexBytes is the largest memory for a region, including the work memory of making the
// index: on average a region is in at most two leaves.
const regionIndexBytes = 128

// RegionIndexBytes returns the largest memory of an index of regions.
func RegionIndexBytes(regions int, labels []int) int64 {
	bytes := regionIndexBytes * int64(regions)
	for _, n := range labels {
		bytes += 12 * int64(n)
	}
	return bytes
}

// Locate writes the first region that covers each of n tuples, or engine.Dropped. It is safe for
// concurrent use.
func (x *RegionIndex) Locate(n int, codes [][]uint32, regions []int32) {
	for i := range n {
		at := int32(0)
		for x.nodes[at].column >= 0 {
			if node := &x.nodes[at]; codes[node.column][i] < node.at {
				at++
			} else {
				at = node.above
			}
		}
		regions[i] = engine.Dropped
		for _, region := range x.listed[x.nodes[at].at:x.nodes[at].above] {
			if x.covered(region, codes, i) {
				regions[i] = region
				break
			}
		}
	}
}

// covered reports whether a region covers tuple i.
func (x *RegionIndex) covered(region int32, codes [][]uint32, i int) bool {
	for a, label := range x.labels(region) {
		code, of := codes[a][i], &x.columns[a]
		if s := &of.Spans[label]; !s.has(code) || !s.whole() && !of.Covers(label, code) {
			return false
		}
	}
	return true
}

// regionDivider makes the tree.
type regionDivider struct {
	*RegionIndex
	lows, highs []uint32 // scratch: of the spans of a list, in order
}

// fewRegions is the number of regions that are compared one by one.
const fewRegions = 8

// divide makes the node of a list of regions, and the nodes below it. At most spare regions may be
// listed twice.
func (d *regionDivider) divide(list []int32, spare int) {
	cut := d.best(list, spare)
	if cut.column < 0 {
		begin := uint32(len(d.listed))
		d.listed = append(d.listed, list...)
		d.nodes = append(d.nodes, regionNode{column: -1, at: begin, above: int32(len(d.listed))})
		return
	}
	below, above := make([]int32, 0, cut.below), make([]int32, 0, cut.above)
	for _, region := range list {
		s := d.span(region, cut.column)
		if s.Low < cut.at {
			below = append(below, region)
		}
		if s.High >= cut.at {
			above = append(above, region)
		}
	}
	spare -= len(below) + len(above) - len(list)
	theirs := spare * len(below) / (len(below) + len(above))
	node := len(d.nodes)
	d.nodes = append(d.nodes, regionNode{column: int32(cut.column), at: cut.at})
	d.divide(below, theirs)
	d.nodes[node].above = int32(len(d.nodes))
	d.divide(above, spare-theirs)
}

// span returns the codes that a region covers in a column.
func (d *regionDivider) span(region int32, column int) *Span {
	return &d.columns[column].Spans[d.labels(region)[column]]
}

// regionCut divides a list of regions at a code of a column: those with lower codes are below, and
// those with others above. Some may be both.
type regionCut struct {
	column       int // −1: none
	at           uint32
	below, above int
}

// cost is the length of the longer side, plus that of both sides.
func (c *regionCut) cost() int { return max(c.below, c.above) + c.below + c.above }

// best returns the cut with the least cost, or none where the list is short or no cut makes it
// noticeably shorter.
func (d *regionDivider) best(list []int32, spare int) regionCut {
	best := regionCut{column: -1, below: len(list), above: len(list)}
	if len(list) <= fewRegions {
		return best
	}
	longest := len(list) - len(list)/8
	for a := range d.columns {
		d.lows, d.highs = d.lows[:0], d.highs[:0]
		for _, region := range list {
			s := d.span(region, a)
			d.lows, d.highs = append(d.lows, s.Low), append(d.highs, s.High)
		}
		slices.Sort(d.lows)
		slices.Sort(d.highs)
		ended := 0
		for i := 1; i < len(list); i++ {
			for d.highs[ended] < d.lows[i] {
				ended++
			}
			c := regionCut{column: a, at: d.lows[i], below: i, above: len(list) - ended}
			if d.lows[i] == d.lows[i-1] || max(c.below, c.above) > longest ||
				c.below+c.above-len(list) > spare {
				continue
			}
			if c.cost() < best.cost() {
				best = c
			}
		}
	}
	return best
}
