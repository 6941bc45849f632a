package topdown

import (
	"math"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// profile is the data from which a column's candidates are made.
type profile struct {
	attribute *engine.Attribute
	index     int // number of the attribute
	histogram *partition.Histogram
	kinds     *engine.Kinds
	weights   []uint64   // by code: the weights that k counts; nil: k counts records
	classes   int        // 0: the job declares no class
	set       engine.Set // the protections of the sets with this column
	outliers  uint64     // records that may be taken away
	people    []uint64   // by code: people of a population; nil: there is none
}

// newProfiles returns the profiles of all attributes.
func newProfiles(table *engine.Table, requirement engine.Requirement) []profile {
	profiles := make([]profile, len(table.Attributes))
	for a, of := range requirement.ByAttribute(len(profiles)) {
		profiles[a] = newProfile(table, a, of, requirement.Suppressible())
	}
	return profiles
}

// newProfile returns the profile of an attribute with the protections of the sets that contain it.
// An attribute that is in no set takes no part: none of its values is ever large enough to stand
// alone.
func newProfile(table *engine.Table, attribute int, of engine.Set, outliers uint64) profile {
	p := profile{
		attribute: &table.Attributes[attribute],
		index:     attribute,
		histogram: table.Histograms[attribute],
		classes:   table.Classes,
		kinds:     table.Kinds,
		set:       of,
	}
	if table.Sizes != nil {
		p.weights = table.Sizes[attribute]
	}
	if table.People != nil {
		p.people = table.People[attribute]
	}
	if len(of.Columns) == 0 {
		p.set.K = math.MaxInt
	} else {
		p.outliers = outliers
	}
	return p
}

// standAlone reports whether the given number of records, those of the codes lo ≤ code < hi, can be
// one or more equivalence classes.
func (p *profile) standAlone(lo, hi int, records uint64) bool {
	if p.weights != nil {
		records = partition.Sum(p.weights[lo:hi])
	}
	return !p.set.Prunable(p.kinds.Entities(records))
}

// populated reports whether the given number of records and the people of a population, those of
// the codes lo ≤ code < hi, can be one or more equivalence classes: the limits on them are
// monotone.
func (p *profile) populated(lo, hi int, records uint64) bool {
	if p.people == nil || !p.set.Population.Asked() {
		return true
	}
	return p.set.Population.Holds(records, partition.Sum(p.people[lo:hi]))
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

// beneficial reports whether refining records with these frequencies can gain anything: they have
// more than one class or, if the job declares no class, there are any.
func (p *profile) beneficial(frequencies []uint64) bool {
	present := 0
	for _, f := range frequencies {
		if f > 0 {
			present++
		}
	}
	return present > 1 || p.classes == 0 && present > 0
}

// impurity returns the quantity that refining such records may reduce: the entropy of their classes
// or, without classes, the penalty of their label.
func (p *profile) impurity(classes []uint64, size uint64, penalty float64) float64 {
	switch {
	case p.classes == 0:
		return penalty
	case size == 0:
		return 0
	}
	return engine.Entropy(classes, size)
}

// part is a set of records with its impurity: the entropy of its classes or, without classes, the
// certainty penalty of its label.
type part struct {
	size     uint64
	impurity float64
}

// gainOf returns InfoGain if there are classes: the impurity of the whole minus that of its parts,
// each weighted with its share of the records. Without classes it returns the reduction of the
// certainty penalty, summed over the records. It leaves out empty parts. It decides ties and is
// part of the product's promise: it uses plain float64 arithmetic in the order written. The
// conversions around products forbid the compiler to fuse them with the additions.
func (p *profile) gainOf(whole part, parts ...part) float64 {
	rest := 0.0
	for _, part := range parts {
		if part.size > 0 {
			share := float64(part.size) / float64(whole.size)
			rest += float64(share * part.impurity)
		}
	}
	if p.classes > 0 {
		return whole.impurity - rest
	}
	return float64(float64(whole.size) * (whole.impurity - rest))
}
