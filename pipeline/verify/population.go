package verify

import (
	"context"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/risk"
)

// Population counts the people of a population in the classes of a release. It reads tables and
// finds the labels of values, which this package does not do.
type Population interface {
	// Class takes a class of a quasi-identifier set of the cut, with its number of records. For
	// every column of the cut that is in the set, in the order of the cut, labels has the position
	// of the first label that looks the same in the release; that of the mark is behind the labels.
	Class(set int, labels []uint32, records uint64) error
	// Limits returns the limits on the people of a set, which are at least those of the cut.
	Limits(set int) engine.Population
	// Registers returns the figures of every set, after all classes; nil: it did not count the set.
	Registers(context.Context) ([]*risk.Register, error)
}

// Shown returns for every label of a column, and for the mark behind these if there is one, the
// first label that looks the same in a release.
func Shown(c *cutfile.Column) (first []uint32) {
	checks, known := checksOf(c), make(map[[3]uint32]uint32)
	for label := range uint32(c.Labels()) {
		var numbers [3]uint32
		for i := range checks {
			numbers[i] = checks[i].numberOf(label)
		}
		if _, seen := known[numbers]; !seen {
			known[numbers] = label
		}
		first = append(first, known[numbers])
	}
	return first
}

// addClass gives a class of a set to the population.
func (v *verifier) addClass(set int, group []uint64, records uint64) error {
	labels := v.labels[:0]
	for i := range v.released[set] {
		c := &v.released[set][i]
		labels = append(labels, c.known[c.together(
			func(i int) uint32 { return v.keys[set].digit(group, c.digits[i]) })])
	}
	v.labels = labels
	return v.population.Class(set, labels, records)
}

// checkPopulation compares the people in the classes of a set with its limits.
func (v *verifier) checkPopulation(set int) {
	r := v.registers[set]
	if r == nil {
		return
	}
	limits := v.population.Limits(set)
	for _, broken := range r.Broken(int64(limits.KMap), limits.MinPresence, limits.MaxPresence) {
		v.find("quasi-identifier set %d: %s", set+1, broken)
	}
}
