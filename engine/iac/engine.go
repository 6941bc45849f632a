// Package iac is Information based Anonymization for Classification (Li, Liu, Baig and
// Wong, 2011): IACk, for a given k, and IACc, for a given change of the data.
//
// Every attribute is generalized as a whole to one level of its hierarchy, the one that
// tells most of the class for what it tells at all (normalized mutual information), k or
// no k. Then whole records are suppressed: their values of all attributes, not their
// class. IACk suppresses those in equivalence classes below k, which makes other sets'
// classes smaller, until none is left. IACc suppresses the smallest classes, size by size,
// as long as no attribute's distribution and information change by more than they may; k
// is its outcome.
//
// Levels follow from the histograms alone, so tuples are counted generalized: there are
// few, and what remains to be done takes little.
package iac

import (
	"context"
	"fmt"

	"github.com/kcut/kcut/engine"
)

// Engine is IACk, or IACc when Capped. IACc takes all sets as one, their union.
type Engine struct {
	Capped         bool
	Delta, Epsilon float64 // Capped: shares of the largest divergence and information change that are allowed
	Small          Small
	MinInfo        float64 // levels are left out that tell less of the class than this share of the best one; 0: none
	Bins           int     // of a discretized attribute's hierarchy, at most; 0: engine.DefaultBins
}

// Small says what becomes of suppressed records that are themselves too few: fewer than the
// largest k or, when none is asked for, than the k that was reached.
type Small uint8

// Drop leaves them out of the release. TopUp suppresses the next smallest equivalence
// classes, too, until there are enough. Keep releases them, as the paper does: they match
// everything, but are as few as they are.
const (
	Drop Small = iota
	TopUp
	Keep
)

var _ engine.Engine = Engine{}

// Plan asks for one table of the union of all sets, with the class if it is Capped or the kind if
// k counts entities, and for all histograms of all values.
func (e Engine) Plan(requirement engine.Requirement) engine.Plan {
	all := requirement.United()
	grouping := all.Grouping()
	grouping.Kind = grouping.Kind || e.Capped
	return engine.Plan{Groupings: []engine.Grouping{grouping}, Histograms: true, Whole: true}
}

// Merge tells apart the nodes of the best levels.
func (e Engine) Merge(table *engine.Table, _ engine.Requirement) []engine.CodeMerge {
	merges := make([]engine.CodeMerge, len(table.Attributes))
	for a := range merges {
		merges[a] = e.bestLevel(&table.Attributes[a], table.Histograms[a]).merge()
	}
	return merges
}

// Search returns a *engine.Regions: those of the generalized tuples, and one with
// everything masked if there are suppressed records. It returns an error wrapping
// engine.ErrUnreached when IACc ends with a smaller k than a set has, and one wrapping
// spill.ErrBudget when the tuples that are not suppressed do not fit into the space, or all
// of them where k counts entities. There are no steps. IACc only counts records, and neither
// looks at sensitive columns: for these it returns engine.ErrKinds.
func (e Engine) Search(ctx context.Context, table *engine.Table, requirement engine.Requirement, options engine.Options) (engine.Recoding, error) {
	if table.Kinds != nil && (e.Capped || len(table.Kinds.Sensitive) > 0) {
		return nil, fmt.Errorf("suppress equivalence classes: %w", engine.ErrKinds)
	}
	if err := requirement.CheckReach(table.Stats()); err != nil {
		return nil, err
	}
	s := newSearch(e, table, requirement, options.Space)
	regions, err := s.run(ctx)
	if err != nil {
		return nil, fmt.Errorf("suppress equivalence classes: %w", err)
	}
	return regions, nil
}
