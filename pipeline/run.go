package pipeline

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/pipeline/jobfile"
	"github.com/kcut/kcut/pipeline/labeling"
	"github.com/kcut/kcut/pipeline/output"
	"github.com/kcut/kcut/spill"
)

// RunOptions are what the command line adds to a job.
type RunOptions struct {
	Overwrite bool      // replace an existing output
	Resume    bool      // go on from what an earlier run of the same job and input has left: its release, if that stands, or its states
	Trace     io.Writer // one JSON line per performed specialization; may be nil
	// OnlyCoarsen names an earlier release, or a file with its cut: the search goes below no
	// node of it. Empty: no bounds.
	OnlyCoarsen string
	RunJSON     string // file that receives the report, before publishing; empty: none
	Events      Events

	reuse *ApplyOptions // kcut apply; nil: the cut is searched for

	// Checkpoint is how long a run works until it keeps the state that it has reached, at the
	// end of a stage, for the next run to go on from; 0: it keeps none.
	Checkpoint time.Duration

	// For tests.
	spill bool          // out of core whatever the budget is
	room  int           // values in memory before they spill; 0: what the budget allows
	many  int           // values of a column, or tuples, that make a run read its input twice; 0: as many as pay
	least int64         // rows from which a row group of the input is followed; 0: leastFollowed
	store spill.Options // of the store, but for the budget
	files publish.FS    // where the output is; nil: the machine's
}

// Run carries out the job and publishes its release. On an error nothing is published.
func Run(ctx context.Context, job *jobfile.Job, opt RunOptions) (*Report, error) {
	r := &run{job: job, opt: opt, engine: newEngine(job.Algorithm)}
	if err := r.stayAbove(ctx, opt.OnlyCoarsen); err != nil {
		return nil, err
	}
	return r.carryOut(ctx)
}

// carryOut carries out a job with the engine that was chosen.
func (r *run) carryOut(ctx context.Context) (*Report, error) {
	r.report = &Report{Output: r.job.Output.Path}
	if err := r.provide(); err != nil {
		return nil, r.failed(err)
	}
	defer spill.LimitHeap(r.budget.Limit())()
	r.meter = &meter{budget: r.budget}
	r.listen()
	r.events.Metered(r.meter.read)
	err := errors.Join(r.do(ctx), r.closeInput())
	if closed := r.closeStore(); !errors.Is(err, closed) {
		err = errors.Join(err, closed)
	}
	if err != nil {
		return nil, r.failed(r.advise(err))
	}
	return r.report, nil
}

// run is a job being carried out.
type run struct {
	job     *jobfile.Job
	opt     RunOptions
	events  Events
	report  *Report
	threads int
	budget  *spill.Budget
	meter   *meter

	work       *checkpoint.Folder // claimed
	beside     *companion         // where its record lies in an object store
	exists     bool               // there is an output already
	known      []known            // its records, while they count
	local      string             // where the release is made: see output.Local
	given      *labeling.Cut      // the cut of an earlier release, if it bounds the job
	states     *checkpoint.Folder // where states are kept; it may be the same
	began      time.Time          // when the first stage that keeps one did
	kept       time.Time          // when the last one was
	trace      bytes.Buffer       // as it is written, while states are kept
	dataset    *dataset.Dataset
	inputs     []storage.Info // of the dataset's files, when they were opened
	prepared   *prepared
	taxonomies map[string]jobfile.Taxonomy // of generalized columns
	trees      int64                       // bytes drawn for these
	problem    *problem
	opening    sync.Mutex   // of the store
	store      *spill.Store // open once something did not fit the memory
	engine     engine.Engine
	wanted     *engine.Plan // once it was asked
	recoding   engine.Recoding
	cut        []byte        // the embedded cut
	masked     []output.Part // that a state says are finished
}

