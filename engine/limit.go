package engine

import (
	"maps"

	"github.com/kcut/kcut/partition"
)

// Limit bounds a measure of a sensitive column in every equivalence class. It is a Protection once
// it is bound to a table.
type Limit struct {
	*Measure
	Bound float64
	// of single values by their texts, instead, where these have limits of their own
	Of         map[string]float64
	CountsNull bool       // the null counts as a value
	L          int        // of recursive (c, l)-diversity
	Tree       *Hierarchy // of t in a tree; a search sets it before it binds the limit

	Column int // position among the sensitive columns
	values Histogram
}

// Bind sets what depends on a table: the values of the column, and by code how many records of the
// whole table have them.
func (l *Limit) Bind(column *SensitiveValues, whole []uint64) {
	values := column.Values
	l.values = Histogram{Whole: whole, Total: partition.Sum(whole)}
	if column.Places != nil && l.Measure == OrderedCloseness {
		l.values.Order = NewOrder(column.Places, whole)
		l.values.Rank = l.values.Order.Rank
	}
	if l.Tree != nil {
		l.values.Leaf = nil
		for _, value := range values {
			leaf, _ := l.Tree.Leaf(value)
			l.values.Leaf = append(l.values.Leaf, leaf)
		}
		l.values.Spread = NewSpread(l.Tree, l.values.Leaf, whole)
	}
	if l.Of != nil {
		l.values.Most = make([]float64, len(values))
	}
	for code, value := range values {
		if value.Null && !l.CountsNull {
			l.values.Null = code + 1
		}
		if l.Of != nil {
			l.values.Most[code] = l.MostOf(value)
		}
	}
}

// MostOf returns the largest share that a value may have where single values have limits; 1: any.
func (l *Limit) MostOf(value Label) float64 {
	if most, limited := l.Of[value.Text]; limited && !value.Null {
		return most
	}
	return 1
}

// Judge returns the figure of a class, and whether it meets the limit.
func (l *Limit) Judge(class Histogram) (figure float64, meets bool) {
	class.L = l.L
	figure = l.of(class)
	if l.Of == nil {
		return figure, l.meets(figure, l.Bound)
	}
	all := float64(partition.Sum(class.Records))
	for value, n := range class.Records {
		if float64(n) > (class.Most[value]+Slack)*all {
			return figure, false
		}
	}
	return figure, true
}

// Holds reports whether a class meets the limit.
func (l *Limit) Holds(class Stats) bool {
	_, meets := l.Judge(l.histogram(class))
	return meets
}

// Figure returns the figure of a class.
func (l *Limit) Figure(class Stats) Measurement {
	figure, _ := l.Judge(l.histogram(class))
	return Measurement{l.Measure, &figure}
}

// histogram returns the values that a class has in the column.
func (l *Limit) histogram(class Stats) Histogram {
	h := l.values
	h.Records = class.Values[l.Column]
	return h
}

// Implies reports whether the other protection asks for no more of the same measure.
func (l *Limit) Implies(other Protection) bool {
	o, ok := other.(*Limit)
	return ok && o.Measure == l.Measure && o.Column == l.Column &&
		(o.CountsNull || !l.CountsNull) && maps.Equal(o.Of, l.Of) && o.L <= l.L &&
		l.worse(l.Bound, o.Bound) == o.Bound
}
