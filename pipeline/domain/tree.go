package domain

import (
	"errors"
	"fmt"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// Walk calls f with every value of a column, in the bytewise order of their texts.
type Walk func(f func(*Counted) error) error

// BindTree binds every value to the leaf of its text: it returns the column's taxonomy, and the
// records of its leaves, in provisional classes. What is below a node that no search refines is one
// code: of millions of values, no more are held than have enough records.
func BindTree(spec *job.Column, taxonomy job.Taxonomy, pruning engine.Pruning, budget *spill.Budget, each Walk) (*engine.Tree, partition.Pairs, error) {
	pruning.Hold = func(bytes int64) error {
		if bytes <= 0 {
			budget.Return(-bytes)
			return nil
		}
		if err := budget.Draw("the frequent values of column "+spec.Name, bytes); err != nil {
			return &fault.Error{Class: fault.Resources, Hint: "give more with --memory, or raise k: values with at least k records are held", Err: err}
		}
		return nil
	}
	if taxonomy.Tree != nil {
		return coverTree(spec, taxonomy, pruning, each)
	}
	generator, err := job.GeneratorOf(taxonomy)
	if err != nil {
		return nil, nil, Untreed(spec, err)
	}
	grower := engine.NewGrower(generator, pruning)
	if err := each(func(v *Counted) error { return grower.Add(string(v.Value), v.Classes) }); err != nil {
		return nil, nil, err
	}
	tree, pairs, err := grower.Finish()
	if err != nil && !errors.Is(err, spill.ErrBudget) {
		err = Untreed(spec, err)
	}
	return tree, pairs, err
}

// coverTree counts the values by the leaves of a given taxonomy. Those that it lacks stand
// under the root when the column says so.
func coverTree(spec *job.Column, taxonomy job.Taxonomy, pruning engine.Pruning, each Walk) (*engine.Tree, partition.Pairs, error) {
	tree, err := engine.NewTree(job.TreeOf(taxonomy.Tree))
	if err != nil {
		return nil, nil, Untreed(spec, err)
	}
	x := &extension{tree: tree, lacking: Uncovered{column: spec.Name, Tree: tree}, pruning: pruning}
	if spec.Unknown == job.UnknownRoot {
		x.unknown = engine.NewGrower(engine.Flat(tree.Name(0)), pruning)
	}
	if err := each(x.add); err != nil {
		return nil, nil, err
	}
	switch {
	case x.lacking.values == 0:
		return x.tree, x.pairs, nil
	case x.unknown == nil:
		return nil, nil, &x.lacking
	case x.err == nil:
		x.err = x.extend()
	}
	if x.err != nil {
		x.err = Unadmitted(spec.Name, x.lacking.values, x.err)
	}
	return x.tree, x.pairs, x.err
}

// extension is a given taxonomy that gets the values which it lacks, under its root.
type extension struct {
	tree    *engine.Tree
	pairs   partition.Pairs // of the values that it has
	lacking Uncovered
	unknown *engine.Grower // of the values that are lacking, below a root; nil: they have no place
	err     error          // of the first value that the tree does not admit
	pruning engine.Pruning
}

func (x *extension) add(v *Counted) error {
	text := string(v.Value)
	if code, ok := x.tree.Code(text); ok {
		for _, f := range v.Classes {
			x.pairs = append(x.pairs, partition.Pair{Code: code, Class: f.Class, Count: f.Count})
		}
		return x.pruning.Held(int64(len(v.Classes)) * engine.FrequencyBytes)
	}
	if x.unknown != nil && x.err == nil {
		x.err = x.tree.Admit(text, x.lacking.values)
	}
	x.lacking.values++
	x.lacking.records += v.Records()
	if x.unknown == nil || x.err != nil {
		return nil
	}
	return x.unknown.Add(text, v.Classes)
}

// extend puts the values under the root, or prunes all: then one of them is too rare for
// the root to be refined.
func (x *extension) extend() error {
	unknown, pairs, err := x.unknown.Finish()
	if err != nil {
		return err
	}
	if unknown.IsPruned(0) {
		for _, pair := range x.pairs {
			pair.Code = 0
			pairs = append(pairs, pair)
		}
		x.pairs = pairs.Merge()
		x.tree, err = engine.NewTree(engine.Node{Name: x.tree.Name(0), Values: x.tree.Values(0) + unknown.Values(0)})
		return err
	}
	for i := range pairs {
		pairs[i].Code += uint32(len(x.tree.Leaves()))
	}
	x.pairs = append(x.pairs, pairs...)
	return x.tree.AddLeaves(unknown.Leaves())
}

// Uncovered is the error of values that a taxonomy lacks. The run adds where the first one is.
type Uncovered struct {
	column  string
	Tree    *engine.Tree
	values  int
	records uint64
	First   string // "file F, row N", once it was looked for
}

func (u *Uncovered) Error() string {
	text := fmt.Sprintf("mask column %s: its taxonomy lacks %s of %s", u.column, text.Count(u.values, "distinct value"), text.Count(u.records, "row"))
	if u.First != "" {
		text += ", first in " + u.First
	}
	return text
}

// Unadmitted is the error of unknown values that cannot stand under the root.
func Unadmitted(column string, values int, err error) error {
	return &fault.Error{Class: fault.Input, Err: fmt.Errorf("add %s of column %s under the root of its taxonomy: %w", text.Count(values, "unknown value"), column, err)}
}

// Marked is the error of a column that holds the mark of suppressed values itself.
func Marked(column string, records uint64) error {
	return &fault.Error{
		Class: fault.Input,
		Hint:  "replace that value in the source, or give the column another mask",
		Err:   fmt.Errorf("mask column %s: it holds the mark of a suppressed value itself (%s)", column, text.Count(records, "row")),
	}
}

// Untreed is the error of a taxonomy that cannot be made.
func Untreed(spec *job.Column, err error) error {
	return &fault.Error{Class: fault.Input, Err: fmt.Errorf("make the taxonomy of column %s: %w", spec.Name, err)}
}
