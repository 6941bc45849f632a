// Package choose finds the algorithm that serves a table best: every candidate searches a part of
// the records, the other records judge the recoding that it finds, and the best candidate searches
// the whole table.
//
//	Table ──deal──▶ folds ──Search of every candidate──▶ Recoding ──mask──▶ loss of trees,
//	  │                                                                     of queries ──▶ Verdict
//	  └──────────────────Search of the chosen candidate──▶ Recoding
//
// It works on counts of distinct tuples with their classes: on the whole table if that has at most
// MostJudged records, else on a sample of the counts. K and the number of records that may be taken
// away shrink in proportion where much less than the table is searched. The sample and the folds
// depend only on the tuples' codes and counts.
//
// Contract: the choice depends only on the table, the requirement and the engine's fields, not on
// threads, budgets, stores or clocks; seconds are reported and decide nothing. A candidate that
// fails is left out, unless memory is exhausted or the context has ended. The recoding is that of
// the candidate's own search of the table's groupings. Limits: a candidate whose own Plan asks for
// other values may find another recoding when it is run alone.
package choose

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/judge"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// Candidate is an algorithm that may be chosen.
type Candidate struct {
	Name string
	Searcher
	// replaces the candidate while it is judged: faster, and about as good; nil: it is judged
	// itself
	Sketch *Searcher
	// It was the best one on most tables: it is chosen unless chance can not explain that another
	// one is better, or as good and simpler. At most one candidate is trusted.
	Trusted bool
	// takes away as many records as the requirement allows; others take none away
	Suppresses bool
	Barred     string // reason why it must not be chosen; empty: it may be
}

// Searcher is an engine with the cost of its search.
type Searcher struct {
	Engine engine.Engine
	Cost   float64 // approximate nanoseconds for a code of a distinct tuple

	// Guiding returns the further nanoseconds of a search by models; nil: it fits none.
	Guiding func(Size) float64
}

// Objective is the measure by which candidates are judged.
type Objective uint8

// The objectives.
const (
	// Classification is the logarithmic loss of boosted trees on masked test records.
	Classification Objective = iota
	// Queries is the error of counting queries and the certainty penalty, as shares of those of a
	// release with everything masked.
	Queries
	// Balanced is both, the loss as a share of that of the classes' shares.
	Balanced
)

// Engine chooses among candidates.
type Engine struct {
	// in order of preference: first those whose cuts are simpler to apply again
	Candidates []Candidate
	Objective  Objective
	Time       time.Duration // predicted time that all may take; 0: any

	// Limited makes candidates that take no records away fail, too, if more records are left in
	// groups that are too small than the requirement lets be taken away.
	Limited bool

	// largest number of records by which candidates are judged; 0: MostJudged
	Most int
	// verdict of an earlier search of the same table: nothing is judged again; may be nil
	Known *Verdict
	// called before the chosen candidate searches; an error ends the search; may be nil
	OnVerdict func(*Verdict) error
}

var _ engine.Engine = Engine{}

// Verdict is the result of judging the candidates.
type Verdict struct {
	Records   uint64     // number of records that were dealt; 0: nothing was judged
	Estimates []Estimate // by candidate
	Chosen    int        // the candidate; −1: none is left

	deviations [][]float64 // by candidate and candidate: standard errors of differences of losses
}

// Estimate is the expected quality of a candidate's release.
type Estimate struct {
	// number of rounds in which it was judged: more rounds mean that it was longer among the best
	Rounds     int
	Loss       float64  // the value of the objective over these rounds; less is better
	Trusted    bool     // the candidate is trusted, and the losses are those of classification
	Error      *float64 // of boosted trees, as a share of the test records; nil: not measured
	QueryError *float64 // relative, the mean over a workload; nil: not measured
	Penalty    *float64 // the normalized certainty penalty; nil: not measured
	Blank      bool     // it masked everything in every round, or was not judged
	Predicted  time.Duration
	Took       time.Duration // time for judging it on one processor
	LeftOut    string        // reason why it was not judged, or cannot be chosen
}

// ErrNone is returned when no candidate is left.
var ErrNone = fault.New(fault.Privacy, "", "no algorithm is left to choose")

// Plan asks for one table of all columns with the kinds of records, from which the tables of all
// candidates can be made. Values are listed as regions need them.
func (Engine) Plan(requirement engine.Requirement) engine.Plan {
	all := requirement.United()
	grouping := all.Grouping()
	grouping.Kind = true
	return engine.Plan{
		Groupings:  []engine.Grouping{grouping},
		Histograms: true,
		Whole:      true,
		Pool:       true,
		Leaves:     true,
	}
}

// Search lets the best candidate search, and returns its recoding.
func (e Engine) Search(ctx context.Context, table *engine.Table, requirement engine.Requirement,
	options engine.Options) (engine.Recoding, error) {
	if options.Space.Budget == nil {
		options.Space.Budget, options.Space.Share = spill.NewBudget(math.MaxInt64), math.MaxInt64
	}
	v, err := e.Known, error(nil)
	if v == nil {
		if v, err = e.judge(ctx, table, requirement, options); err != nil {
			return nil, fmt.Errorf("choose an algorithm: %w", err)
		}
	}
	if e.OnVerdict != nil {
		if err := e.OnVerdict(v); err != nil {
			return nil, err
		}
	}
	if v.Chosen < 0 {
		return nil, ErrNone
	}
	c := &e.Candidates[v.Chosen]
	whole, err := e.regroup(ctx, c, table, requirement, options.Space)
	if err != nil {
		return nil, fmt.Errorf("count tuples as algorithm %s needs them: %w", c.Name, err)
	}
	return judge.Search(ctx, c.Engine, whole, c.of(requirement), options)
}

// Reject leaves out the chosen candidate, because it has failed or must not be released, and
// reports whether another one is chosen.
func (v *Verdict) Reject(why error) bool {
	if v.Chosen < 0 {
		return false
	}
	v.Estimates[v.Chosen].LeftOut = why.Error()
	v.choose()
	return v.Chosen >= 0
}

// judged returns the searcher that represents the candidate while it is judged.
func (c *Candidate) judged() *Searcher {
	if c.Sketch != nil {
		return c.Sketch
	}
	return &c.Searcher
}

// of returns the requirement that a candidate has to meet.
func (c *Candidate) of(requirement engine.Requirement) engine.Requirement {
	if !c.Suppresses {
		requirement.MaxSuppressed, requirement.Drop = 0, false
	}
	return requirement
}

// regroup returns the table with the groupings that a candidate asks for. It discards the grouping
// of all columns unless the candidate uses it.
func (e Engine) regroup(ctx context.Context, c *Candidate, table *engine.Table,
	requirement engine.Requirement, space partition.Space) (*engine.Table, error) {
	requirement = c.of(requirement)
	plan, all := c.Engine.Plan(requirement), requirement.United()
	_, merges := c.Engine.(engine.Merger)
	if len(plan.Groupings) == 1 && !merges {
		one := plan.Groupings[0]
		if len(one.Columns) == len(all.Columns) && (one.Kind || !judge.HasKinds(table)) {
			return table, nil
		}
	}
	whole := *table
	whole.Groupings = nil
	counted := judge.Records{Table: table, Counts: table.Groupings[0], Space: space}
	err := judge.Group(ctx, c.Engine, &whole, requirement, space, counted.Part(judge.All), nil)
	return &whole, errors.Join(err, table.Groupings[0].Discard(space))
}
