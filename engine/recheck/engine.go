package recheck

import (
	"context"
	"errors"
	"fmt"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// OnBreak is what to do when a set has classes with too few records.
type OnBreak uint8

// The ways out.
const (
	Fail     OnBreak = iota // return a *Broken
	Coarsen                 // undo the fewest steps of the cut
	Suppress                // release the records of these classes with marks alone
)

// Engine finds no cut: it takes the one that the table's domains are. Each leaf of a tree,
// each interval and each value of a domain is a released value; the rest of a suppressed
// attribute is its mark.
type Engine struct {
	OnBreak       OnBreak
	MaxSuppressed uint64 // records that Suppress may take
}

var _ engine.Engine = Engine{}

// Plan asks for the classes of every set, or of all sets together when records are to be
// suppressed: then it matters which classes of several sets a record is in.
func (e Engine) Plan(requirement engine.Requirement) engine.Plan {
	kept, _ := requirement.Reduce()
	groupings := kept.Groupings()
	if e.OnBreak == Suppress {
		all := kept.United()
		groupings = []engine.Grouping{all.Grouping()}
	}
	return engine.Plan{Groupings: groupings, Histograms: true, Whole: true}
}

// Codes tells all codes apart.
func (Engine) Codes(attributes []engine.Attribute, _ []*partition.Histogram, _ int, _ engine.Requirement) []engine.CodeMerge {
	return engine.Identities(attributes)
}

// Search returns the cut, a coarser *engine.Cut, or an *engine.RecordSuppression. It returns a
// *Broken when a set has classes below its K and nothing may be done about them.
// OnStep is told every step that is rolled back: Value is what Children became, InfoGain what
// that lost, in bits a record.
func (e Engine) Search(ctx context.Context, table *engine.Table, requirement engine.Requirement, options engine.Options) (engine.Recoding, error) {
	kept, _ := requirement.Reduce()
	c := &classes{table: table, sets: kept.Sets, space: options.Space}
	for a := range table.Attributes {
		c.rollbacks = append(c.rollbacks, newRollback(&table.Attributes[a], table.Histograms[a].Sizes()))
	}
	recoding, err := e.search(ctx, c, options)
	for _, grouping := range table.Groupings {
		err = errors.Join(err, grouping.Discard(options.Space))
	}
	if err != nil {
		return nil, fmt.Errorf("hold the cut against the table: %w", err)
	}
	return recoding, nil
}

func (e Engine) search(ctx context.Context, c *classes, options engine.Options) (engine.Recoding, error) {
	cut := c.cut(c.none())
	if e.OnBreak == Suppress {
		return c.suppress(ctx, cut, e.MaxSuppressed)
	}
	broken, err := c.hold(ctx, cut)
	switch {
	case err != nil:
		return nil, err
	case len(broken.Breaches) == 0:
		return cut, nil
	case e.OnBreak == Fail:
		return nil, broken
	}
	found, err := c.coarsen(ctx)
	if err != nil {
		return nil, err
	}
	return c.report(ctx, found, options.OnStep)
}
