package pipeline

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/jobfile"
	"github.com/kcut/kcut/pipeline/labeling"
	"github.com/kcut/kcut/pipeline/masking"
	"github.com/kcut/kcut/pipeline/verify"
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
	if err := r.stayAbove(opt.OnlyCoarsen); err != nil {
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
	defer limitHeap(r.budget.Limit())()
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

// closeStore removes all that was spilled. The failure of the store, if there was one, comes
// back again.
func (r *run) closeStore() error {
	if r.store == nil {
		return nil
	}
	store := r.store
	r.store = nil
	err := store.Close()
	stats := store.Stats()
	r.report.Spilled, r.report.SpilledPeak = stats.BytesWritten, stats.PeakDiskBytes
	r.meter.closed(stats)
	r.removeHidden()
	return err
}

// sweepSpilled removes what a run that was killed has spilled, also when this one will need
// no store: it is personal data.
func (r *run) sweepSpilled() error {
	if err := spill.Sweep(r.spillFolder(), r.opt.store.FS); err != nil {
		return err
	}
	r.removeHidden()
	return nil
}

// removeHidden removes the hidden folder that a run which was killed may have left behind.
// It stays when another run is using it.
func (r *run) removeHidden() {
	if r.job.Limits.SpillDir == "" {
		_ = os.Remove(r.spillFolder())
	}
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
	local      string             // where the release is made: see localOf
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
	recoding   engine.Recoding
	cut        []byte // the embedded cut
	masked     []part // that a state says are finished
	repeated   trail  // of an earlier run's search
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
	stages := []struct {
		name Stage
		do   func(context.Context) error
	}{
		{StageCompress, r.compress},
		{StageSearch, r.search},
	}
	for _, s := range stages[r.resume(ctx):] {
		if err := r.stage(ctx, s.name, s.do); err != nil {
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
	if r.exists, err = checkTarget(ctx, r.job); err != nil {
		return err
	}
	if err = r.makeLocal(); err != nil {
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
	if err := checkDistinct(r.job, r.dataset); err != nil {
		return err
	}
	if r.exists {
		if err := checkReplaced(r.job.Output.Path); err != nil {
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
	r.threads = threadsWithin(r.budget.Limit(), r.threads, r.prepared.read())
	for _, set := range r.prepared.dropped {
		r.events.Noted(fmt.Sprintf("quasi-identifier set %d is redundant: its columns are in another set whose k is not smaller", set+1))
	}
	r.noteUnion()
	return nil
}

// scores are the selection criteria by the job file's names.
var scores = map[string]engine.Score{
	"tdr": engine.ScoreTDR, "tds": engine.ScoreTDS, "infogain": engine.ScoreInfoGain,
}

// maxSteps is the job's limit in the engine's form.
func (r *run) maxSteps() int {
	if r.job.MaxSteps == nil {
		return -1
	}
	return *r.job.MaxSteps
}

// search finds the recoding and writes down what is released. A search that outgrows the
// memory is started again out of core.
func (r *run) search(ctx context.Context) error {
	if err := r.resumeSteps(); err != nil {
		return err
	}
	trace := &tracer{attributes: r.problem.table.Attributes, out: r.traceTo(), written: len(r.repeated.candidates)}
	err := r.searchOnce(ctx, trace)
	if errors.Is(err, spill.ErrBudget) && r.store == nil {
		if err := r.leaveMemory(ctx, "the leaf partitions"); err != nil {
			return err
		}
		r.keepCounts(ctx)
		err = r.searchOnce(ctx, trace)
	}
	if err != nil {
		return err
	}
	if err := r.writeCut(); err != nil {
		return err
	}
	r.keepCut(ctx)
	return nil
}

// traceTo returns where the trace goes; what a later run may have to write again is held, too.
func (r *run) traceTo() io.Writer {
	if r.opt.Trace == nil || r.opt.Checkpoint <= 0 {
		return r.opt.Trace
	}
	return io.MultiWriter(r.opt.Trace, &r.trace)
}

func (r *run) searchOnce(ctx context.Context, trace *tracer) error {
	table := r.problem.table
	taken := r.start(table)
	r.report.Steps, r.report.Live, r.report.Sets = len(taken.candidates), taken.live, nil
	recoding, err := r.engine.Search(ctx, table, r.prepared.requirement, engine.Options{
		Score:     scores[r.job.Score],
		MaxSteps:  r.maxSteps(),
		Space:     r.searchSpace(),
		Performed: taken.candidates,
		OnStep: func(s engine.Step) {
			r.report.Steps = s.Number
			trace.step(s)
			if r.isTopDown() {
				r.take(ctx, &taken, s)
				r.report.Live = taken.live
			}
			r.events.Advanced(StageSearch, Progress{Done: int64(s.Number), Live: int64(s.Live)})
		},
	})
	if err := errors.Join(err, trace.err); err != nil {
		return err
	}
	r.recoding = recoding
	if cut, ok := recoding.(*engine.Cut); ok {
		r.report.Stopped = stopped(cut, table.Attributes)
	}
	if err := r.drawRegions(); err != nil {
		return err
	}
	suppressed, dropped := recoding.Lost()
	r.report.Suppressed, r.report.Released = suppressed, r.report.Rows-int64(dropped)
	r.reused()
	anonymity := recoding.Anonymity(r.prepared.requirement)
	for i, set := range r.prepared.requirement.Sets {
		report := cutfile.Set{K: set.K, Anonymity: anonymity[i]}
		if report.K == 0 { // not asked for: what was reached is what holds
			report.K = int(report.Anonymity)
		}
		for _, a := range set.Columns {
			report.Columns = append(report.Columns, table.Attributes[a].Name)
		}
		r.report.Sets = append(r.report.Sets, report)
	}
	return nil
}

// release writes, recounts and publishes.
func (r *run) release(ctx context.Context) error {
	target, err := r.openRelease(ctx)
	if err != nil {
		return err
	}
	err = r.stage(ctx, StageMask, func(ctx context.Context) error { return r.mask(ctx, target) })
	if err == nil {
		err = r.stage(ctx, StageVerify, func(ctx context.Context) error { return r.recount(ctx, target.Path()) })
	}
	if err == nil {
		err = r.closeInput()
	}
	if err == nil {
		err = r.weigh(ctx, target.Path())
	}
	if err == nil {
		err = r.announce(ctx, target.Path())
	}
	if err == nil {
		err = r.writeReport()
	}
	if err == nil {
		err = r.stage(ctx, StagePublish, func(ctx context.Context) error { return target.publish(ctx, r.threads) })
	}
	if err != nil {
		return errors.Join(err, r.withdraw(ctx, target, err))
	}
	r.settleBeside(ctx)
	return r.record()
}

// closeInput lets go of the input, once. That comes before publishing, too.
func (r *run) closeInput() error {
	if r.dataset == nil {
		return nil
	}
	in := r.dataset
	r.dataset = nil
	return in.Close()
}

func (r *run) mask(ctx context.Context, target *target) error {
	plan, err := masking.NewPlan(r.job, r.dataset.Schema(), r.prepared.specs, r.problem.table.Attributes, r.recoding)
	if err != nil {
		return err
	}
	r.report.Columns = columnReports(r.dataset.Schema(), r.prepared.specs, plan)
	m := &masking.Masker{
		Dataset: r.dataset, Plan: plan, Recoding: r.recoding, Coders: r.problem.coders,
		Write:   writer.Options{Compression: r.job.Output.Compression, Level: r.job.Output.Level},
		Threads: r.threads, Budget: r.budget, Tuples: r.prepared.requests(),
	}
	for a := range r.problem.table.Attributes {
		m.Domains = append(m.Domains, r.problem.table.Attributes[a].Len()+1)
	}
	if r.recoding.ByClass() && r.prepared.class >= 0 {
		m.Class = r.problem.class
		m.Domains = append(m.Domains, r.problem.class.Classes)
	}
	m.Advanced = func(done, total int64) { r.events.Advanced(StageMask, Progress{Done: done, Total: total}) }
	parts := &parts{target: target, columns: plan.Outputs(), metadata: map[string]string{cutfile.Key: string(r.cut)}, finished: r.masked, footer: spill.NewLedger(r.budget, "the footer of the release")}
	parts.ended = func() { r.keepParts(ctx, parts) }
	tasks := masking.PlanRowGroups(r.dataset.Splits(), int64(r.job.Output.RowGroupRows), cmp.Or(r.opt.least, masking.LeastFollowed))
	err = m.Mask(ctx, tasks, parts)
	if err == nil {
		err = checkUnchanged(ctx, r.dataset.Files(), r.inputs)
	}
	return errors.Join(err, parts.close(err == nil, masking.Place{Task: len(tasks)}))
}

func (r *run) recount(ctx context.Context, path string) error {
	return verify.Recount(ctx, path, r.threads, r.budget.Limit()-r.budget.Used(), r.events.Verifying())
}
