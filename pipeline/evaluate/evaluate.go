// Package evaluate measures the usefulness of releases before there is one: it masks training rows,
// masks test rows by the same rules, and counts the errors on the latter of classifiers that learn
// from the former. Without a class it only measures the costs of masking.
//
//	Records ──assign──▶ training part ──search──▶ Recoding ──▶ features ──learn──▶ classifier
//	                  test part     ───────────────┘    ──▶ features ──────────────┘ ──▶ error
//	                  training part ──queries──▶ truth ◀──compare── estimates ◀──queries── labels
//
// Errors have the names of the papers (TDS, section 5): the baseline error BE is that on raw
// values, the upper error UE that without any quasi-identifier, the anonymity error AE that on
// masked values. It works on counts of distinct records.
//
// Contract: the report depends on the input, the jobs and the options, not on threads, memory or
// spilling.
package evaluate

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"

	"github.com/kcut/kcut/engine/classify"
	"github.com/kcut/kcut/engine/judge"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/spill"
)

// Options are the options of an evaluation.
type Options struct {
	Folds, Repeats int // cross-validation: at least 2 folds, at least 1 repeat

	// SplitColumn and SplitValue replace cross-validation: rows with the value in the column are
	// training rows, the other rows are test rows.
	SplitColumn, SplitValue string

	// RulesFromAll makes masking rules from all rows, not from training rows alone, and assigns the
	// released rows: the search has seen test rows, too, and dropped rows are not tested.
	RulesFromAll bool

	// RawTest shows unmasked test rows to classifiers that have learned from masked ones (the
	// protocol of the kACTUS paper). A label that stands for several words is then shown as one of
	// them, drawn uniformly with a fixed seed, unless Nominal. It excludes RulesFromAll.
	RawTest bool

	Sample uint64 // about how many rows are read, the same rows every time; 0: all

	Nominal   bool // show intervals as values without an order, instead of their midpoints
	Uniform   bool // show intervals as numbers drawn uniformly from them, with a fixed seed
	RootsTell bool // show a taxonomy's root, the whole range and * as values, not as missing
	Events    resources.Events
}

// maxTexts is the largest number of values of a kept column that is a feature: a column with more
// is nearly always a name.
const maxTexts = 1000

// Evaluate reads the input of some jobs, and trains and tests classifiers in every round: in memory
// or, if that is not enough, with a store. At least one job is given, and all have the same input
// and the same columns: they differ in algorithms and their options, and in k. All have the same
// class, or none has one.
func Evaluate(ctx context.Context, jobs []*job.Job, o Options) (*Report, error) {
	events := o.Events
	o.Events.Notice = once(events.Noted)
	e := newEvaluation(jobs, o)
	err := e.read(ctx, false, e.run)
	if errors.Is(err, spill.ErrBudget) {
		debug.FreeOSMemory()
		err = e.read(ctx, true, e.run)
	}
	if err != nil {
		return nil, err
	}
	return e.report(), nil
}

func newEvaluation(jobs []*job.Job, o Options) *evaluation {
	e := &evaluation{Options: o, jobs: jobs, rounds: o.plan()}
	if jobs[0].Class != "" {
		e.learners = classify.Learners()
	}
	return e
}

// once returns a function that passes on every text once.
func once(report func(string)) func(string) {
	reported := map[string]bool{}
	return func(text string) {
		if !reported[text] {
			reported[text] = true
			report(text)
		}
	}
}

// evaluation is the state of an evaluation.
type evaluation struct {
	Options
	jobs     []*job.Job
	rounds   []round
	learners []classify.Learner // none without a class

	// Records are the distinct records of the input, in order, with all columns that a release has.
	// They are divided and masked many times, while the input is read once. Kept columns have kind
	// Discretize if their values are ordered, otherwise Suppress. After the other fields the counts
	// have the side of the split, if records are split, or the group of the entity, if k counts
	// entities. Without a class all records are of class 0.
	// The space has the rest of the budget, and the store with the counts and with data that do not
	// fit; nil: all data must fit.
	*judge.Records
	specs []*job.Column // the entries of the masked columns
	types []formats.Type
	// taxonomies have the trees of sensitive columns.
	taxonomies *binding.Taxonomies

	rows    uint64
	classes []uint64 // by class: number of rows
	split   uint64   // number of test rows of a split
	groups  int      // number of groups of entities; 0: rows are assigned one by one
	grouped []uint64 // by group of entities: number of rows

	measured [][]measurement // by round, as far as they are done
}

// measurement is the result of one round for one way to mask, or for the raw rows.
type measurement struct {
	scores []tested // by learner
	// raw rows: error of naming the most frequent class of the training rows for every test row
	majority float64
	costs    judge.Costs
	chosen   string // the algorithm that auto took
	failed   error  // the reason why there is no release
}

