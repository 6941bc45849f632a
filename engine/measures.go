package engine

import (
	"cmp"
	"math"
	"slices"
)

// ValueEntropy returns the entropy, in nats, of the values of a class, given the number of records
// for each value.
func ValueEntropy(values []uint64) (entropy float64) {
	all := float64(sum(values))
	for _, n := range values {
		if n > 0 {
			share := float64(n) / all
			entropy -= float64(share * math.Log(share))
		}
	}
	return entropy
}

// Distance returns the share of a class's records that must change their value until the class has
// the value frequencies of the whole table (t-closeness with equal distances, Li and others 2007).
// It gets the numbers of records by value in the class and in the whole, and the number of all
// records. The lists may leave out values that the class does not have.
func Distance(values, whole []uint64, records uint64) float64 {
	all, left, moved := float64(sum(values)), records, 0.0
	for i, n := range values {
		moved += math.Abs(float64(n)/all - float64(whole[i])/float64(records))
		left -= whole[i]
	}
	return (moved + float64(left)/float64(records)) / 2
}

// sum returns the sum of counts.
func sum(counts []uint64) (all uint64) {
	for _, n := range counts {
		all += n
	}
	return all
}

// ValueCount is the number of records of a class, and of the whole, with a value.
type ValueCount struct {
	Value          uint64 // an identifier that only the caller interprets
	Null           bool   // the value is a null that does not count as a value
	Records, Whole uint64
}

// Measures are the measures of a sensitive column's values, each for the class in which it is
// worst.
type Measures struct {
	L       int     // number of different values
	Entropy float64 // in nats
	Share   float64 // the largest share of a value
	T       float64 // Distance

	classes       int
	values, whole []uint64 // scratch: counts of a class
}

// Add takes a class into account. Its values must be complete; records is the number of records of
// the whole. The values get an order that does not depend on their identifiers, since sums of
// floats depend on the order.
func (m *Measures) Add(values []ValueCount, records uint64) {
	slices.SortFunc(values, func(a, b ValueCount) int {
		return cmp.Or(cmp.Compare(a.Records, b.Records), cmp.Compare(a.Whole, b.Whole))
	})
	l := len(values)
	m.values, m.whole = m.values[:0], m.whole[:0]
	for _, v := range values {
		if v.Null {
			l--
		}
		m.values, m.whole = append(m.values, v.Records), append(m.whole, v.Whole)
	}
	entropy := ValueEntropy(m.values)
	if m.classes++; m.classes == 1 {
		m.L, m.Entropy = l, entropy
	}
	m.L, m.Entropy = min(m.L, l), min(m.Entropy, entropy)
	m.Share = max(m.Share, float64(values[len(values)-1].Records)/float64(sum(m.values)))
	m.T = max(m.T, Distance(m.values, m.whole, records))
}

// EntropyL returns the number of equally frequent values that have the entropy, 0 if there is no
// class.
func (m *Measures) EntropyL() float64 {
	if m.classes == 0 {
		return 0
	}
	return math.Exp(m.Entropy)
}
