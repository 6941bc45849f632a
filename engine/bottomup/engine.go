// Package bottomup is Bottom-Up Generalization (Wang, Yu and Chakraborty, 2004): start with
// the raw values, then repeatedly replace all children of a node by the node, the one that
// loses the least information for the anonymity it brings, until every quasi-identifier
// set is k-anonymous.
//
// What a generalization loses depends on the value × class histogram of its own attribute
// alone, and never changes: it is computed once. What it brings depends on the smallest
// equivalence classes, the anonymity vids. By the paper's Theorem 1 a generalization is
// critical, which is to raise A(QID), only if it merges every anonymity vid with another, and
// at most one of an attribute does.
//
// The paper finds these by an index of all vids (TEA, section 5), whose segments every step
// merges. Here a few anonymity vids are kept as witnesses. Two that no one generalization has in
// common, or one that it merges with nothing, show that it is not critical, for as long as no
// step touches them. Vids are counted anew, under the cut of that moment, only when no witness is
// left, or when they leave a generalization, at most one an attribute, to be examined. On real
// data that is seldom, so that large tables are read a few times instead of being merged in every
// step; the index was never faster. A naive search holds every step to the definitions.
package bottomup

import (
	"context"
	"errors"
	"fmt"

	"github.com/kcut/kcut/engine"
)

// Engine is Bottom-Up Generalization.
type Engine struct {
	Loss Loss
	Bins int // of a discretized attribute's hierarchy, at most; 0: engine.DefaultBins

	witnesses int // where not 0, instead of maxWitnesses
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

// Search returns a *engine.Cut. A step's InfoGain is I(G), its AnonyLoss the anonymity
// gained, P(G), and its Score IP(G), or I(G) when nothing is gained. Only the last step
// leaves a table that meets the requirement, so there is no limit of steps. It only counts records: with kinds it returns engine.ErrKinds.
func (e Engine) Search(ctx context.Context, table *engine.Table, requirement engine.Requirement, options engine.Options) (engine.Recoding, error) {
	if table.Kinds != nil {
		return nil, fmt.Errorf("search generalizations: %w", engine.ErrKinds)
	}
	if err := requirement.CheckReach(engine.Stats{Size: table.Rows}); err != nil {
		return nil, err
	}
	s := newSearch(e, table, requirement.Ordered(), options)
	if err := errors.Join(s.run(ctx), s.discard()); err != nil {
		return nil, fmt.Errorf("search generalizations: %w", err)
	}
	return s.cut(), nil
}
