package kcut

import (
	"context"

	"github.com/kcut/kcut/pipeline"
	"github.com/kcut/kcut/pipeline/evaluate"
	"github.com/kcut/kcut/pipeline/forecast"
)

// PlanOptions say how a job is planned.
type PlanOptions struct {
	Overwrite bool // plan a run that replaces the output if it exists
	Sample    bool // read some of the rows, too
}

// Forecast is what a run of a job would do and take, and its parts.
type (
	Forecast         = forecast.Forecast
	ForecastSet      = forecast.Set
	ForecastColumn   = forecast.Column
	ForecastChoice   = forecast.Candidate // what algorithm auto may choose
	ForecastGrouping = forecast.Grouping  // columns whose values are counted together
	Range            = forecast.Range     // what a number is expected to lie in, both ends included
	Room             = forecast.Room      // what a folder's file system has free
	Verdict          = forecast.Verdict   // whether something will be
)

// The verdicts.
const (
	No    = forecast.No
	Maybe = forecast.Maybe
	Yes   = forecast.Yes
)

// Plan tells what a run of a job would do and take. It reads schemas and statistics, and when
// asked to some of the rows, and writes nothing. The error is that which a run would end with
// as far as it can be known; beside an error there is a forecast when the output exists or a k
// cannot be met, else none.
func Plan(ctx context.Context, job *Job, opt PlanOptions) (*Forecast, error) {
	return resolved(job, func(job *Job) (*Forecast, error) { return pipeline.Plan(ctx, job, pipeline.PlanOptions(opt)) })
}

// EvaluateOptions say how jobs are evaluated.
type EvaluateOptions struct {
	Folds, Repeats int // cross-validation: at least 2 folds, at least 1 repeat

	// Split tells training from test rows instead: the former have the value in the column.
	SplitColumn, SplitValue string

	RulesFromAll bool // make masking rules from all rows, not from those to train on alone
	RawTest      bool // test on rows that are not masked; does not go with RulesFromAll

	Sample uint64 // about so many rows are read, the same every time; 0: all

	Nominal   bool // show intervals as values without an order, instead of by their midpoints
	Uniform   bool // show intervals as numbers drawn uniformly from them, the same ones every time
	RootsTell bool // show a taxonomy's root and the whole range as values, instead of as missing
	Events    Events
}

// Evaluation is how useful releases would be, and its parts.
type (
	Evaluation       = evaluate.Report
	EvaluationResult = evaluate.Result  // of one job
	Score            = evaluate.Score   // a mean over rounds, and their standard deviation
	Quality          = evaluate.Quality // of a classifier, beside its error
	Costs            = evaluate.Costs   // of masking, in the field's metrics
)

// Evaluate masks training rows as jobs say, masks test rows by the same rules, and counts how
// often classifiers that learn the class from the former are wrong about the latter, and counting
// queries about what they ask for. The jobs have one input, the same columns and the same class, or none: then
// nothing is learned. They differ in algorithms and in k. It writes nothing but what it spills.
func Evaluate(ctx context.Context, jobs []*Job, opt EvaluateOptions) (*Evaluation, error) {
	return guarded(func() (*Evaluation, error) {
		variants := make([]*Job, len(jobs))
		for i, job := range jobs {
			var err error
			if variants[i], err = resolve(job); err != nil {
				return nil, err
			}
		}
		return evaluate.Evaluate(ctx, evaluate.Options{
			Variants: variants, Folds: opt.Folds, Repeats: opt.Repeats, SplitColumn: opt.SplitColumn, SplitValue: opt.SplitValue,
			RulesFromAll: opt.RulesFromAll, RawTest: opt.RawTest, Sample: opt.Sample,
			Nominal: opt.Nominal, Uniform: opt.Uniform, RootsTell: opt.RootsTell, Events: opt.Events.below(),
		})
	})
}

// ReadEvaluation reads what kcut evaluate --json has printed.
func ReadEvaluation(text []byte) (*Evaluation, error) {
	return guarded(func() (*Evaluation, error) { return evaluate.ReadReport(text) })
}
