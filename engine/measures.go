package engine

import (
	"cmp"
	"math"
	"slices"
)

// ValueEntropy returns that of the values of a class in nats, given how many records have each.
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

// Distance returns the share of a class's records that must be moved until it has the values of a
// whole of some records, given how many of the class and of the whole have each value (t-closeness with
// equal distances, Li and others 2007). The lists may leave out values that the class lacks.
func Distance(values, whole []uint64, records uint64) float64 {
	all, left, moved := float64(sum(values)), records, 0.0
	for i, n := range values {
		moved += math.Abs(float64(n)/all - float64(whole[i])/float64(records))
		left -= whole[i]
	}
	return (moved + float64(left)/float64(records)) / 2
}

// sum adds up counts.
func sum(counts []uint64) (all uint64) {
	for _, n := range counts {
		all += n
	}
	return all
}

// ValueCount says how many records of a class, and of the whole, have a value.
type ValueCount struct {
	Value          uint64 // an identifier that only the caller understands
	Null           bool   // it is a null that counts for no value
	Records, Whole uint64
}

// Measures are those of the values of a sensitive column, each of the class where it is worst.
type Measures struct {
	L       int     // different values
	Entropy float64 // in nats
	Share   float64 // the largest one of a value
	T       float64 // Distance

	classes       int
	values, whole []uint64 // of a class
}

// Add takes in a class of a whole of some records, all of whose values are given. They are put into an
// order that does not depend on their identifiers: sums of floats depend on the order.
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

// EntropyL returns how many equally frequent values have the entropy, 0 if there is no class.
func (m *Measures) EntropyL() float64 {
	if m.classes == 0 {
		return 0
	}
	return math.Exp(m.Entropy)
}
