package mondrian

import (
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition/cells"
)

// outcome is the sums over a part's records, and over the regions made from it.
type outcome struct {
	size, weight uint64
	classes      []uint64 // by class: number of records
	masses       []uint64 // by class: sum of the probabilities
	risk         uint64   // the sum of wrong over the regions
	loss         float64  // the sum of surprise over the regions
}

func (o *outcome) reset(classes int) {
	if o.classes == nil {
		o.classes, o.masses = make([]uint64, classes), make([]uint64, classes)
	}
	clear(o.classes)
	clear(o.masses)
	o.size, o.weight, o.risk, o.loss = 0, 0, 0, 0
}

func (o *outcome) add(other *outcome) {
	o.size, o.weight = o.size+other.size, o.weight+other.weight
	o.risk, o.loss = o.risk+other.risk, o.loss+other.loss
	for class := range o.classes {
		o.classes[class] += other.classes[class]
		o.masses[class] += other.masses[class]
	}
}

// wrong returns the expected number of records, by the probabilities and in their units, that do
// not have the region's most frequent class, the first of several.
func (o *outcome) wrong() uint64 {
	decision := slices.Index(o.classes, slices.Max(o.classes))
	return o.size<<cells.MassBits - o.masses[decision]
}

// leastShare is a lower bound of a class's share in the logarithms of surprise.
const leastShare = 1e-9

// surprise returns the expected logarithmic loss of one region, in bits, by the probabilities: for
// a model that gives each class its share of the region's records and of one more record, which is
// divided by the classes' shares in the whole table.
func (o *outcome) surprise(whole *outcome) (loss float64) {
	for class, mass := range o.masses {
		if mass > 0 {
			records := float64(o.classes[class]) + float64(whole.classes[class])/float64(whole.size)
			share := max(records/float64(o.size+1), leastShare)
			loss -= float64(float64(mass) / (1 << cells.MassBits) * math.Log2(share))
		}
	}
	return loss
}

// asGood reports whether a loss is not greater than another one, except for rounding.
func asGood(loss, other float64) bool { return loss <= engine.AsGoodAs(other, 0) }
