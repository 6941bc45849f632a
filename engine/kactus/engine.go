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

// Leftover says what becomes of the last records when they are fewer than k.
type Leftover uint8

// The ways to treat leftovers.
const (
	Drop    Leftover = iota // they are not released
	Recruit                 // groups with more than k records complete them, if they have enough
)

// Engine is kACTUS. MaxSteps of the search's options is not looked at, nor is the score.
type Engine struct {
	Seed       uint64 // draws the records that are moved
	MinObjects int    // of the decision tree: records that two branches of a test must have; 0: k
	Prune      bool   // whether the decision tree is pruned
	Leftover   Leftover
}

var _ engine.Engine = Engine{}

// Plan asks for one table of all columns, with the class.
func (e Engine) Plan(requirement engine.Requirement) engine.Plan {
	return engine.Plan{Groupings: []engine.Grouping{{Columns: requirement.United().Columns, Class: true}}, Whole: true}
}

// Codes tells all codes apart.
func (Engine) Codes(attributes []engine.Attribute, _ []*partition.Histogram, _ int, _ engine.Requirement) []engine.CodeMerge {
	return engine.Identities(attributes)
}

// Search returns a *engine.Regions. Every attribute must be in a set.
func (e Engine) Search(ctx context.Context, table *engine.Table, requirement engine.Requirement, options engine.Options) (engine.Recoding, error) {
	set, err := requirement.UnitedOver(table)
	if err != nil {
		return nil, fmt.Errorf("suppress along a tree: %w", err)
	}
	grown := spill.NewLedger(options.Space.Budget, "a decision tree")
	defer grown.Close()
	s := newSearch(e, table, set, options.Space.Budget)
	defer s.ledger.Close()
	tree, err := s.run(ctx, table, e.inducer(table, s.k, grown), options.Space)
	if err != nil {
		return nil, fmt.Errorf("suppress along a tree: %w", err)
	}
	tree.Forget()
	return s.regions(tree), nil
}

// inducer returns what grows the tree: the first phase (section 4.2.1).
func (e Engine) inducer(table *engine.Table, k uint64, ledger *spill.Ledger) induce.Inducer {
	i := induce.Inducer{Classes: table.Classes, MinObjects: k, MDL: true, Ledger: ledger}
	if e.MinObjects > 0 {
		i.MinObjects = uint64(e.MinObjects)
	}
	for a := range table.Attributes {
		i.Columns = append(i.Columns, induce.ColumnOf(&table.Attributes[a]))
	}
	return i
}

// run grows the tree and suppresses along it: at once, or when it is pruned.
func (s *search) run(ctx context.Context, table *engine.Table, i induce.Inducer, space partition.Space) (tree *induce.Tree, err error) {
	records := table.Groupings[0]
	if s.Prune {
		i.Prune = true
		if tree, err = i.GrowFrom(ctx, records, space); err != nil {
			return nil, err
		}
	}
	cells, err := cells.New(records, i.Classes, space)
	if err != nil {
		return nil, err
	}
	s.keys.Fields = cells.Layout().Fields
	if s.Prune {
		err = tree.Walk(ctx, cells, s)
	} else {
		tree, err = i.Grow(ctx, cells, s)
	}
	return tree, errors.Join(err, cells.Close())
}
