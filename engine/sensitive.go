package engine

import "math"

// Slack is the tolerance for floats: a share in decimals has no exact float.
const Slack = 1e-9

// DistinctValues asks for a number of different values of a sensitive column in every equivalence
// class (distinct l-diversity, Machanavajjhala and others 2007).
type DistinctValues struct {
	Column int // position among the sensitive columns
	L      int
	// 1 + the code of the null, where it does not count as a value; 0: it counts, or there is none
	Null int
}

// Holds reports whether a class has enough values.
func (p DistinctValues) Holds(class Stats) bool {
	distinct := 0
	for code, n := range class.Values[p.Column] {
		if n > 0 && code+1 != p.Null {
			distinct++
		}
	}
	return distinct >= p.L
}

// Implies reports whether the other protection asks for no more values of the same column.
func (p DistinctValues) Implies(other Protection) bool {
	o, ok := other.(DistinctValues)
	return ok && o.Column == p.Column && o.L <= p.L && (p.Null > 0 || o.Null == 0)
}

// EntropyOfValues asks that the values of a sensitive column in every equivalence class have at
// least the entropy of L equally frequent values (entropy l-diversity).
type EntropyOfValues struct {
	Column int
	L      float64
}

// Holds reports whether the class has at least the entropy of L equally frequent values.
func (p EntropyOfValues) Holds(class Stats) bool {
	return ValueEntropy(class.Values[p.Column]) >= math.Log(p.L)-Slack
}

// Implies reports whether the other protection asks for no more, of the same column.
func (p EntropyOfValues) Implies(other Protection) bool {
	o, ok := other.(EntropyOfValues)
	return ok && o.Column == p.Column && o.L <= p.L
}

// Confidence asks that no value of a sensitive column has more than its share of an equivalence
// class.
type Confidence struct {
	Column int
	Most   []float64 // by code of the value: the largest share; 1: any share
}

// Holds reports whether no value has more than its share.
func (p *Confidence) Holds(class Stats) bool {
	all := float64(sum(class.Values[p.Column]))
	for code, n := range class.Values[p.Column] {
		if float64(n) > (p.Most[code]+Slack)*all {
			return false
		}
	}
	return true
}

// Implies reports whether the other protection is the same one.
func (p *Confidence) Implies(other Protection) bool { return Protection(p) == other }

// Closeness asks that the values of a sensitive column have, in every equivalence class, the shares
// of the whole table, except for a distance of at most T (t-closeness with equal distances, Li and
// others 2007).
type Closeness struct {
	Column int
	T      float64
	Whole  []uint64 // by code: records of the whole table
}

// Holds reports whether the distance is at most T.
func (p *Closeness) Holds(class Stats) bool {
	return Distance(class.Values[p.Column], p.Whole, sum(p.Whole)) <= p.T+Slack
}

// Implies reports whether the other protection is the same one.
func (p *Closeness) Implies(other Protection) bool { return Protection(p) == other }
