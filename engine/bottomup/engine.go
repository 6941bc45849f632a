// Package bottomup is Bottom-Up Generalization (Wang, Yu and Chakraborty, 2004): a search starts
// with the raw values, then repeatedly replaces all children of a node by the node. It chooses the
// node that loses the least information for the anonymity gained, until every quasi-identifier set
// is k-anonymous.
//
// The loss of a generalization depends only on the value × class histogram of its own attribute,
// and never changes: it is computed once. Its gain depends on the smallest equivalence classes, the
// anonymity vids. By the paper's Theorem 1 a generalization is critical, which means that it raises
// A(QID), only if it merges every anonymity vid with another, and at most one generalization of an
// attribute does.
//
// The paper finds these with an index of all vids (TEA, section 5), whose segments every step
// merges. Here a few anonymity vids are kept as witnesses. Two witnesses that no single
// generalization affects, or one that a generalization merges with nothing, show that it is not
// critical, for as long as no step touches them. Vids are counted again, under the current cut,
// only when no witness is left, or when the witnesses leave a generalization, at most one for each
// attribute, to be examined. On real data that is seldom, so that large tables are read a few times
// instead of being merged in every step; the index was never faster. The tests compare every step
// with a naive search by the definitions.
package bottomup

import (
	"context"
	"errors"
	"fmt"

	"github.com/kcut/kcut/engine"
)

// Engine is Bottom-Up Generalization.
type Engine struct {
	// Weighted multiplies the loss of a generalization by the node's share of the records. The
	// paper's loss, I(G), is the impurity that the node's records gain, however few they are.
	Weighted bool
	// largest number of bins in a discretized attribute's hierarchy; 0: engine.DefaultBins
	Bins int

	witnesses int // replaces maxWitnesses, unless 0
}

var _ engine.Engine = Engine{}

// Plan asks for one table without class for each set that no other set implies, and for histograms
// of all values.
func (Engine) Plan(requirement engine.Requirement) engine.Plan {
	return engine.Plan{Groupings: requirement.Ordered().Groupings(), Histograms: true, Whole: true}
}

// Search returns a *engine.Cut. A step's InfoGain is I(G), its AnonyLoss the anonymity gained,
// P(G), and its Score IP(G), or I(G) when no anonymity is gained. Only the last step leaves a table
// that meets the requirement, so there is no limit of steps. It only counts records: with kinds it
// returns engine.ErrKinds.
func (e Engine) Search(ctx context.Context, table *engine.Table, requirement engine.Requirement,
	options engine.Options) (engine.Recoding, error) {
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
