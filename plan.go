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

// TablesForecast says what a run of several tables would do, and TableForecast what it would do
// with one.
type (
	TablesForecast = pipeline.TablesForecast
	TableForecast  = pipeline.TableForecast
)

// PlanTables predicts what a run of several tables would do, as Plan does for each. It also refuses
// tables that cannot be released together. If opt asks for a sample, and that has all rows of
// tables with the same pseudonyms, it counts the people of these tables as RunTables does. It
// returns a forecast with every error: the first one that a run would end with.
func PlanTables(ctx context.Context, tables *Tables, opt PlanOptions) (*TablesForecast, error) {
	return guarded(func() (*TablesForecast, error) {
		return pipeline.PlanTables(ctx, tables, opt)
	})
}

// EvaluateOptions say how jobs are evaluated.
type EvaluateOptions = evaluate.Options

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
		return evaluate.Evaluate(ctx, variants, opt)
	})
}

// ReadEvaluation reads what kcut evaluate --json has printed.
func ReadEvaluation(text []byte) (*Evaluation, error) {
	return guarded(func() (*Evaluation, error) { return evaluate.ReadReport(text) })
}
