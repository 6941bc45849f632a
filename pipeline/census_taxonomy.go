package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/jobfile"
	"github.com/kcut/kcut/spill"
)

// generalize binds every value to the leaf of its text. What is below a node that no search
// refines is one code: of millions of values, no more are held than have enough records.
func (c *census) generalize(ctx context.Context, s *surveyed, spec *jobfile.Column, taxonomy jobfile.Taxonomy, pruning engine.Pruning) (err error) {
	pruning.Hold = c.hold
	coder := &treeCoder{}
	var pairs partition.Pairs
	if taxonomy.Tree != nil {
		coder.tree, pairs, err = c.cover(ctx, spec, taxonomy, pruning)
	} else {
		coder.tree, coder.generator, pairs, err = c.growTree(ctx, spec, taxonomy, pruning)
	}
	if err != nil {
		return err
	}
	s.pairs = append(s.pairs, pairs...)
	a := &s.attribute
	a.Mask, a.Tree, a.Texts = engine.Generalize, coder.tree, coder.tree.Leaves()
	s.coder = coder
	return nil
}

// hold draws what the values that a search may tell apart take, or returns it.
func (c *census) hold(bytes int64) error {
	if bytes <= 0 {
		c.budget.Return(-bytes)
		return nil
	}
	err := c.budget.Draw("the frequent values of column "+c.column, bytes)
	if err != nil {
		return &Error{Class: ClassResources, Hint: "give more with --memory, or raise k: values with at least k records are held", Err: err}
	}
	return nil
}

// growTree grows a generated taxonomy.
func (c *census) growTree(ctx context.Context, spec *jobfile.Column, taxonomy jobfile.Taxonomy, pruning engine.Pruning) (*engine.Tree, engine.Generator, partition.Pairs, error) {
	generator, err := generatorOf(taxonomy)
	if err != nil {
		return nil, nil, nil, untreed(spec, err)
	}
	grower := engine.NewGrower(generator, pruning)
	err = c.each(ctx, func(v *counted) error { return grower.Add(string(v.value), v.classes) })
	if err != nil {
		return nil, nil, nil, err
	}
	tree, pairs, err := grower.Finish()
	if errors.Is(err, spill.ErrBudget) {
		return nil, nil, nil, err
	}
	if err != nil {
		return nil, nil, nil, untreed(spec, err)
	}
	return tree, generator, pairs, nil
}

// untreed is the error of a taxonomy that cannot be made.
func untreed(spec *jobfile.Column, err error) error {
	return &Error{Class: ClassInput, Err: fmt.Errorf("make the taxonomy of column %s: %w", spec.Name, err)}
}

// cover counts the values by the leaves of a given taxonomy. Those that it lacks stand
// under the root when the column says so.
func (c *census) cover(ctx context.Context, spec *jobfile.Column, taxonomy jobfile.Taxonomy, pruning engine.Pruning) (*engine.Tree, partition.Pairs, error) {
	tree, err := buildTree(taxonomy, nil)
	if err != nil {
		return nil, nil, untreed(spec, err)
	}
	x := &extension{tree: tree, lacking: uncovered{column: spec.Name, tree: tree}, hold: c.hold}
	if spec.Unknown == jobfile.UnknownRoot {
		x.unknown = engine.NewGrower(engine.Flat(tree.Name(0)), pruning)
	}
	if err := c.each(ctx, x.add); err != nil {
		return nil, nil, err
	}
	switch {
	case x.lacking.values == 0:
		return tree, x.pairs, nil
	case x.unknown == nil:
		return nil, nil, &x.lacking
	case x.err == nil:
		x.err = x.extend()
	}
	if x.err != nil {
		return nil, nil, x.lacking.unadmitted(x.err)
	}
	return x.tree, x.pairs, nil
}

// extension is a given taxonomy that gets the values which it lacks, under its root.
type extension struct {
	tree    *engine.Tree
	pairs   partition.Pairs // of the values that it has
	lacking uncovered
	unknown *engine.Grower // of the values that are lacking, below a root; nil: they have no place
	err     error          // of the first value that the tree does not admit
	hold    func(bytes int64) error
}

func (x *extension) add(v *counted) error {
	text := string(v.value)
	if code, ok := x.tree.Code(text); ok {
		for _, f := range v.classes {
			x.pairs = append(x.pairs, partition.Pair{Code: code, Class: f.Class, Count: f.Count})
		}
		return x.hold(int64(len(v.classes)) * engine.FrequencyBytes)
	}
	if x.unknown != nil && x.err == nil {
		x.err = x.tree.Admit(text, x.lacking.values)
	}
	x.lacking.values++
	x.lacking.records += v.records()
	if x.unknown == nil || x.err != nil {
		return nil
	}
	return x.unknown.Add(text, v.classes)
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
	x.tree, err = x.tree.WithLeaves(unknown.Leaves())
	return err
}
