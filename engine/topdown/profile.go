package topdown

import (
	"math"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// profile is what a column's candidates are grown from.
type profile struct {
	attribute *engine.Attribute
	index     int // of the attribute
	histogram *partition.Histogram
	classes   int    // 0: no class was declared
	k         uint64 // the largest threshold of the sets with this column
}

func newProfile(table *engine.Table, attribute int, requirement engine.Requirement) profile {
	return profile{
		attribute: &table.Attributes[attribute],
		index:     attribute,
		histogram: table.Histograms[attribute],
		classes:   table.Classes,
		k:         threshold(requirement, attribute),
	}
}

// threshold returns the largest K of the sets with an attribute. One that is in no set
// takes no part: nothing is large enough to stand alone there.
func threshold(requirement engine.Requirement, attribute int) uint64 {
	if k, ok := requirement.LargestK(attribute); ok {
		return k
	}
	return math.MaxUint64
}

func (p *profile) threshold() uint64 { return p.k }

// count adds the class frequencies of the codes lo ≤ code < hi and returns their sum.
func (p *profile) count(frequencies []uint64, lo, hi int) (size uint64) {
	h := p.histogram
	for i := h.Start[lo]; i < h.Start[hi]; i++ {
		frequencies[h.Class[i]] += h.Count[i]
		size += h.Count[i]
	}
	return size
}

// records returns the number of records by code of the search.
func (p *profile) records(coarse engine.Coarsening) []uint64 {
	records, h := make([]uint64, coarse.Domain), p.histogram
	for code, to := range coarse.Codes {
		for i := h.Start[code]; i < h.Start[code+1]; i++ {
			records[to] += h.Count[i]
		}
	}
	return records
}

// occurs reports whether any record has the code.
func (p *profile) occurs(code int) bool {
	return p.histogram.Start[code] < p.histogram.Start[code+1]
}

// beneficial reports whether refining records with these frequencies can gain anything:
// they have more than one class or, without a class, there are any.
func (p *profile) beneficial(frequencies []uint64) bool {
	present := 0
	for _, f := range frequencies {
		if f > 0 {
			present++
		}
	}
	return present > 1 || p.classes == 0 && present > 0
}
