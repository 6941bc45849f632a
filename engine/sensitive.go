package engine

import "math"

// Slack is what floats may be off by: a share that is written with decimals is not exactly what it says.
const Slack = 1e-9

// DistinctValues asks for so many different values of a sensitive column in every equivalence class
// (distinct l-diversity, Machanavajjhala and others 2007).
type DistinctValues struct {
	Column int // among the sensitive ones
	L      int
	Null   int // 1 + the code of the null, where that is no value; 0: it is one, or there is none
}

// Holds reports whether a class has so many values.
func (p DistinctValues) Holds(class Stats) bool {
	distinct := 0
	for code, n := range class.Values[p.Column] {
		if n > 0 && code+1 != p.Null {
			distinct++
		}
	}
	return distinct >= p.L
}

// Implies reports whether the other one asks for no more values of the same column.
func (p DistinctValues) Implies(other Protection) bool {
	o, ok := other.(DistinctValues)
	return ok && o.Column == p.Column && o.L <= p.L && (p.Null > 0 || o.Null == 0)
}

// EntropyOfValues asks that the values of a sensitive column in every equivalence class are as hard to guess
// as so many of equal frequency (entropy l-diversity).
type EntropyOfValues struct {
	Column int
	L      float64
}

// Holds reports whether the entropy is that of L equally frequent values.
func (p EntropyOfValues) Holds(class Stats) bool {
	return ValueEntropy(class.Values[p.Column]) >= math.Log(p.L)-Slack
}

// Implies reports whether the other one asks for no more, of the same column.
func (p EntropyOfValues) Implies(other Protection) bool {
	o, ok := other.(EntropyOfValues)
	return ok && o.Column == p.Column && o.L <= p.L
}

// Confidence asks that of no equivalence class more than a share has one value of a sensitive column.
type Confidence struct {
	Column int
	Most   []float64 // by code of the value; 1: any share
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

// Implies reports whether the other one is the same.
func (p *Confidence) Implies(other Protection) bool { return Protection(p) == other }

// Closeness asks that the shares which the values of a sensitive column have in every equivalence class are those of
// the whole table, but for so much that must be moved (t-closeness with equal distances, Li and others 2007).
type Closeness struct {
	Column int
	T      float64
	Whole  []uint64 // by code: records of the whole table
}

// Holds reports whether no more than T must be moved.
func (p *Closeness) Holds(class Stats) bool {
	return Distance(class.Values[p.Column], p.Whole, sum(p.Whole)) <= p.T+Slack
}

// Implies reports whether the other one is the same.
func (p *Closeness) Implies(other Protection) bool { return Protection(p) == other }
