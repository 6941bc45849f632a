package engine

import (
	"cmp"
	"slices"
)

// ValueCount is the number of records of a class, and of the whole, with a value.
type ValueCount struct {
	Null           bool // the value is a null that does not count as a value
	Records, Whole uint64
	Most           float64 // the largest share that it may have, where single values have limits
}

// Verdict is how the classes of a release meet a limit.
type Verdict struct {
	Limit
	Worst  float64 // figure, of the class in which it is worst; 0: there is no class
	Broken bool    // a class does not meet the limit
}

// Verdicts are those of a sensitive column.
type Verdicts struct {
	All     []Verdict // of every limit
	classes int
	class   Histogram // scratch
}

// NewVerdicts returns the verdicts on limits before the first class.
func NewVerdicts(limits []Limit) *Verdicts {
	v := &Verdicts{}
	for _, l := range limits {
		v.All = append(v.All, Verdict{Limit: l})
	}
	return v
}

// Add takes a class into account. Its values must be complete; total is the number of records of
// the whole. The values get an order that depends on their counts alone: sums of floats depend on
// the order.
func (v *Verdicts) Add(values []ValueCount, total uint64) {
	slices.SortFunc(values, func(a, b ValueCount) int {
		return cmp.Or(cmp.Compare(a.Records, b.Records), cmp.Compare(a.Whole, b.Whole))
	})
	h := Histogram{Records: v.class.Records[:0], Whole: v.class.Whole[:0], Most: v.class.Most[:0],
		Total: total}
	for i, value := range values {
		if value.Null {
			h.Null = i + 1
		}
		h.Records, h.Whole = append(h.Records, value.Records), append(h.Whole, value.Whole)
		h.Most = append(h.Most, value.Most)
	}
	v.class = h
	v.classes++
	for i := range v.All {
		v.All[i].add(h, v.classes == 1)
	}
}

// add takes a class into account, which may be the first one.
func (v *Verdict) add(class Histogram, first bool) {
	if v.Of == nil {
		class.Most = nil
	}
	figure, meets := v.Judge(class)
	if !first {
		figure = v.worse(v.Worst, figure)
	}
	v.Worst, v.Broken = figure, v.Broken || !meets
}

// Figures returns the figures of all limits.
func (v *Verdicts) Figures() (f Figures) {
	for i := range v.All {
		*v.All[i].at(&f) = &v.All[i].Worst
	}
	return f
}
