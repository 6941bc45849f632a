package bottomup

import (
	"context"
	"errors"
	"fmt"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// Engine is Bottom-Up Generalization.
type Engine struct {
	Loss Loss
	Bins int // of a discretized attribute's hierarchy, at most; 0: engine.DefaultBins

	limited limits // where not 0, instead of maxWitnesses and maxIndexed
}

// Loss says what a generalization loses.
type Loss uint8

// The losses. Paper is I(G), the impurity that the node's records gain. It does not tell
// small nodes from large ones; Size weighs it with the node's share of the records.
const (
	Paper Loss = iota
	Size
)

var _ engine.Engine = Engine{}

// Plan asks for one table without class per set that no other implies, and for all
// histograms of all values.
func (Engine) Plan(requirement engine.Requirement) engine.Plan {
	return engine.Plan{Groupings: requirement.Ordered().Groupings(), Histograms: true, Whole: true}
}

// Codes tells all codes apart: the search starts with the raw values.
func (Engine) Codes(attributes []engine.Attribute, _ []*partition.Histogram, _ int, _ engine.Requirement) []engine.CodeMerge {
	return engine.Identities(attributes)
}

// Search returns a *engine.Cut. A step's InfoGain is I(G), its AnonyLoss the anonymity
// gained, P(G), and its Score IP(G), or I(G) when nothing is gained. Only the last step
// leaves a table that meets the requirement, so there is no limit of steps.
func (e Engine) Search(ctx context.Context, table *engine.Table, requirement engine.Requirement, options engine.Options) (engine.Recoding, error) {
	if err := requirement.CheckReach(engine.Stats{Records: table.Rows}); err != nil {
		return nil, err
	}
	s := newSearch(e, table, requirement.Ordered(), options)
	if err := errors.Join(s.run(ctx), s.discard()); err != nil {
		return nil, fmt.Errorf("search generalizations: %w", err)
	}
	return s.cut(), nil
}