// run runs the remaining rounds.
func (e *evaluation) run(ctx context.Context) error {
	if e.SplitColumn == "" && e.rows < uint64(e.Folds) {
		return undealt("choose fewer folds", "there are %d rows for %d folds", e.rows, e.Folds)
	}
	if n := e.entities(); e.groups > 0 && n > 0 && n < uint64(e.Folds) {
		return undealt("choose fewer folds", "there are %d entities for %d folds", n, e.Folds)
	}
	n := len(e.rounds)
	_, err := e.Events.Stage(ctx, Stage, func() error {
		for r := len(e.measured); r < n; r++ {
			err := e.evaluate(ctx, r)
			space := &e.Space
			if errors.Is(err, spill.ErrBudget) && space.Store != nil && space.Threads > 1 {
				space.Threads = 1
				err = e.evaluate(ctx, r)
			}
			if err != nil {
				return fmt.Errorf("evaluate round %d of %d: %w", r+1, n, err)
			}
		}
		return nil
	})
	return err
}

// undealt returns the error when some fold or side would have no rows.
func undealt(hint, format string, args ...any) error {
	return &fault.Error{
		Class: fault.Usage,
		Hint:  hint,
		Err:   fmt.Errorf("assign rows: "+format, args...),
	}
}

// Stage is the stage of evaluating, after those of reading.
const Stage resources.Stage = "evaluate"

// The numbers of the measurements of a round.
const (
	raw      = iota // raw rows
	without         // without quasi-identifiers
	variants        // masked rows, from this number on
)

// evaluate measures everything in one round.
func (e *evaluation) evaluate(ctx context.Context, r int) error {
	budget := e.Space.Budget
	before := budget.Used()
	defer func() { budget.Return(budget.Used() - before) }()
	f, err := e.assign(ctx, e.rounds[r])
	if err != nil {
		return err
	}
	measured := make([]measurement, variants+len(e.jobs))
	n := int64(len(measured))
	var done atomic.Int64 // of this round
	measure := func(i int, space partition.Space) (err error) {
		t := e.trial(f, measured, space)
		switch i {
		case raw:
			err = errors.Join(t.Unmasked(ctx, true), t.findMajority(ctx))
		case without:
			err = t.Unmasked(ctx, false)
		default:
			err = t.variant(ctx, e.jobs[i-variants])
		}
		measured[i] = t.measurement
		if err == nil {
			e.Events.Advanced(Stage, resources.Progress{Done: int64(r)*n + done.Add(1),
				Total: int64(len(e.rounds)) * n, Unit: "measurements"})
		}
		return err
	}
	alone, auto := e.order()
	for _, some := range [][]int{alone, auto} {
		err := judge.Trials(len(some), e.Space, func(n int, space partition.Space) error {
			return measure(some[n], space)
		})
		if err != nil {
			return err
		}
	}
	e.measured = append(e.measured, measured)
	return nil
}

// order returns the numbers of the measurements of a round, those of algorithm auto apart: they
// come last, since the algorithm that it chooses is mostly measured alone, too.
func (e *evaluation) order() (alone, auto []int) {
	alone = append(alone, raw, without)
	for i, v := range e.jobs {
		if v.Algorithm.Name == job.AlgorithmAuto {
			auto = append(auto, variants+i)
		} else {
			alone = append(alone, variants+i)
		}
	}
	return alone, auto
}

// assign assigns the records. The memory of their counts stays drawn.
func (e *evaluation) assign(ctx context.Context, r round) (*judge.Fold, error) {
	tested := e.assigner(r).tested
	f := &judge.Fold{
		Records: e.Records, Training: e.part(r, false), Test: e.part(r, true),
		TrainedOn: e.rows - tested, TestedOn: tested, RulesFromAll: e.RulesFromAll,
	}
	if f.TrainedOn == 0 || f.TestedOn == 0 {
		return nil, undealt("choose another value to split by",
			"%d rows are for training, %d for testing", f.TrainedOn, f.TestedOn)
	}
	return f, f.Prepare(ctx, true, e.Space.Budget)
}

// count counts the rows of the classes, of the second side of a split, and of groups of entities.
func (e *evaluation) count(ctx context.Context) error {
	e.classes, e.rows, e.split = make([]uint64, max(1, len(e.ClassNames))), 0, 0
	e.grouped = make([]uint64, e.groups)
	kind := e.kind()
	return e.Counts.Each(ctx, e.Space, func(key []uint64, n uint64) {
		e.rows += n
		e.classes[e.Kinds.ClassOf(kind.Code(key))] += n
		switch {
		case e.SplitColumn != "":
			e.split += n * e.last(key)
		case e.groups > 0:
			e.grouped[e.last(key)] += n
		}
	})
}

// entities returns the number of entities, if k counts them and it is known; otherwise 0.
func (e *evaluation) entities() uint64 {
	if e.Kinds == nil {
		return 0
	}
	return e.Kinds.Counted
}

// kind returns the field of the kind, which is the class if there are no kinds.
func (e *evaluation) kind() partition.Field {
	return e.Counts.Layout.Fields[len(e.Attributes)+len(e.Kept)]
}

// last returns the side of a split for a record, or the group of its entity.
func (e *evaluation) last(key []uint64) uint64 {
	fields := e.Counts.Layout.Fields
	return uint64(fields[len(fields)-1].Code(key))
}
