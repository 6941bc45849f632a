// Package topdown is Top-Down Specialization (TDS) and its successor Top-Down Refinement (TDR): a
// search starts with every value masked completely, then repeatedly performs the valid and
// beneficial specialization with the best score, until none is left.
//
// Two facts divide the work. The gain of a specialization depends only on the value × class
// histogram of its own column: from it the columns here compute their candidates, gains and splits.
// Its cost in anonymity depends on the leaf partitions of every set with that column: package
// partition keeps these and their minima. The search connects the two with a heap of candidates.
//
// Before the search, each value that can never be refined is merged into one code with all values
// below it, which makes keys short and tables small. This never changes a result.
package topdown

import (
	"context"
	"errors"
	"fmt"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/partition/tips"
)

// Engine searches with the score of TDS or of TDR, or with the information gain alone, as the
// options say.
type Engine struct{}

var _ engine.Engine = Engine{}

// Plan asks for one table for each set that no other set implies, and for all histograms. When
// records may be suppressed or dropped, or may have no weight, it also asks for one table of all
// sets together. From it the search finds those records in the end, or checks that the sets hold
// with records without weight.
func (Engine) Plan(requirement engine.Requirement) engine.Plan {
	requirement = requirement.Ordered()
	plan := engine.Plan{Histograms: true, Leaves: true}
	for _, set := range requirement.Sets {
		kind := set.NeedsKinds() || set.Entities && requirement.Suppressible() > 0
		plan.Groupings = append(plan.Groupings,
			engine.Grouping{Columns: set.Columns, Kind: kind, Weighted: set.Entities})
	}
	if all := requirement.United(); requirement.Suppressible() > 0 || all.Entities {
		grouping := all.Grouping()
		grouping.Weightless = requirement.Suppressible() == 0
		plan.Groupings = append(plan.Groupings, grouping)
	}
	for _, set := range requirement.Sets {
		if set.Population.Asked() {
			plan.Groupings = append(plan.Groupings,
				engine.Grouping{Columns: set.Columns, People: true})
		}
	}
	return plan
}

// Merge merges each value that can never be refined with all values below it.
func (Engine) Merge(table *engine.Table, requirement engine.Requirement) []engine.CodeMerge {
	requirement = requirement.Ordered()
	merges := make([]engine.CodeMerge, len(table.Attributes))
	for a, p := range newProfiles(table, requirement) {
		merges[a] = newColumn(p, workers.Worker{}).codes()
	}
	return merges
}

// Search returns a *engine.Cut.
func (Engine) Search(ctx context.Context, table *engine.Table, requirement engine.Requirement,
	options engine.Options) (engine.Recoding, error) {
	if err := requirement.CheckReach(table.Stats()); err != nil {
		return nil, err
	}
	var s *search
	requirement, space := requirement.Ordered(), options.Space
	people := takePeopled(table, requirement)
	sets := len(requirement.Sets)
	if len(table.Groupings) > sets && !isUndoable(table, requirement) {
		err := table.Groupings[sets].Discard(space)
		if table.Groupings = table.Groupings[:sets]; err != nil {
			return nil, err
		}
	}
	if len(table.Groupings) > sets {
		space.Share -= table.Groupings[sets].Bytes()
	}
	err := workers.Each(1, space.Threads, func(w workers.Worker, _ int) (err error) {
		pool := tips.NewPool(space, w)
		if s, err = newSearch(ctx, table, people, requirement, options, pool, w); err == nil {
			err = s.run(ctx)
		}
		return errors.Join(err, pool.Close())
	})
	var cut *engine.Cut
	switch {
	case err != nil && s != nil && s.undoable:
		err = errors.Join(err, table.Groupings[len(s.asked)].Discard(space))
	case err != nil:
	case !s.undoable:
		cut = s.cut()
	default:
		cut, err = s.suppress(ctx, table)
	}
	if err != nil {
		return nil, fmt.Errorf("search specializations: %w", err)
	}
	return cut, nil
}

// column is one column of the search: its values, masked and released, and its candidates. A node
// is the column's own number for a candidate.
type column interface {
	// codes returns the codes that the search uses: codes that no specialization can separate are
	// one code.
	codes() engine.CodeMerge
	// start adds the first candidates to the search.
	start(s *search)
	// refinement returns the effect of refining a candidate. It is valid until the view changes.
	refinement(s *search, node int) partition.Refinement
	// refine performs a candidate, also in the view, and adds the new candidates to the search.
	refine(s *search, node int) partition.Refinement
	// undo undoes, only in the cut, the last candidate performed that is not undone yet; or it
	// performs a candidate again.
	undo(node int, is bool)
	// gain returns the present gain of refining a candidate.
	gain(node int) float64
	// bounds returns the bounds of a column's gains, if refining one candidate changes the gains of
	// all, else nil.
	bounds() *suppressed
	// labels returns the value of a candidate and its children.
	labels(node int) (value engine.Label, children []engine.Label)
	// cut returns the present cut.
	cut() engine.ColumnCut
	// stops returns, in the order of the cut's labels, the reasons why they were not refined
	// further.
	stops(s *search) []engine.Stop
}

func newColumn(p profile, worker workers.Worker) column {
	switch p.attribute.Mask {
	case engine.Suppress:
		return newSuppressed(p)
	case engine.Discretize:
		return newRefined(p, &intervals{p, p.attribute.Even()}, worker)
	default:
		return newRefined(p, &taxonomy{p}, worker)
	}
}
