// Package topdown is Top-Down Specialization (TDS) and its successor Top-Down Refinement
// (TDR): start with every value masked as far as it goes, then repeatedly perform the
// valid and beneficial specialization with the best score, until none is left.
//
// Two facts divide the work. What a specialization gains depends on the value × class
// histogram of its own column alone: the columns here grow their candidates, gains and
// splits from it. What it costs in anonymity depends on the leaf partitions of every set
// with that column: package partition keeps these and their minima. The search connects
// the two with a heap of candidates.
//
// Before the search, values that can never be refined are merged into one code, with all
// that is below them, which makes keys short and tables small. It never changes a result.
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

// Engine searches with TDS, TDR or by information gain alone, as the options' score says.
type Engine struct{}

var _ engine.Engine = Engine{}

// Plan asks for one table per set that no other implies, and for all histograms. When records may be
// taken away, or may have no weight, it asks for one of all sets together, too, to tell in the end which, or
// whether the sets hold with them.
func (Engine) Plan(requirement engine.Requirement) engine.Plan {
	requirement = requirement.Ordered()
	plan := engine.Plan{Histograms: true, Leaves: true}
	for _, set := range requirement.Sets {
		kind := set.NeedsKinds() || set.Entities && requirement.Suppressible() > 0
		plan.Groupings = append(plan.Groupings, engine.Grouping{Columns: set.Columns, Kind: kind, Weighted: set.Entities})
	}
	if all := requirement.United(); requirement.Suppressible() > 0 || all.Entities {
		grouping := all.Grouping()
		grouping.Weightless = requirement.Suppressible() == 0
		plan.Groupings = append(plan.Groupings, grouping)
	}
	return plan
}

// Merge merges the values that can never be refined with all that is below them.
func (Engine) Merge(table *engine.Table, requirement engine.Requirement) []engine.CodeMerge {
	requirement = requirement.Ordered()
	merges := make([]engine.CodeMerge, len(table.Attributes))
	for a, p := range newProfiles(table, requirement) {
		merges[a] = newColumn(p, workers.Worker{}).codes()
	}
	return merges
}

// Search returns a *engine.Cut.
func (Engine) Search(ctx context.Context, table *engine.Table, requirement engine.Requirement, options engine.Options) (engine.Recoding, error) {
	if err := requirement.CheckReach(table.Stats()); err != nil {
		return nil, err
	}
	var s *search
	requirement, space := requirement.Ordered(), options.Space
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
		if s, err = newSearch(ctx, table, requirement, options, pool, w); err == nil {
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

// column is one column of the search: its values, masked and released, and its candidates.
// A candidate's node is the column's own number for it.
type column interface {
	// codes returns the codes that the search uses: those of the attribute that no
	// specialization can tell apart are one.
	codes() engine.CodeMerge
	// start puts the first candidates into the search.
	start(s *search)
	// refinement returns what refining a candidate does. It is valid until the view changes.
	refinement(s *search, node int) partition.Refinement
	// refine performs a candidate, in the view too, and puts those it brings into the search.
	refine(s *search, node int) partition.Refinement
	// undo undoes a candidate that was performed, of those still done the last one, in the
	// cut alone; or performs it again.
	undo(node int, is bool)
	// gain returns what refining a candidate gains now.
	gain(node int) float64
	// bounds returns what bounds the gains of a column where refining one candidate changes those of all, else nil.
	bounds() *suppressed
	// labels returns the value of a candidate and the children it is refined into.
	labels(node int) (value engine.Label, children []engine.Label)
	// cut returns the cut that was reached.
	cut() engine.ColumnCut
	// stops says why every label of that cut was not refined further, in their order.
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
