package evaluate

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/classify"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline"
	"github.com/kcut/kcut/pipeline/fault"
	"github.com/kcut/kcut/pipeline/jobfile"
	"github.com/kcut/kcut/spill"
)

// Options say what is evaluated, and how.
type Options struct {
	// Variants are jobs of one input with the same columns, one at least: they differ in
	// algorithms and their options, and in k. All have a class.
	Variants []*jobfile.Job

	Folds, Repeats int // cross-validation: at least 2 folds, at least 1 repeat

	// Split tells training from test rows instead: the former have the value in the column.
	SplitColumn, SplitValue string

	// RulesFromAll makes rules from all rows, and deals what is released: test rows, too, have
	// been seen by the search, and those that are dropped are not tested.
	RulesFromAll bool

	Sample uint64 // about so many rows are read, the same every time; 0: all

	Nominal   bool // labels of intervals are features without an order, instead of their midpoints
	RootsTell bool // a taxonomy's root and the whole range are values like any other, instead of missing
	Events    pipeline.Events
}

// maxTexts is the most values of a kept column that are a feature: with more, it is nearly
// always a name.
const maxTexts = 1000

// Evaluate reads the input once, and trains and tests classifiers in every round.
func Evaluate(ctx context.Context, o Options) (*Report, error) {
	e := &evaluation{Options: o, rounds: o.plan(), learners: classify.Learners()}
	opt := pipeline.RecordsOptions{SplitColumn: o.SplitColumn, SplitValue: o.SplitValue, MaxTexts: maxTexts, Events: o.Events}
	if o.Sample > 0 {
		opt.Take = sampler(o.Sample)
	}
	err := pipeline.WithRecords(ctx, o.Variants[0], opt, func(records *pipeline.Records) error {
		e.Records = records
		return e.run(ctx)
	})
	if err != nil {
		return nil, err
	}
	return e.report(), nil
}

// evaluation is one being carried out.
type evaluation struct {
	Options
	*pipeline.Records
	rounds   []round
	learners []classify.Learner

	raw      []measurement   // by round
	without  []measurement   // quasi-identifiers removed
	variants [][]measurement // by variant, then round
}

// measurement is what one round tells of one way to mask, or of the raw rows.
type measurement struct {
	errors  []float64 // by learner: the share of test rows that it gets wrong
	release Release
	failed  error // why there is no release
}

func (e *evaluation) run(ctx context.Context) error {
	n := len(e.rounds)
	e.raw, e.without = make([]measurement, n), make([]measurement, n)
	e.variants = make([][]measurement, len(e.Variants))
	for v := range e.variants {
		e.variants[v] = make([]measurement, n)
	}
	if rows := e.rows(); e.SplitColumn == "" && rows < uint64(e.Folds) {
		return undealt("choose fewer folds", "there are %d rows for %d folds", rows, e.Folds)
	}
	began := e.Events.Began(Stage)
	for r := range e.rounds {
		err := e.evaluate(ctx, r)
		if errors.Is(err, spill.ErrBudget) && e.Threads > 1 {
			e.Threads = 1
			err = e.evaluate(ctx, r)
		}
		if err != nil {
			return fmt.Errorf("evaluate round %d of %d: %w", r+1, n, err)
		}
		e.Events.Advanced(Stage, pipeline.Progress{Done: int64(r + 1)})
	}
	e.Events.Ended(Stage, began)
	return nil
}

// undealt is the error of rows of which some fold or side would have none.
func undealt(hint, format string, args ...any) error {
	return &fault.Error{Class: fault.Usage, Hint: hint, Err: fmt.Errorf("deal rows: "+format, args...)}
}

// rows returns the number of rows.
func (e *evaluation) rows() (rows uint64) {
	for _, n := range e.Table.Counts {
		rows += uint64(n)
	}
	return rows
}

// Stage is that of evaluating, after those of reading.
const Stage pipeline.Stage = "evaluate"

