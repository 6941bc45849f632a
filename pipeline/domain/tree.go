package domain

import (
	"cmp"
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

// BindTree assigns every value to the leaf with its text: it returns the column's taxonomy, and the
// records of its leaves, in provisional classes. Everything below a node that no search refines is
// one code: of millions of values, memory holds only as many as have enough records.
func BindTree(spec *job.Column, taxonomy job.Taxonomy, pruning engine.Pruning, budget *spill.Budget,
	each Walk) (*engine.Tree, partition.Pairs, error) {
	pruning.Hold = func(bytes int64) error {
		if bytes <= 0 {
			budget.Return(-bytes)
			return nil
		}
		if err := budget.Draw("the frequent values of column "+spec.Name, bytes); err != nil {
			return spill.Instead(err, "raise k: values with at least k records are held")
		}
		return nil
	}
	if taxonomy.Tree != nil {
		tree, pairs, err := coverTree(spec, taxonomy, pruning, each)
		if err == nil && pruning.Level > 0 {
			var codes []uint32
			tree, codes = tree.Within(pruning.Level)
			pairs = pairs.Translate(codes, nil)
		}
		return tree, pairs, err
	}
	generator, err := job.GeneratorOf(taxonomy)
	if err != nil {
		return nil, nil, Untreed(spec, err)
	}
	grower := engine.NewGrower(generator, pruning)
	grower.Rooted = spec.Unknown == job.UnknownRoot
	if err := each(func(v *Counted) error {
		return grower.Add(string(v.Value), v.Classes)
	}); err != nil {
		return nil, nil, err
	}
	tree, pairs, err := grower.Finish()
	if err != nil && !errors.Is(err, spill.ErrBudget) {
		err = Untreed(spec, err)
	}
	return tree, pairs, err
}

// coverTree counts the values by the leaves of a given taxonomy. Unknown values go under the root
// if the column allows it.
func coverTree(spec *job.Column, taxonomy job.Taxonomy, pruning engine.Pruning,
	each Walk) (*engine.Tree, partition.Pairs, error) {
	tree, err := engine.NewTree(job.TreeOf(taxonomy.Tree))
	if err != nil {
		return nil, nil, Untreed(spec, err)
	}
	var pairs partition.Pairs  // of the values that it has
	var unknown *engine.Grower // of unknown values, below a root; nil: they are not allowed
	var refused error          // of the first value that the tree does not admit
	if spec.Unknown == job.UnknownRoot {
		unknown = engine.NewGrower(engine.Flat(tree.Name(0)), pruning)
	}
	lacking := &Uncovered{column: spec.Name, Tree: tree}
	err = each(func(v *Counted) error {
		text := string(v.Value)
		if code, ok := tree.Code(text); ok {
			for _, f := range v.Classes {
				pairs = append(pairs, partition.Pair{Code: code, Class: f.Class, Count: f.Count})
			}
			return pruning.Held(int64(len(v.Classes)) * engine.FrequencyBytes)
		}
		lacking.values++
		lacking.records += v.Records()
		if err := tree.Admit(text, lacking.values-1); err != nil {
			refused = cmp.Or(refused, err)
			lacking.Refused++
			lacking.refusedRecords += v.Records()
		}
		if unknown == nil || refused != nil {
			return nil
		}
		return unknown.Add(text, v.Classes)
	})
	switch {
	case err != nil:
		return nil, nil, err
	case lacking.values == 0:
		return tree, pairs, nil
	case unknown == nil:
		return nil, nil, lacking
	case refused == nil:
		tree, pairs, refused = extend(tree, pairs, unknown)
	}
	if refused != nil {
		return nil, nil, Unadmitted(spec.Name, lacking.Refused, lacking.refusedRecords, refused)
	}
	return tree, pairs, nil
}

// extend puts unknown values under the root, or prunes the whole tree: then one of them is too rare
// for the root to be refined.
func extend(tree *engine.Tree, pairs partition.Pairs, grower *engine.Grower) (*engine.Tree,
	partition.Pairs, error) {
	unknown, added, err := grower.Finish()
	if err != nil {
		return nil, nil, err
	}
	if unknown.IsPruned(0) {
		for i := range pairs {
			pairs[i].Code = 0
		}
		tree, err = engine.NewTree(engine.Node{
			Name:   tree.Name(0),
			Values: tree.Values(0) + unknown.Values(0),
		})
		return tree, append(pairs, added...).Merge(), err
	}
	for _, pair := range added {
		pair.Code += uint32(len(tree.Leaves()))
		pairs = append(pairs, pair)
	}
	return tree, pairs, tree.AddLeaves(unknown.Leaves())
}

// Uncovered is the error of values that a taxonomy does not have. The run adds the place of the
// first one.
type Uncovered struct {
	column  string
	Tree    *engine.Tree
	values  int
	records uint64
	// number of values that the tree does not admit: they have the name of a node above others, or
	// the root is a leaf
	Refused int
	First   string // "file F, row N", once it was found

	refusedRecords uint64
}

func (u *Uncovered) Error() string {
	out := fmt.Sprintf("mask column %s: its taxonomy lacks %s of %s", u.column,
		text.Count(u.values, "distinct value"), text.Count(u.records, "row"))
	if u.First != "" {
		out += ", first in " + u.First
	}
	if u.Refused > 0 {
		out += fmt.Sprintf("; a node above others has the name of %s of %s",
			text.Count(u.Refused, "value"), text.Count(u.refusedRecords, "row"))
	}
	return out
}

// Unadmitted is the error of unknown values that cannot be under the root.
func Unadmitted(column string, values int, records uint64, err error) error {
	return fault.Errorf(fault.Input, HintRefused, "add %s of column %s under the root of its "+
		"taxonomy (%s): %w",
		text.Count(values, "unknown value"), column, text.Count(records, "row"), err)
}

// HintRefused is the hint for values that cannot be leaves of a taxonomy.
const HintRefused = "rename the node that has the name of a value, or give the root children if " +
	"it has none; or replace these values in the source"

// Marked is the error of a column whose values include the mark of suppressed values.
func Marked(column string, records uint64) error {
	return &fault.Error{
		Class: fault.Input,
		Hint:  "replace that value in the source, or give the column another mask",
		Err: fmt.Errorf("mask column %s: it holds the mark of a suppressed value itself (%s)",
			column, text.Count(records, "row")),
	}
}

// Untreed is the error of a taxonomy that cannot be made.
func Untreed(spec *job.Column, err error) error {
	hint := "mend what taxonomies says of it, or give the column another mask, as suppress"
	switch {
	case errors.Is(err, engine.ErrUnmapped):
		hint = "set unknown: root for the column, and they are below the root, or replace them " +
			"in the source"
	case errors.Is(err, engine.ErrRoot):
		hint = "replace them in the source, or give the column a tree with another root, or " +
			"another mask"
	}
	return fault.Errorf(fault.Input, hint, "make the taxonomy of column %s: %w", spec.Name, err)
}
