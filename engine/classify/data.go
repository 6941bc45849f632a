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
	Table   *partition.Table // distinct tuples in order: a field a column, then the class
	Space   partition.Space  // where the table is, and what learning may take; the zero Space: any memory
}

// Learner trains classifiers.
type Learner interface {
	// Name is what users call it.
	Name() string
	// Learn trains a classifier. The data, which must not be empty, stay as they are. What the
	// classifier holds stays drawn from the budget of their space.
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
func Errors(ctx context.Context, c Classifier, test Data) (wrong uint64, err error) {
	err = test.each(ctx, func(tuple []uint32, class, count uint32) {
		if c.Classify(tuple) != class {
			wrong += uint64(count)
		}
	})
	return wrong, err
}

// each hands out all tuples in order. The tuple is valid until f returns.
func (d Data) each(ctx context.Context, f func(tuple []uint32, class, count uint32)) error {
	fields, words := d.Table.Layout.Fields, d.Table.Layout.Words
	codes := make([]uint32, len(fields))
	return d.Table.Scan(ctx, d.Space, func(block *partition.Table) error {
		for i, count := range block.Counts {
			key := block.Keys[i*words : (i+1)*words]
			for f, field := range fields {
				codes[f] = field.Code(key)
			}
			f(codes[:len(d.Columns)], codes[len(d.Columns)], count)
		}
		return nil
	})
}

// hold draws so many numbers of eight bytes from the budget, if there is one.
func (d Data) hold(what string, numbers int) error {
	if d.Space.Budget == nil {
		return nil
	}
	return d.Space.Budget.Draw(what, 8*int64(numbers))
}

// first returns the position of the largest number, the first of several.
func first[N uint64 | float64](numbers []N) uint32 {
	return uint32(slices.Index(numbers, slices.Max(numbers)))
}
