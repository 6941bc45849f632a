package verify

import (
	"maps"
	"slices"
)

// Homogeneity counts the equivalence classes of a set whose records all have the same value of a
// kept column, and these records: somebody who finds such a class learns the value.
type Homogeneity struct {
	Set              int // from 1 on
	Column           string
	Classes, Records uint64
	// Gained is how much surer of the value such classes make somebody who knows the shares of the
	// values in the release: 1 less the share of the value, on average over all records, where
	// those of other classes count 0. It is the share of the records if there are more than
	// mostValues values.
	Gained float64
}

// mostValues is the largest number of values of a column whose records are counted.
const mostValues = 1 << 12

// valueRows counts the records of each value of a column, by its hash.
type valueRows struct {
	all, alone map[uint64]uint64 // alone: those in classes that have no other value
}

// countValues counts the values of all claims.
func (v *verifier) countValues() {
	for i := range v.measures {
		v.measures[i].values = &valueRows{make(map[uint64]uint64), make(map[uint64]uint64)}
	}
}

// add adds records with a value. It returns the counts, or nil if there are too many values.
func (c *valueRows) add(value, all, alone uint64) *valueRows {
	if c == nil {
		return nil
	}
	if c.all[value] += all; len(c.all) > mostValues {
		return nil
	}
	if alone > 0 {
		c.alone[value] += alone
	}
	return c
}

// gained returns Homogeneity.Gained, in a release with the given number of records, of which the
// given number are in classes of one value.
func (c *valueRows) gained(alone, records uint64) (gained float64) {
	if c == nil {
		return float64(alone) / float64(records)
	}
	whole := float64(records)
	for _, value := range slices.Sorted(maps.Keys(c.alone)) {
		gained += float64(float64(c.alone[value]) / whole * (1 - float64(c.all[value])/whole))
	}
	return gained
}

// homogeneous returns, for every claim, the number of classes with one value of a column.
func (v *verifier) homogeneous() (all []Homogeneity) {
	for i := range v.measures {
		m := &v.measures[i]
		m.homogeneity.Set, m.homogeneity.Column = m.set+1, m.of.Column
		if m.homogeneity.Records > 0 {
			m.homogeneity.Gained = m.values.gained(m.homogeneity.Records, uint64(v.rows))
		}
		all = append(all, m.homogeneity)
	}
	return all
}
