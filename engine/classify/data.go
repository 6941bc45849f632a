// Package classify trains classifiers on counts of coded tuples, to tell how useful a
// release is to those who will train theirs.
//
//	Data: tuple × class → count ──Learner──▶ Classifier ──tuple──▶ class
//
// Three that differ in kind: a decision tree by the rules of C4.5 (package induce), naive
// Bayes as Weka's NaiveBayes has it, and logistic regression. All see the counts of distinct
// tuples alone, so that what they learn does not depend on the rows' order, and what they
// cost goes by the distinct tuples.
//
// The last code of every column is that of values that are missing: suppressed, or null. To
// the tree they are a branch, to logistic regression one more value; naive Bayes leaves them out.
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
	Domain  int       // codes, the last one, that of the missing, included
	Numeric bool      // codes ascend as values do; else they have no order
	Values  []float64 // Numeric: of every code but the last, ascending
}

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
	// Logs writes logarithms of how likely every class is, but for a number that is the same for all.
	Logs(tuple []uint32, logs []float64)
}

// Classify returns the class that a tuple most likely has, the first of several. It writes Logs.
func Classify(c Classifier, tuple []uint32, logs []float64) uint32 {
	c.Logs(tuple, logs)
	return first(logs)
}

// Learners returns one of every kind: a tree, naive Bayes, logistic regression.
func Learners() []Learner { return []Learner{Tree{}, Bayes{}, Logistic{}} }

// each hands out all tuples in order. The tuple is valid until f returns.
func (d Data) each(ctx context.Context, f func(tuple []uint32, class uint32, count uint64)) error {
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

// counts are what every column says of the class by itself.
type counts struct {
	codes   [][]uint64 // by column: the records of every code, then class
	classes []uint64   // the records of every class
}

// count counts the data's records. What the counts take is drawn twice: for what is made of
// them, too.
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

// hold draws room for numbers of eight bytes from the budget of a space, if there is one.
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

// Tree learns decision trees as J48 does by default: at least two records in two branches,
// numeric tests that pay for having been chosen, pessimistic pruning.
type Tree struct{}

// Name returns "tree".
func (Tree) Name() string { return "tree" }

// Learn grows a tree and prunes it. What it holds is drawn from the budget of the data's
// space, and stays drawn as long as the tree is used.
func (Tree) Learn(ctx context.Context, d Data) (Classifier, error) {
	inducer := induce.Inducer{Classes: d.Classes, MinObjects: 2, MDL: true, Prune: true}
	inducer.Ledger = spill.NewLedger(d.Space.Budget, "a decision tree")
	for _, c := range d.Columns {
		inducer.Columns = append(inducer.Columns, induce.Column{Domain: c.Domain, Numeric: c.Numeric, Null: true})
	}
	grown, err := inducer.GrowFrom(ctx, d.Table, d.Space)
	return tree{grown}, err
}

type tree struct{ *induce.Tree }

// Logs takes the shares of a leaf's records.
func (t tree) Logs(tuple []uint32, logs []float64) {
	classes, counts := t.Predict(tuple)
	for class := range logs {
		logs[class] = math.Inf(-1)
	}
	for i, class := range classes {
		logs[class] = math.Log(float64(counts[i]))
	}
}
