package kcut

import (
	"context"

	"github.com/kcut/kcut/pipeline"
	"github.com/kcut/kcut/pipeline/evaluate"
	"github.com/kcut/kcut/pipeline/forecast"
)

// PlanOptions say how a job is planned.
type PlanOptions = pipeline.PlanOptions

// Forecast says what a run of a job would do and take. The other types are its parts.
type (
	Forecast         = forecast.Forecast
	ForecastSet      = forecast.Set
	ForecastColumn   = forecast.Column
	ForecastChoice   = forecast.Candidate // a search that algorithm auto may choose
	ForecastGrouping = forecast.Grouping  // columns whose values are counted together
	Range            = forecast.Range     // the range of a predicted number, both ends included
	Room             = forecast.Room      // the free bytes of a folder's file system
	Verdict          = forecast.Verdict   // whether something will happen
)

// The verdicts.
const (
	No    = forecast.No
	Maybe = forecast.Maybe
	Yes   = forecast.Yes
)

// Plan predicts what a run of a job would do and take. It reads schemas and statistics, and some of
// the rows if opt asks for that, and writes nothing. It returns the error that a run would end with
// as far as that is known. If the output exists or a k cannot be met, it returns a forecast and an
// error; with other errors it returns no forecast.
func Plan(ctx context.Context, job *Job, opt PlanOptions) (*Forecast, error) {
	return resolved(job, func(job *Job) (*Forecast, error) {
		return pipeline.Plan(ctx, job, opt)
	})
}

// EvaluateOptions say how jobs are evaluated.
type EvaluateOptions struct {
	Folds, Repeats int // cross-validation: at least 2 folds, at least 1 repeat

	// SplitColumn and SplitValue replace cross-validation: rows with the value in the column are
	// training rows, the other rows are test rows.
	SplitColumn, SplitValue string

	RulesFromAll bool // make masking rules from all rows, not from training rows alone
	RawTest      bool // test on rows that are not masked; excludes RulesFromAll

	Sample uint64 // about how many rows are read, the same rows every time; 0: all

	Nominal   bool // show intervals as values without an order, instead of their midpoints
	Uniform   bool // show intervals as numbers drawn uniformly from them, with a fixed seed
	RootsTell bool // show a taxonomy's root and the whole range as values, not as missing
	Events    Events
}

// Evaluation says how useful releases would be. The other types are its parts.
type (
	Evaluation       = evaluate.Report
	EvaluationResult = evaluate.Result  // the result of one job
	Score            = evaluate.Score   // mean and standard deviation over rounds
	Quality          = evaluate.Quality // measures of a classifier other than its error
	Costs            = evaluate.Costs   // the costs of masking, in the metrics of the literature
)

// Evaluate masks training rows as jobs say, and test rows by the same rules. It counts how often
// classifiers that learn the class from the training rows are wrong about the test rows, and how
// far off the answers of counting queries are. The jobs have the same input, the same columns and
// the same class; without a class no classifier learns. The jobs differ in algorithms and in k.
// Evaluate writes nothing but spilled data.
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
			Variants: variants, Folds: opt.Folds, Repeats: opt.Repeats,
			SplitColumn: opt.SplitColumn, SplitValue: opt.SplitValue,
			RulesFromAll: opt.RulesFromAll, RawTest: opt.RawTest, Sample: opt.Sample,
			Nominal: opt.Nominal, Uniform: opt.Uniform, RootsTell: opt.RootsTell,
			Events: opt.Events,
		})
	})
}

// ReadEvaluation reads what kcut evaluate --json has printed.
func ReadEvaluation(text []byte) (*Evaluation, error) {
	return guarded(func() (*Evaluation, error) { return evaluate.ReadReport(text) })
}
