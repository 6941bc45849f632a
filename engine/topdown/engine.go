package topdown

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/partition/tips"
)

// Engine searches with TDS, TDR or by information gain alone, as the options' score says.
type Engine struct{}

var _ engine.Engine = Engine{}

// Plan asks for one table without class per set that no other implies, and for all
// histograms.
func (Engine) Plan(requirement engine.Requirement) engine.Plan {
	plan := engine.Plan{Histograms: true}
	for _, set := range reduce(requirement).Sets {
		plan.Groupings = append(plan.Groupings, engine.Grouping{Columns: set.Columns})
	}
	return plan
}

// Codes merges the values that can never be refined with all that is below them.
func (Engine) Codes(attributes []engine.Attribute, histograms []*partition.Histogram, classes int, requirement engine.Requirement) []engine.Coarsening {
	table := &engine.Table{Attributes: attributes, Histograms: histograms, Classes: classes}
	requirement = reduce(requirement)
	coarsenings := make([]engine.Coarsening, len(attributes))
	for a := range attributes {
		coarsenings[a] = newColumn(newProfile(table, a, requirement), 1).codes()
	}
	return coarsenings
}

// Search returns a *engine.Cut.
func (Engine) Search(ctx context.Context, table *engine.Table, requirement engine.Requirement, options engine.Options) (engine.Recoding, error) {
	for i, set := range requirement.Sets {
		if table.Rows < uint64(max(set.K, 0)) {
			return nil, fmt.Errorf("search quasi-identifier set %d: %w", i+1, engine.ErrInfeasible)
		}
	}
	pool := tips.NewPool(options.Space)
	s, err := newSearch(ctx, table, reduce(requirement), options, pool)
	if err == nil {
		err = s.run(ctx)
	}
	if err := errors.Join(err, pool.Close()); err != nil {
		return nil, fmt.Errorf("search specializations: %w", err)
	}
	return s.cut(), nil
}

// reduce drops the implied sets and sorts the columns of the others.
func reduce(requirement engine.Requirement) engine.Requirement {
	kept, _ := requirement.Reduce()
	for i := range kept.Sets {
		kept.Sets[i].Columns = slices.Sorted(slices.Values(kept.Sets[i].Columns))
	}
	return kept
}
