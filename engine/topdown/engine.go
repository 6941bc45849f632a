package topdown

import (
	"context"
	"errors"
	"fmt"

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
	return engine.Plan{Groupings: requirement.Ordered().Groupings(), Histograms: true, Leaves: true}
}

// Codes merges the values that can never be refined with all that is below them.
func (Engine) Codes(attributes []engine.Attribute, histograms []*partition.Histogram, classes int, requirement engine.Requirement) []engine.CodeMerge {
	table := &engine.Table{Attributes: attributes, Histograms: histograms, Classes: classes}
	requirement = requirement.Ordered()
	merges := make([]engine.CodeMerge, len(attributes))
	for a := range attributes {
		merges[a] = newColumn(newProfile(table, a, requirement)).codes()
	}
	return merges
}

// Search returns a *engine.Cut.
func (Engine) Search(ctx context.Context, table *engine.Table, requirement engine.Requirement, options engine.Options) (engine.Recoding, error) {
	if err := requirement.CheckReach(engine.Stats{Records: table.Rows}); err != nil {
		return nil, err
	}
	pool := tips.NewPool(options.Space)
	s, err := newSearch(ctx, table, requirement.Ordered(), options, pool)
	if err == nil {
		err = s.run(ctx)
	}
	if err := errors.Join(err, pool.Close()); err != nil {
		return nil, fmt.Errorf("search specializations: %w", err)
	}
	return s.cut(), nil
}
