package classify

import (
	"context"
	"slices"

	"github.com/kcut/kcut/partition"
)

// Column is a feature.
type Column struct {
	Domain  int       // codes, the last one, that of the missing, included
	Numeric bool      // codes ascend as values do; else they have no order
	Values  []float64 // Numeric: of every code but the last, ascending
}

// missing returns the code of values that are missing.
func (c Column) missing() uint32 { return uint32(c.Domain - 1) }

// Data are counts of tuples with their class.
type Data struct {
	Columns []Column
	Classes int              // at least 1
	Table   *partition.Table // distinct tuples, ascending: a field a column, then the class
}

// Learner trains classifiers.
type Learner interface {
	// Name is what users call it.
	Name() string
	// Learn trains a classifier. The data, which must not be empty, stay as they are.
	Learn(context.Context, Data) (Classifier, error)
}

// Classifier predicts classes. It is not safe for concurrent use.
type Classifier interface {
	// Classify returns the class that a tuple most likely has, the first of several.
	Classify(tuple []uint32) uint32
}

// Learners returns one of every kind: a tree, naive Bayes, logistic regression.
func Learners() []Learner { return []Learner{Tree{}, Bayes{}, Logistic{}} }

// Errors returns how many of the data's records a classifier gets wrong.
func Errors(c Classifier, test Data) (wrong uint64) {
	test.each(func(tuple []uint32, class, count uint32) {
		if c.Classify(tuple) != class {
			wrong += uint64(count)
		}
	})
	return wrong
}

// each hands out all tuples in order. The tuple is valid until f returns.
func (d Data) each(f func(tuple []uint32, class, count uint32)) {
	fields, words := d.Table.Layout.Fields, d.Table.Layout.Words
	codes := make([]uint32, len(fields))
	for i, count := range d.Table.Counts {
		key := d.Table.Keys[i*words : (i+1)*words]
		for f, field := range fields {
			codes[f] = field.Code(key)
		}
		f(codes[:len(d.Columns)], codes[len(d.Columns)], count)
	}
}

// classCounts returns the records of every class.
func (d Data) classCounts() []uint64 {
	counts := make([]uint64, d.Classes)
	d.each(func(_ []uint32, class, count uint32) { counts[class] += uint64(count) })
	return counts
}

// first returns the position of the largest number, the first of several.
func first[N uint64 | float64](numbers []N) uint32 {
	return uint32(slices.Index(numbers, slices.Max(numbers)))
}
