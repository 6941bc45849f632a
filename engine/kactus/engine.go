// Package kactus is kACTUS, k-anonymity by multidimensional suppression along a decision tree
// (Kisilevich, Rokach, Elovici and Shapira, TKDE 2010).
//
//	records ──engine/induce──▶ tree of tests ──from the leaves up──▶ groups ──▶ engine.Regions
//
// The engine grows a tree that predicts the class. From its leaves up, the children of a node with
// k records or more become groups, which are released with the labels that follow from the tests on
// the path to them; the records of its other children are left at the node itself. If these are
// fewer than k, and the groups have enough records to spare, then some of the groups' records are
// moved to the node, so that it has k. At the root, k records or more are released with only the
// widest labels, and fewer are dropped, or completed with records that the groups can spare.
//
// Where the paper's figure 5 is open or contradicts its text, the engine decides:
//   - When k records or more are left at a node by themselves, its groups keep all of theirs.
//   - When no record is left at a node, none is moved there.
//   - A tested attribute is released as the value, or the interval that the tests leave of it, not
//     as a mean, which would be untrue; an attribute without a test as its widest label.
//   - Nulls are a branch of their own.
//
// Keys select the records that move. They depend only on the seed, the node of the tree that
// contains the records, and the record: in every group those with the smallest keys move, and never
// one of its last k. A record that has moved is in a node of exactly k, and stays there. Among
// equal records, those that come first in the input stay in their group.
//
// Where there are kinds of records, no record leaves its group: masking distinguishes records of a
// cell only by their order, not by their kinds. So the records of children that do not hold are
// left at the node, however few they are, and those left at the root are joined with whole groups,
// the smallest first, until they hold; but fewer than k are dropped, unless the engine is to
// recruit.
//
// Several quasi-identifier sets are reduced to one: the union of their columns with the largest k.
// Without a class there is no test, and everything is suppressed.
package kactus

import (
	"context"
	"errors"
	"fmt"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/induce"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/partition/cells"
	"github.com/kcut/kcut/spill"
)

// Engine is kACTUS. It ignores MaxSteps and Score of the search's options.
type Engine struct {
	Seed uint64 // seed of the keys that select records to move
	// of the decision tree: number of records that two branches of a test must have; 0: k
	MinObjects int
	Prune      bool // the decision tree is pruned
	// Recruit completes the last records, if they are fewer than k, with records of groups that
	// have more than k, if there are enough. Otherwise these last records are not released.
	Recruit bool
}

var _ engine.Engine = Engine{}

// Plan asks for one table of all columns, with the class or kind.
func (e Engine) Plan(requirement engine.Requirement) engine.Plan {
	return engine.Plan{Groupings: []engine.Grouping{{
		Columns: requirement.United().Columns,
		Kind:    true,
	}}, Whole: true}
}

// Search returns a *engine.Regions. Every attribute must be in a set.
func (e Engine) Search(ctx context.Context, table *engine.Table, requirement engine.Requirement,
	options engine.Options) (engine.Recoding, error) {
	set, err := requirement.UnitedOver(table)
	if err != nil {
		return nil, fmt.Errorf("suppress along a tree: %w", err)
	}
	grown := spill.NewAccount(options.Space.Budget, "a decision tree")
	defer grown.Close()
	s := newSearch(e, table, set, options.Space.Budget)
	defer s.account.Close()
	tree, err := s.run(ctx, table, e.inducer(table, s.k, grown), options.Space)
	if err != nil {
		return nil, fmt.Errorf("suppress along a tree: %w", err)
	}
	tree.Forget()
	return s.regions(tree), nil
}

// inducer returns the inducer that grows the tree: the first phase (section 4.2.1).
func (e Engine) inducer(table *engine.Table, k uint64, account *spill.Account) induce.Inducer {
	i := induce.Inducer{
		Classes:    table.Classes,
		Kinds:      table.Kinds,
		MinObjects: k,
		Account:    account,
	}
	if e.MinObjects > 0 {
		i.MinObjects = uint64(e.MinObjects)
	}
	for a := range table.Attributes {
		i.Columns = append(i.Columns, induce.ColumnOf(&table.Attributes[a]))
	}
	return i
}

// run grows the tree and suppresses along it: while it grows, or after it is pruned.
func (s *search) run(ctx context.Context, table *engine.Table, i induce.Inducer,
	space partition.Space) (tree *induce.Tree, err error) {
	records := table.Groupings[0]
	if s.Prune {
		i.Prune = true
		if tree, err = i.GrowFrom(ctx, records, space); err != nil {
			return nil, errors.Join(err, records.Discard(space))
		}
	}
	cells, err := cells.New(records, i.Last(), space)
	if err != nil {
		return nil, err
	}
	s.keys.Fields = cells.Layout().Fields
	visitor := induce.Visitor(s)
	if table.Kinds != nil {
		visitor = s.byKind(table.Kinds)
	}
	if s.Prune {
		err = tree.Walk(ctx, cells, visitor)
	} else {
		tree, err = i.Grow(ctx, cells, visitor)
	}
	return tree, errors.Join(err, cells.Close())
}
