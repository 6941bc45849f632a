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

// newProfile returns the profile of an attribute. One that is in no set takes no part: nothing
// is large enough to stand alone there.
func newProfile(table *engine.Table, attribute int, requirement engine.Requirement) profile {
	p := profile{
		attribute: &table.Attributes[attribute],
		index:     attribute,
		histogram: table.Histograms[attribute],
		classes:   table.Classes,
	}
	var ok bool
	if p.set, ok = requirement.Of(attribute); !ok {
		p.set.K = math.MaxInt
	}
	return p
}

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
