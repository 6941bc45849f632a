// Package choose finds the algorithm that serves a table best: it lets every candidate search a part of the records, judges
// what the others become by the recoding that it finds, and lets the best one search the whole table.
//
//	Table ──deal──▶ folds ──Search of every candidate──▶ Recoding ──mask──▶ error of a tree, of queries ──▶ Verdict
//	  └─────────────────────────────────────────────────────────Search of the one that is chosen──▶ Recoding
//
// Everything works on counts of distinct tuples and their classes: on all of a table that has at most MostJudged records, else on
// a sample of the counts. K and what may be taken away shrink as much as the records do. Which records are drawn, and which
// fold each is in, depends on the tuples' codes and counts alone.
//
// Contract: the choice depends on the table, the requirement and the engine's fields alone, not on threads, budgets, stores
// or clocks; seconds are told and decide nothing. A candidate that fails is left out, unless it fails for want of memory or a
// context that has ended. The recoding is that of the candidate's own search of the table's groupings.
// Not promised: the recoding of a candidate that would have had its values counted in another way, as Plan says.
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
	Sketch     *Searcher // stands in for it while it is judged: faster, and about as good; nil: nothing does
	Trusted    bool      // is chosen unless chance can not explain that another one is better, or as good and simpler: it was the better one on other tables. No more than one is
	Suppresses bool      // takes as many records away as the requirement allows; others none
	Barred     string    // why it must not be chosen; empty: it may be
}

// Searcher is an engine, and what a search of it takes.
type Searcher struct {
	Engine engine.Engine
	Cost   float64 // nanoseconds for a distinct tuple and an attribute, about

	// Fitting returns the nanoseconds that fitting models to so many tuples, MostJudged at most, takes for an attribute; nil: it has none.
	Fitting func(tuples int) float64
}

// Objective is what candidates are judged by.
type Objective uint8

// The objectives.
const (
	Classification Objective = iota // the error of a decision tree on masked test records
	Queries                         // the error of counting queries and the certainty penalty, as shares of those of a release that tells nothing
	Balanced                        // both, the error of the tree as a share of that of the most frequent class
)

// Engine chooses among candidates.
type Engine struct {
	Candidates []Candidate // those whose cuts are simpler to use again first
	Objective  Objective
	Time       time.Duration // that all may take, as it is predicted; 0: any

	// Limited says that candidates which take no records away, too, may end with no more in groups that are too small
	// than the requirement lets be taken away.
	Limited bool

	Most      int            // records that candidates are judged by; 0: MostJudged
	Known     *Verdict       // of an earlier search of the same table: nothing is judged again; may be nil
	OnVerdict func(*Verdict) // called before the candidate that is chosen searches; may be nil
}

var _ engine.Engine = Engine{}

// Verdict is what became of the candidates.
type Verdict struct {
	Records   uint64     // that were dealt
	Estimates []Estimate // by candidate
	Chosen    int        // the candidate; −1: none is left
}

// Estimate is what is expected of a candidate's release.
type Estimate struct {
	Rounds     int      // in which it was judged: the more, the longer it was among the best
	Loss       float64  // what is judged, over these rounds: less is better
	Trusted    bool     // the candidate is trusted, and the losses are errors
	Chance     float64  // the standard error of the difference between its loss and that of the trusted candidate
	Error      *float64 // of a decision tree, as a share of the test records; nil: not looked at
	QueryError *float64 // relative, the mean over a workload; nil: not looked at
	Penalty    *float64 // the normalized certainty penalty; nil: not looked at
	Blank      bool     // it masked everything in every round
	Predicted  time.Duration
	Took       time.Duration // the judging, on one processor
	LeftOut    string        // why it was not judged, or was judged in vain
}

// ErrNone is returned when no candidate is left.
var ErrNone = fault.New(fault.Privacy, "", "no algorithm is left to choose")

// Plan asks for one table of all columns with the kinds of records, which those of all candidates can be made of. Values are
// listed as regions need them.
func (Engine) Plan(requirement engine.Requirement) engine.Plan {
	all := requirement.United()
	grouping := all.Grouping()
	grouping.Kind = true
	return engine.Plan{Groupings: []engine.Grouping{grouping}, Histograms: true, Whole: true, Pool: true, Leaves: true}
}

// Search lets the candidate search that is the best one. What it returns is the candidate's.
func (e Engine) Search(ctx context.Context, table *engine.Table, requirement engine.Requirement, options engine.Options) (engine.Recoding, error) {
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
		e.OnVerdict(v)
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

// Reject leaves the candidate out that was chosen, for it has failed or must not be released, and reports whether there
// is another one to choose.
func (v *Verdict) Reject(why error) bool {
	if v.Chosen < 0 {
		return false
	}
	v.Estimates[v.Chosen].LeftOut = why.Error()
	v.choose()
	return v.Chosen >= 0
}

// judged returns what searches for a candidate that is judged.
func (c *Candidate) judged() *Searcher {
	if c.Sketch != nil {
		return c.Sketch
	}
	return &c.Searcher
}

// of returns what a candidate has to meet.
func (c *Candidate) of(requirement engine.Requirement) engine.Requirement {
	if !c.Suppresses {
		requirement.MaxSuppressed, requirement.Drop = 0, false
	}
	return requirement
}

// regroup returns the table with the groupings that a candidate asks for. The one of all columns, if it is not
// that, is discarded.
func (e Engine) regroup(ctx context.Context, c *Candidate, table *engine.Table, requirement engine.Requirement, space partition.Space) (*engine.Table, error) {
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
