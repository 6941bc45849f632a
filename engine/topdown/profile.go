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
	classes   int        // 0: no class was declared
	set       engine.Set // the protections of the sets with this column
}

func newProfile(table *engine.Table, attribute int, requirement engine.Requirement) profile {
	return profile{
		attribute: &table.Attributes[attribute],
		index:     attribute,
		histogram: table.Histograms[attribute],
		classes:   table.Classes,
		set:       protections(requirement, attribute),
	}
}

// protections returns those of the sets with an attribute. One that is in no set takes no part:
// nothing is large enough to stand alone there.
func protections(requirement engine.Requirement, attribute int) engine.Set {
	of, ok := requirement.Of(attribute)
	if !ok {
		of.K = math.MaxInt
	}
	return of
}

// threshold returns the largest K of the sets with the column.
func (p *profile) threshold() uint64 { return p.set.K.Records() }

// standsAlone reports whether so many records can be an equivalence class, or several.
func (p *profile) standsAlone(size uint64) bool {
	return !p.set.Prunable(engine.Stats{Records: size})
}

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
func (p *profile) records(coarse engine.CodeMerge) []uint64 {
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