// listen keeps what the events tell in the report, too. What a run that starts again out of
// core notes again is told once.
func (r *run) listen() {
	r.events = r.opt.Events
	notice := r.events.Notice
	r.events.Notice = func(text string) {
		if slices.Contains(r.report.Notices, text) {
			return
		}
		r.report.Notices = append(r.report.Notices, text)
		if notice != nil {
			notice(text)
		}
	}
}

func (r *run) do(ctx context.Context) (err error) {
	if err := r.begin(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.settle(err)) }()
	if err := r.stage(ctx, StagePlan, r.plan); err != nil || r.report.AlreadyDone {
		return err
	}
	if !r.resume() {
		if err := r.stage(ctx, StageCompress, r.compress); err != nil {
			return err
		}
		if err := r.stage(ctx, StageSearch, r.search); err != nil {
			return err
		}
	}
	// Before publishing: a run whose spilled data stays behind must not have succeeded.
	if err := r.closeStore(); err != nil {
		return err
	}
	return r.release(ctx)
}

// begin claims the work folder and sweeps what a run that was killed has spilled.
func (r *run) begin(ctx context.Context) (err error) {
	if r.exists, err = output.Check(ctx, r.job.Output.Path); err != nil {
		return err
	}
	if r.local, err = output.MakeLocal(r.job); err != nil {
		return err
	}
	r.beside = companionOf(r.job.Output.Path)
	if r.work, err = checkpoint.Claim(r.files(), workFolder(r.local)); err != nil {
		return err
	}
	if err = r.refuse(ctx); err == nil {
		err = r.sweepSpilled()
	}
	if err == nil {
		r.states, err = r.openStates()
	}
	if err != nil {
		return errors.Join(err, r.work.Release())
	}
	return nil
}

// files is the file system of the output.
func (r *run) files() publish.FS { return cmp.Or(r.opt.files, publish.OS) }

func (r *run) stage(ctx context.Context, name Stage, do func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	began, report := r.events.Began(name), r.report
	if err := do(ctx); err != nil {
		return err
	}
	took := r.events.Ended(name, began)
	report.Stages = append(report.Stages, StageTime{name, took.Seconds()})
	return nil
}

// plan finds out whether there is something to do, and what.
func (r *run) plan(ctx context.Context) (err error) {
	if err := r.loadTaxonomies(); err != nil {
		return err
	}
	if err := r.identify(ctx); err != nil {
		return err
	}
	if done, err := r.recall(ctx); err != nil || done {
		return err
	}
	return r.open(ctx)
}

// open opens the input and binds the job to it.
func (r *run) open(ctx context.Context) (err error) {
	if r.dataset, err = openInput(ctx, r.job, readOptions(r.job, r.budget, r.threads)); err != nil {
		return err
	}
	if err := output.CheckDistinct(r.job, r.dataset); err != nil {
		return err
	}
	if r.exists {
		if err := output.CheckReplaced(r.job.Output.Path); err != nil {
			return err
		}
	}
	if r.inputs, err = statInputs(ctx, r.dataset.Files()); err != nil {
		return err
	}
	r.report.Rows, r.report.Inputs = r.dataset.Rows(), r.dataset.Files()
	if r.prepared, err = prepare(r.job, r.dataset.Schema(), r.dataset.Rows()); err != nil {
		return err
	}
	r.report.Columns = columnReports(r.dataset.Schema(), r.prepared.specs, nil)
	if r.given != nil {
		if err := r.given.Bind(r.job, r.prepared.maskedSpecs()); err != nil {
			return err
		}
		r.reuseCut()
	}
	spill.ExpectHeap(r.prepared.expected(r.dataset.Rows()), r.budget.Limit())
	r.threads = threadsWithin(r.budget.Limit(), r.threads, r.prepared.read())
	for _, set := range r.prepared.dropped {
		r.events.Noted(fmt.Sprintf("quasi-identifier set %d is redundant: its columns are in another set whose k is not smaller", set+1))
	}
	r.noteUnion()
	return nil
}
