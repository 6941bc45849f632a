// Package iac is Information based Anonymization for Classification (Li, Liu, Baig and Wong, 2011):
// IACk, for a given k, and IACc, for a given change of the data.
//
// Every attribute is generalized as a whole to one level of its hierarchy, independent of k: the
// level with the most information about the class relative to its own (normalized mutual
// information). Then whole records are suppressed: their values of all attributes, but not their
// class. IACk suppresses records in equivalence classes below k, which makes classes of other sets
// smaller, until no such class is left. IACc suppresses the smallest classes, size by size, as long
// as no attribute's distribution and information change by more than the limits; its k is a result.
//
// Levels follow from the histograms alone, so that tuples are counted in generalized form: there
// are few, and the rest of the search is fast.
package iac

import (
	"context"
	"fmt"

	"github.com/kcut/kcut/engine"
)

// Engine is IACk, or IACc when Capped. IACc replaces all sets by their union.
type Engine struct {
	Capped bool
	// Capped: largest changes of divergence and information, as shares of the largest possible ones
	Delta, Epsilon float64
	// TopUp suppresses further equivalence classes, the smallest first, while the suppressed
	// records are too few: fewer than the largest k or, when no k is asked for, than the k that was
	// reached. Without it, suppressed records that are too few are left out of the release.
	TopUp bool
	// largest number of bins of a discretized attribute's hierarchy; 0: engine.DefaultBins
	Bins int
}

var _ engine.Engine = Engine{}

// Plan asks for one table of the union of all sets, with the class if it is Capped or the kind if k
// counts entities, and for histograms of all values.
func (e Engine) Plan(requirement engine.Requirement) engine.Plan {
	all := requirement.United()
	grouping := all.Grouping()
	grouping.Kind = grouping.Kind || e.Capped
	return engine.Plan{Groupings: []engine.Grouping{grouping}, Histograms: true, Whole: true}
}

// Merge distinguishes the nodes of the best levels.
func (e Engine) Merge(table *engine.Table, _ engine.Requirement) []engine.CodeMerge {
	merges := make([]engine.CodeMerge, len(table.Attributes))
	for a := range merges {
		merges[a] = e.bestLevel(&table.Attributes[a], table.Histograms[a]).merge()
	}
	return merges
}

// Search returns a *engine.Regions: the generalized tuples, and one region with everything masked
// if there are suppressed records. It returns an error that wraps engine.ErrUnreached when IACc
// ends with a smaller k than a set has, and one that wraps spill.ErrBudget when the tuples that are
// not suppressed do not fit in the space, or all tuples where k counts entities. It reports no
// steps. IACc only counts records, and neither algorithm uses sensitive columns: for these it
// returns engine.ErrKinds.
func (e Engine) Search(ctx context.Context, table *engine.Table, requirement engine.Requirement,
	options engine.Options) (engine.Recoding, error) {
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