// evaluate measures everything in one round.
func (e *evaluation) evaluate(ctx context.Context, r int) error {
	before := e.Budget.Used()
	defer func() { e.Budget.Return(e.Budget.Used() - before) }()
	d, err := e.deal(e.rounds[r])
	if err != nil {
		return err
	}
	if d.training.rows == 0 || d.test.rows == 0 {
		return undealt("choose another value to split by", "%d rows are for training, %d for testing", d.training.rows, d.test.rows)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(e.Threads)
	share := (e.Budget.Limit() - e.Budget.Used()) / int64(e.Threads)
	task := func(m *measurement, measure func(*trial) (measurement, error)) {
		group.Go(func() error {
			return fault.Fence(func() (err error) {
				t := &trial{evaluation: e, parts: d, budget: e.Budget.Part(share)}
				defer func() { t.budget.Return(t.budget.Used()) }()
				*m, err = measure(t)
				return err
			})
		})
	}
	task(&e.raw[r], func(t *trial) (measurement, error) { return t.unmasked(ctx, true) })
	task(&e.without[r], func(t *trial) (measurement, error) { return t.unmasked(ctx, false) })
	for v, job := range e.Variants {
		task(&e.variants[v][r], func(t *trial) (measurement, error) { return t.variant(ctx, job) })
	}
	return group.Wait()
}

// parts are how a round deals the records.
type parts struct {
	round          round
	training, test *part
	all            *part    // when rules are made from all rows
	tested         []uint32 // of these: how many rows of every record are for testing
}

// deal deals the records. What the parts take is drawn.
func (e *evaluation) deal(r round) (*parts, error) {
	all, err := e.unpack()
	if err != nil {
		return nil, err
	}
	d := &parts{round: r, tested: e.testRows(r)}
	if d.training, d.test, err = all.deal(d.tested, e.Budget); err != nil {
		return nil, err
	}
	if e.RulesFromAll {
		d.all = all
	} else {
		e.Budget.Return(all.bytes())
	}
	return d, nil
}

// trial is one measurement being made.
type trial struct {
	*evaluation
	*parts
	budget *spill.Budget
}

// source returns the records that rules are made from.
func (t *trial) source() *part {
	if t.RulesFromAll {
		return t.all
	}
	return t.training
}

// unmasked measures the classifiers on raw rows, with their quasi-identifiers or without.
func (t *trial) unmasked(ctx context.Context, all bool) (measurement, error) {
	var features []feature
	if all {
		for a := range t.Attributes {
			features = append(features, rawFeature(&t.Attributes[a]))
		}
	}
	masked := len(features)
	learned, err := t.learn(ctx, features, t.training.first(masked), t.test.first(masked))
	return measurement{errors: learned}, err
}

// variant masks the records as a job says. That no release can be made is a measurement, too.
func (t *trial) variant(ctx context.Context, job *jobfile.Job) (measurement, error) {
	requirement := t.Requirement(job)
	recoding, err := t.search(ctx, job, requirement)
	if errors.Is(err, engine.ErrInfeasible) || errors.Is(err, engine.ErrUnreached) {
		return measurement{failed: err}, nil
	}
	if err != nil {
		return measurement{}, err
	}
	masked, err := t.mask(recoding)
	if err != nil {
		return measurement{}, err
	}
	var features []feature
	var penalties [][]float64
	for a := range t.Attributes {
		labels := labelsOf(&t.Attributes[a], recoding, a)
		labels.roots = t.RootsTell
		features = append(features, labels.feature(t.Nominal))
		penalties = append(penalties, labels.penalties())
	}
	var m measurement
	if m.release, err = measure(masked.released, masked.dropped, penalties, largestK(requirement), len(t.ClassNames), t.budget); err != nil {
		return m, err
	}
	m.errors, err = t.learn(ctx, features, masked.training, masked.test)
	return m, err
}

// search finds the recoding.
func (t *trial) search(ctx context.Context, job *jobfile.Job, requirement engine.Requirement) (engine.Recoding, error) {
	searcher, options := pipeline.SearchOf(job)
	table, err := t.source().table(t.Records, searcher.Plan(requirement), t.budget)
	if err != nil {
		return nil, err
	}
	share := t.budget.Limit() - t.budget.Used()
	for _, grouping := range table.Groupings {
		share += grouping.Bytes()
	}
	options.Space = partition.Space{Budget: t.budget, Share: share, Threads: 1}
	recoding, err := searcher.Search(ctx, table, requirement, options)
	if err != nil {
		return nil, fmt.Errorf("mask by %s: %w", job.Algorithm.Name, err)
	}
	return recoding, nil
}

// learn trains all classifiers, and returns the shares of test rows that they get wrong.
func (t *trial) learn(ctx context.Context, features []feature, training, test *part) (wrong []float64, err error) {
	for a := range t.Kept {
		features = append(features, rawFeature(&t.Kept[a]))
	}
	learn, err := assemble(features, len(t.ClassNames), training, t.budget)
	if err != nil {
		return nil, err
	}
	check, err := assemble(features, len(t.ClassNames), test, t.budget)
	if err != nil {
		return nil, err
	}
	if err := t.budget.Draw("classifiers", 2*learn.Table.Bytes()); err != nil { // the tree's copy, and its nodes
		return nil, err
	}
	for _, l := range t.learners {
		classifier, err := l.Learn(ctx, learn)
		if err != nil {
			return nil, fmt.Errorf("train the %s classifier: %w", l.Name(), err)
		}
		wrong = append(wrong, float64(classify.Errors(classifier, check))/float64(test.rows))
	}
	return wrong, nil
}

// largestK returns the largest k of the sets, at least 1.
func largestK(requirement engine.Requirement) int {
	k := 1
	for _, set := range requirement.Sets {
		k = max(k, set.K)
	}
	return k
}
