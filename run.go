package kcut

import (
	"context"
	"io"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline"
	"github.com/kcut/kcut/pipeline/algorithm"
	"github.com/kcut/kcut/pipeline/evaluate"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/output"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/search"
)

// RunOptions say how to run a job. The zero value starts afresh, and replaces nothing.
type RunOptions = pipeline.RunOptions

// Report says what a run did. It is not for release: it may reveal more than the released file.
type Report = pipeline.Report

// The parts of a Report.
type (
	Outcome        = search.Outcome
	ColumnReport   = pipeline.ColumnReport
	ReleasedColumn = pipeline.ReleasedColumn
	StoppedColumn  = search.StoppedColumn
	MaskedColumn   = search.MaskedColumn
	NullCount      = search.NullCount
	StageTime      = pipeline.StageTime
	Digests        = pipeline.Digests
	ErrorReport    = pipeline.ErrorReport
	Choice         = algorithm.Choice // the choice of algorithm auto
	Judged         = algorithm.Judged // a search that auto might have chosen
)

// Run carries out a job and publishes its release. If it returns an error it has published nothing.
func Run(ctx context.Context, job *Job, opt RunOptions) (*Report, error) {
	return resolved(job, func(job *Job) (*Report, error) {
		return pipeline.Run(ctx, job, opt)
	})
}

// TablesReport says what a run of several tables did, and TableReport what it did with one.
type (
	TablesReport = pipeline.TablesReport
	TableReport  = pipeline.TableReport
)

// RunTables carries out the jobs of several tables. It publishes their releases together, after the
// last one is verified and the people of tables with the same pseudonyms are counted. If it returns
// an error before it publishes, it has published nothing; otherwise the error names the tables that
// it has published, and the same call publishes the rest. Trace, OnlyCoarsen and Runner must be
// zero, and nothing calls Failed.
func RunTables(ctx context.Context, tables *Tables, opt RunOptions) (*TablesReport, error) {
	return guarded(func() (*TablesReport, error) {
		return pipeline.RunTables(ctx, tables, opt)
	})
}

// ApplyOptions say which cut to apply to the input of a job, and how.
type ApplyOptions = pipeline.ApplyOptions

// OnBreak says what Apply does if the cut does not hold for the input.
type OnBreak = search.OnBreak

// The values of OnBreak.
const (
	BreakFail = search.BreakFail // publish nothing if a set does not hold
	// BreakRefuse publishes nothing if a set does not hold, if more than half of the rows of a
	// column are outside the cut, or if all rows of a column get one label.
	BreakRefuse  = search.BreakRefuse
	BreakCoarsen = search.BreakCoarsen // undo the fewest steps of the cut until every set holds
	// BreakSuppress releases the records of classes that are too small with a mark in every masked
	// column.
	BreakSuppress = search.BreakSuppress
)

// Quota is a number of records, or a share of them.
type Quota = pipeline.Quota

// Apply masks the input of a job with the cut of an earlier release. It publishes the result if
// every set of the job holds, or if the action of OnBreak makes them hold. It searches no cut, and
// ignores the algorithm of the job. If it returns an error it has published nothing.
func Apply(ctx context.Context, job *Job, opt ApplyOptions) (*Report, error) {
	return resolved(job, func(job *Job) (*Report, error) {
		return pipeline.Apply(ctx, job, opt)
	})
}

// TraceStep is a step of the search in a trace, and TraceLabel a label in it.
type (
	TraceStep  = search.TraceStep
	TraceLabel = search.TraceLabel
)

// ReadTrace reads the trace that a run wrote to RunOptions.Trace.
func ReadTrace(r io.Reader) ([]TraceStep, error) {
	return guarded(func() ([]TraceStep, error) { return search.ReadTrace(r) })
}

// ReadReport reads the report that a run wrote to RunOptions.RunJSON.
func ReadReport(text []byte) (*Report, error) {
	return guarded(func() (*Report, error) { return pipeline.ReadReport(text) })
}

// ReadReports reads the reports that a run of one table or several wrote to RunOptions.RunJSON, in
// the order of the tables.
func ReadReports(text []byte) ([]*Report, error) {
	return guarded(func() ([]*Report, error) { return pipeline.ReadReports(text) })
}

// Events has functions that receive the progress of a call. Every function may be nil. Several
// goroutines may call Progress at a time, one goroutine calls the others.
type Events = resources.Events

// Stage names a part of what a function does.
type Stage = resources.Stage

// The stages, in order.
const (
	StagePlan     = resources.StagePlan
	StageCompress = resources.StageCompress
	StageSearch   = resources.StageSearch
	StageMask     = resources.StageMask
	StageVerify   = resources.StageVerify
	StagePublish  = resources.StagePublish
	StageEvaluate = evaluate.Stage       // of Evaluate, after StageCompress
	StageCheck    = resources.StageCheck // the only one of Check
)

// Progress counts the work that a stage has done, and all of its work: rows, steps of the search,
// or what its unit says.
type Progress = resources.Progress

// Usage is the amount of resources in use at one moment, in bytes.
type Usage = resources.Usage

// Place is a file or a directory that a program reads or writes in addition to a release, and its
// name in messages, such as trace or report. A Place without a path is absent.
type Place = fileset.Place

// CheckPlaces refuses files to write if one would replace another, a file in read, or a file that
// the job reads or makes, or if the next run of the job would read one as input. The job may be
// nil. The error is of ErrUsage: somebody mistyped a path.
func CheckPlaces(job *Job, written []Place, read ...Place) error {
	if job == nil {
		return fault.Advised(fileset.CheckApart(written, read...))
	}
	return fault.Advised(output.CheckSideFiles(job, written, read...))
}

// CheckFolder refuses the path of a file to write if its folder does not exist (ErrUsage), before
// any work is done for the file.
func CheckFolder(what, path string) error { return fault.Advised(fileset.CheckFolder(what, path)) }

// CheckFile refuses the path of a file that cannot be written: its folder does not exist, the path
// is a directory (ErrUsage), or the file exists and overwrite is false (ErrExists).
func CheckFile(what, path string, overwrite bool) error {
	return fault.Advised(fileset.CheckFile(what, path, overwrite))
}
