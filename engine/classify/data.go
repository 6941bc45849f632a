// Package classify trains classifiers on counts of coded tuples, to measure how useful a release is
// for training.
//
//	Data: tuple × class → count ──Learner──▶ Classifier ──tuple──▶ class
//
// There are four kinds: a decision tree by the rules of C4.5 (package induce), naive Bayes by the
// rules of Weka's NaiveBayes, logistic regression, and gradient-boosted trees (package boost). All
// use only the counts of distinct tuples, so that a classifier does not depend on the order of
// rows, and its cost depends on the number of distinct tuples.
//
// The last code of every column represents missing values: suppressed ones and nulls. A tree has a
// branch for them, logistic regression and boosted trees one more value, for boosted trees the last
// one in the order of numbers; naive Bayes leaves them out.
package classify

import (
	"context"
	"math"
	"slices"

	"github.com/kcut/kcut/engine/induce"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// Column is a feature.
type Column struct {
	Domain  int       // number of codes, with the last one, for the missing
	Numeric bool      // codes ascend with the values; otherwise they have no order
	Values  []float64 // Numeric: of every code except the last, ascending
}

// Data are counts of tuples with their class.
type Data struct {
	Columns []Column
	Classes int              // at least 1
	Table   *partition.Table // distinct tuples in order: a field for each column, then the class
	Space   partition.Space  // space of the table and of learning; the zero Space: unlimited memory
}

// Learner trains classifiers.
type Learner interface {
	// Name is the name of the learner for users.
	Name() string
	// Learn trains a classifier. The data, which must not be empty, are not changed. The memory of
	// the classifier stays drawn from the budget of their space.
	Learn(context.Context, Data) (Classifier, error)
}

// Classifier predicts classes. It is not safe for concurrent use.
type Classifier interface {
	// Logs writes the logarithms of the likelihood of every class, up to a constant that all
	// classes share.
	Logs(tuple []uint32, logs []float64)
}

// Classify returns the most likely class of a tuple, the first of several. It overwrites logs.
func Classify(c Classifier, tuple []uint32, logs []float64) uint32 {
	c.Logs(tuple, logs)
	return first(logs)
}

// Learners returns one of every kind: a tree, naive Bayes, logistic regression, boosted trees.
func Learners() []Learner { return []Learner{Tree{}, Bayes{}, Logistic{}, Boosted{}} }

// each calls f with all tuples in order. The tuple is valid until f returns.
func (d Data) each(ctx context.Context, f func(tuple []uint32, class uint32, count uint64)) error {
	fields := d.Table.Layout.Fields
	codes := make([]uint32, len(fields))
	return d.Table.Each(ctx, d.Space, func(key []uint64, count uint64) {
		for f, field := range fields {
			codes[f] = field.Code(key)
		}
		f(codes[:len(d.Columns)], codes[len(d.Columns)], count)
	})
}

// counts are the counts of every column's codes by class.
type counts struct {
	codes   [][]uint64 // by column: number of records, by code and class
	classes []uint64   // by class: number of records
}

// count counts the data's records. It draws twice the memory of the counts, since the result of
// learning takes as much.
func count(ctx context.Context, d Data) (*counts, error) {
	c := &counts{codes: make([][]uint64, len(d.Columns)), classes: make([]uint64, d.Classes)}
	for i, column := range d.Columns {
		n := column.Domain * d.Classes
		if err := hold(d.Space, "counts by class", 2*n); err != nil {
			return nil, err
		}
		c.codes[i] = make([]uint64, n)
	}
	return c, d.each(ctx, func(tuple []uint32, class uint32, count uint64) {
		for i, code := range tuple {
			c.codes[i][int(code)*d.Classes+int(class)] += count
		}
		c.classes[class] += count
	})
}

// hold draws memory for numbers of eight bytes from the budget of a space, if there is one.
func hold(space partition.Space, what string, numbers int) error {
	if space.Budget == nil {
		return nil
	}
	return space.Budget.Draw(what, 8*int64(numbers))
}

// first returns the position of the largest number, the first of several.
func first(numbers []float64) uint32 {
	return uint32(slices.Index(numbers, slices.Max(numbers)))
}

// Tree learns decision trees with the defaults of J48: at least two records in two branches,
// numeric tests that pay for the choice of their threshold, pessimistic pruning.
type Tree struct{}

// Name returns "tree".
func (Tree) Name() string { return "tree" }

// Learn grows a tree and prunes it. The tree's memory is drawn from the budget of the data's space
// and stays drawn.
func (Tree) Learn(ctx context.Context, d Data) (Classifier, error) {
	inducer := induce.Inducer{Classes: d.Classes, MinObjects: 2, Prune: true}
	inducer.Account = spill.NewAccount(d.Space.Budget, "a decision tree")
	for _, c := range d.Columns {
		inducer.Columns = append(inducer.Columns,
			induce.Column{Domain: c.Domain, Numeric: c.Numeric, Null: true})
	}
	grown, err := inducer.GrowFrom(ctx, d.Table, d.Space)
	return tree{grown}, err
}

type tree struct{ *induce.Tree }

// Logs uses the class shares of a leaf's records.
func (t tree) Logs(tuple []uint32, logs []float64) {
	classes, counts := t.Predict(tuple)
	for class := range logs {
		logs[class] = math.Inf(-1)
	}
	for i, class := range classes {
		logs[class] = math.Log(float64(counts[i]))
	}
}
