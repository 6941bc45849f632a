package kcut

import (
	"context"
	"io"
	"time"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline"
	"github.com/kcut/kcut/pipeline/algorithm"
	"github.com/kcut/kcut/pipeline/evaluate"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/output"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/search"
	"github.com/kcut/kcut/pipeline/verify"
)

// RunOptions say how a job is run. The zero value starts afresh, and replaces nothing.
type RunOptions struct {
	Overwrite bool // replace an existing output
	// Resume goes on from what an earlier run of the same job and input has left: its release,
	// if that stands, or the cut that it has kept.
	Resume bool
	// Checkpoint is how long a run must have worked when it has found its cut to keep that for
	// another try; 0: it keeps none.
	Checkpoint time.Duration
	// OnlyCoarsen names an earlier release, or a file with its cut: the search goes below no
	// node of it. Empty: no bounds.
	OnlyCoarsen string
	Trace       io.Writer // one JSON line per step of the search, not for release; nil: none
	RunJSON     string    // file that receives the report, before publishing; empty: none
	Events      Events

	// Runner has other processes mask the rows; nil: this process does. The release has the same bytes. Shared is
	// a folder, or a place in an object store, that all of them see; empty: beside the output.
	Runner Runner
	Shared string
}

func (o *RunOptions) below() pipeline.RunOptions {
	return pipeline.RunOptions{
		Overwrite: o.Overwrite, Resume: o.Resume, Checkpoint: o.Checkpoint, OnlyCoarsen: o.OnlyCoarsen,
		Trace: o.Trace, RunJSON: o.RunJSON, Events: o.Events.below(), Runner: o.Runner, Shared: o.Shared,
	}
}

// Report says what a run did. It is not for release: it may tell more than the released file.
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
	Choice         = algorithm.Choice // of algorithm auto
	Judged         = algorithm.Judged // one that it might have chosen
)

// Run carries out a job and publishes its release. On an error nothing is published.
func Run(ctx context.Context, job *Job, opt RunOptions) (*Report, error) {
	return resolved(job, func(job *Job) (*Report, error) { return pipeline.Run(ctx, job, opt.below()) })
}

// ApplyOptions say which cut is applied to a job's input, and how.
type ApplyOptions struct {
	RunOptions
	Cut           string // a release, or a file with its cut
	OnBreak       OnBreak
	MaxSuppressed Quota // with BreakSuppress, the most records that may be released with marks alone
}

// OnBreak says what Apply does when the cut does not hold for the input.
type OnBreak = search.OnBreak

// The ways out.
const (
	BreakFail     = search.BreakFail     // publish nothing
	BreakRefuse   = search.BreakRefuse   // nor where more than half of a column's rows are outside the cut, or get one label
	BreakCoarsen  = search.BreakCoarsen  // undo the fewest steps of the cut until every set holds
	BreakSuppress = search.BreakSuppress // release the records that are too few with a mark in every masked column
)

// Quota is a number of records, or a share of them.
type Quota = pipeline.Quota

// Apply masks a job's input with the cut of an earlier release and publishes that, if every set
// of the job holds, or can be made to as the options say. It searches nothing: of the job's
// algorithm nothing matters. On an error nothing is published.
func Apply(ctx context.Context, job *Job, opt ApplyOptions) (*Report, error) {
	return resolved(job, func(job *Job) (*Report, error) {
		return pipeline.Apply(ctx, job, pipeline.ApplyOptions{
			RunOptions: opt.RunOptions.below(), Cut: opt.Cut, OnBreak: opt.OnBreak, MaxSuppressed: opt.MaxSuppressed,
		})
	})
}

// TraceStep is a step of the search as a trace has it, and TraceLabel a label in it.
type (
	TraceStep  = search.TraceStep
	TraceLabel = search.TraceLabel
)

// ReadTrace reads what a run has written to RunOptions.Trace.
func ReadTrace(r io.Reader) ([]TraceStep, error) {
	return guarded(func() ([]TraceStep, error) { return search.ReadTrace(r) })
}

// ReadReport reads what a run has written to RunOptions.RunJSON.
func ReadReport(text []byte) (*Report, error) {
	return guarded(func() (*Report, error) { return pipeline.ReadReport(text) })
}

// Events is told what a function does. Every callback may be nil. Progress may be called from
// several goroutines at a time, the others from one.
type Events struct {
	Start    func(Stage)
	Progress func(Stage, Progress)
	End      func(Stage, time.Duration)
	// Notice is a fact the user should know of: a dropped redundant set, nulls, quantile
	// split points.
	Notice func(text string)
	// Meter is given, before the first stage, a function that tells what is taken of the machine
	// at the moment it is called. It may be called from any goroutine, also afterwards.
	Meter func(func() Usage)
	// Failed is given the report of a run that failed: how far it came, and why no further.
	Failed func(*Report)
}

// below is e as the packages below know it.
func (e Events) below() pipeline.Events { return pipeline.Events(e) }

// verifying tells of the one stage that a recount is.
func (e Events) verifying() verify.Watch {
	events := e.below()
	return events.Verifying()
}

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
	StageEvaluate = evaluate.Stage       // of Evaluate, instead of those after StageCompress
	StageCheck    = resources.StageCheck // the only one of Check
)

// Progress counts what a stage has done of what it has to do: rows, or steps of the search.
type Progress = resources.Progress

// Usage is what is taken of the machine at one moment, in bytes.
type Usage = resources.Usage

// Place is a file or a directory that a program reads or writes beside a release, and what it is
// called in messages: a trace, a report. One without a path is nowhere.
type Place = fileset.Place

// CheckPlaces refuses files to write of which one would replace another, or something that is
// read besides or, of a job that is not nil, that it reads or makes; or that the job's next run
// would read as input. It is an error of ErrUsage: whoever names such a file has mistyped.
func CheckPlaces(job *Job, written []Place, read ...Place) error {
	if job == nil {
		return fault.Advised(fileset.CheckApart(written, read...))
	}
	return fault.Advised(output.CheckBeside(job, written, read...))
}

// CheckFolder refuses the path of a file to write whose folder is not there (ErrUsage), before
// any work is done for it.
func CheckFolder(what, path string) error { return fault.Advised(fileset.CheckFolder(what, path)) }

// CheckFile refuses the path of a file that could not be written: its folder is not there, it is
// a directory (ErrUsage), or it exists and is not to be replaced (ErrExists).
func CheckFile(what, path string, overwrite bool) error {
	return fault.Advised(fileset.CheckFile(what, path, overwrite))
}
