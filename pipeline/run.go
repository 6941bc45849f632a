package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/guard"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/output"
	"github.com/kcut/kcut/pipeline/pseudonym"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/search"
	"github.com/kcut/kcut/spill"
)

// RunOptions are what the command line adds to a job.
type RunOptions struct {
	Overwrite bool      // replace an existing output
	Resume    bool      // go on from what an earlier run of the same job and input has left: its release, if that stands, or its cut
	Trace     io.Writer // one JSON line per performed specialization; may be nil
	// OnlyCoarsen names an earlier release, or a file with its cut: the search goes below no
	// node of it. Empty: no bounds.
	OnlyCoarsen string
	RunJSON     string // file that receives the report, before publishing; empty: none
	Events      Events

	// Checkpoint is how long a run must have worked when it has found its cut to keep that for
	// another try; 0: it keeps nothing.
	Checkpoint time.Duration

	// Runner has other processes mask the rows; nil: this one does. Shared is the folder, or the place in an object store,
	// that all of them see; empty: beside the output.
	Runner Runner
	Shared string

	System System
}

// System is what a run meets outside of itself, and the sizes from which it works in another way.
// The zero value is the machine's, with sizes that were measured.
type System struct {
	Files *publish.FS   // where the output is; nil: the machine's
	Store spill.Options // of the spill store, but for the budget

	Spill bool // count in a store whatever the budget is
	Room  int  // values in memory before they spill; 0: what the budget allows
	Many  int  // values of a column, or tuples, that make a run read its input twice; 0: as many as pay
}

func (s *System) tuning() count.Tuning {
	return count.Tuning{Spill: s.Spill, Room: s.Room, Many: s.Many}
}

// assignment is a job to be carried out, with what is given beside it.
type assignment struct {
	job     *job.Job
	opt     *RunOptions
	keys    map[string]*pseudonym.Key // of the columns of pseudonyms, by name
	given   *domain.Cut               // the cut of an earlier release, if it bounds the job
	applied *ApplyOptions             // how that cut is applied; nil: a cut is searched for

	previous *domain.Cut // what no cut may be finer than; nil: the job names no release
}

// Run carries out the job and publishes its release. On an error nothing is published.
func Run(ctx context.Context, job *job.Job, opt RunOptions) (*Report, error) {
	given, err := boundsOf(ctx, job, opt.OnlyCoarsen)
	if err != nil {
		return nil, err
	}
	previous, err := previousOf(ctx, job)
	if err != nil {
		return nil, err
	}
	return carryOut(ctx, &assignment{job: job, opt: &opt, given: given, previous: previous})
}

// carryOut provides what a run takes, and reports what became of it.
func carryOut(ctx context.Context, a *assignment) (*Report, error) {
	if a.opt.Runner != nil && a.given != nil {
		return nil, fault.Errorf(fault.Usage, "leave out the runner: kcut masks by an earlier cut on one machine", "mask by an earlier cut with a runner")
	}
	report := &Report{Output: a.job.Output.Path}
	res, err := newRecorder(a.job, report, a.opt.Events, a.opt.System.Store)
	if err != nil {
		return nil, report.failed(err, a.opt)
	}
	defer spill.LimitHeap(res.Budget.Limit())()
	if a.opt.Events.Meter != nil {
		a.opt.Events.Meter(res.Usage)
	}
	if len(a.job.InputCounts) > 0 {
		err = a.findCut(ctx, res)
	} else {
		err = a.run(ctx, res)
	}
	if err = joinClosed(err, res.closeStore()); err != nil {
		report.PeakDraw, report.PeakRSS = res.Budget.Peak(), spill.PeakResident()
		return nil, report.failed(res.Advise(err, a.job.Output.Path), a.opt)
	}
	return report, nil
}

// run is the whole way of a job: bound job → counts → cut → parts → verdict → release.
func (a *assignment) run(ctx context.Context, res *recorder) (err error) {
	ledger, err := openLedger(ctx, a.job, a.opt, res)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ledger.close(err)) }()

	var s *search.Search
	defer func() { err = joinClosed(err, s.Close()) }()
	err = res.stage(ctx, resources.StagePlan, func() error { s, err = a.plan(ctx, ledger, res); return a.await(err) })
	if err != nil || res.report.AlreadyDone {
		return err
	}
	found, err := a.resume(ctx, s, ledger)
	if err == nil && found == nil {
		if found, err = a.find(ctx, s, res); err == nil {
			ledger.keepCut(ctx, s.Bound, found)
		}
	}
	if err != nil {
		return err
	}
	if err := a.compare(ctx, s.Bound, found, res); err != nil {
		return err
	}
	// Before publishing: a run whose spilled data stays behind must not have succeeded.
	if err := res.closeStore(); err != nil {
		return err
	}
	if found.IsCut() { // of the counts nothing is needed any more; the store has returned its own share
		res.Budget.Return(res.Budget.Used() - s.Taxonomies.Bytes - found.Listed.Bytes)
		spill.Reuse()
	}
	if ledger.target, err = output.Open(ledger.work.FS, ledger.local, a.job.Output.Path, ledger.exists); err != nil {
		return err
	}
	err = res.stage(ctx, resources.StageMask, func() error {
		return joinClosed(maskInput(ctx, s.Bound, found, res, ledger), res.closeStore())
	})
	unlist(found, res.Budget)
	if err == nil {
		err = res.stage(ctx, resources.StageVerify, func() error {
			if err := verifyRelease(ctx, s.Bound, found, ledger, res); err != nil {
				return err
			}
			return a.noteDrifts(ctx, ledger.target.Path(), res)
		})
	}
	if err == nil {
		err = s.Close()
	}
	if err == nil {
		err = ledger.announce(ctx, s.Bound)
	}
	if err == nil {
		err = res.stage(ctx, resources.StagePublish, func() error { return ledger.target.Publish(ctx, res.Threads) })
	}
	if err != nil {
		return errors.Join(err, ledger.withdraw(ctx))
	}
	ledger.completeBeside(ctx)
	return ledger.record()
}

// await says of an error whether a missing input is to be waited for: then another try may find it.
func (a *assignment) await(err error) error {
	if a.job.InputMissing == job.InputRetry && errors.Is(err, formats.ErrNoInput) {
		return &fault.Error{Class: fault.Transient, Hint: "the job says input_missing: retry: try again when the input is there", Err: err}
	}
	return err
}

// find counts the input and searches the counts.
func (a *assignment) find(ctx context.Context, s *search.Search, res *recorder) (found *search.Found, err error) {
	var counts *count.Counts
	var listed guard.Listed
	err = res.stage(ctx, resources.StageCompress, func() error {
		g := guard.New(s.Bound, res.Run).NewCount()
		g.List()
		defer g.Close()
		if counts, err = s.Count(ctx, a.opt.System.tuning(), g); err != nil {
			return err
		}
		listed, err = checkCount(ctx, g, res)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = res.stage(ctx, resources.StageSearch, func() error {
		found, err = s.Find(ctx, counts, search.Options{
			Tuning: a.opt.System.tuning(), Held: s.Taxonomies.Bytes + listed.Bytes, Trace: a.opt.Trace, KeepTrace: a.opt.Checkpoint > 0,
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	found.Listed = listed
	return found, nil
}

// resume returns what an earlier run has found, nil if that is nothing. What that run has counted of kept
// columns is not known any more: it is counted again.
func (a *assignment) resume(ctx context.Context, s *search.Search, l *ledger) (*search.Found, error) {
	found := l.resume(s.Bound)
	if found == nil {
		return nil, nil
	}
	g := guard.New(s.Bound, l.res.Run).NewCount()
	g.List()
	defer g.Close()
	if err := g.Scan(ctx, s.Dataset); err != nil {
		return nil, err
	}
	listed, err := checkCount(ctx, g, l.res)
	found.Listed = listed
	return found, err
}

// checkCount reports what was counted of kept columns, and refuses what a search would not be begun for.
// It returns the values that were listed.
func checkCount(ctx context.Context, g *guard.Count, res *recorder) (guard.Listed, error) {
	listed := g.Listed()
	if res.report.Risk = g.Report(); res.report.Risk != nil {
		g.NoteDetermined(res.report.Risk)
	}
	return listed, g.Check(ctx, res.report.Risk)
}

// plan finds out whether there is something to do, and what.
func (a *assignment) plan(ctx context.Context, l *ledger, res *recorder) (*search.Search, error) {
	taxonomies, err := binding.LoadTaxonomies(a.job, res.Budget)
	if err != nil {
		return nil, err
	}
	if a.keys, err = binding.LoadKeys(a.job); err != nil {
		return nil, err
	}
	if res.report.Digests, err = a.identify(ctx, taxonomies, res.Threads); err != nil {
		return nil, err
	}
	if done, err := l.recall(ctx); err != nil || done {
		return nil, err
	}
	s, err := a.bind(ctx, taxonomies, res)
	if err == nil && l.exists {
		err = output.CheckReplaced(a.job.Output.Path)
	}
	return s, err
}

// bindJob binds a job to its input, when no cut is given.
func bindJob(ctx context.Context, job *job.Job, res *recorder) (*search.Search, error) {
	taxonomies, err := binding.LoadTaxonomies(job, res.Budget)
	if err != nil {
		return nil, err
	}
	return (&assignment{job: job}).bind(ctx, taxonomies, res)
}

// admitUnnamed admits values that the cut has no place for where a taxonomy is generated from them:
// nodes all of whose records were suppressed are not in the cut.
func admitUnnamed(b *binding.Bound) {
	for _, field := range b.Masked {
		spec := *b.Specs[field]
		if spec.Mask == job.MaskGeneralize && !b.HasTree(&spec) {
			spec.Unknown = job.UnknownRoot
			b.Specs[field] = &spec
		}
	}
}

// bind binds the job, and the cut that is given, to the input. When nothing is wrong but that some k
// cannot be met, it returns both.
func (a *assignment) bind(ctx context.Context, t *binding.Taxonomies, res *recorder) (*search.Search, error) {
	b, err := binding.Open(ctx, a.job, t, res.Run)
	if b == nil {
		return nil, err
	}
	rows := b.Dataset.Rows()
	res.report.Rows, b.Keys = rows, a.keys
	for _, file := range b.Dataset.Files() {
		res.report.Inputs = append(res.report.Inputs, text.WithoutPartitions(file))
	}
	res.Threads = binding.ThreadsWithin(res.Budget.Limit(), res.Threads, b.Reads())
	s := search.New(b, res.Run, &res.report.Outcome)
	if err != nil {
		return s, err
	}
	res.report.Columns = columnReports(b.Dataset.Schema(), b.Specs, nil)
	if a.given != nil {
		if err := a.bindCut(ctx, s, res); err != nil {
			return s, err
		}
	}
	spill.ExpectHeap(rows*int64(len(b.Masked))*cellBytes, res.Budget.Limit())
	for _, set := range b.Redundant {
		res.Noted(fmt.Sprintf("quasi-identifier set %d is redundant: its columns are in another set whose k is not smaller", set+1))
	}
	noteJob(b, res)
	s.NoteAsked()
	if a.job.Order == job.OrderInput {
		res.Noted("rows leave in the order of the input: who knows that, or has another release of it, can tell whose row is whose; order: released tells nothing")
		if a.job.Previous != "" {
			res.Noted("previous is worth little with order: input: two releases in one order are joined row by row, whatever their cuts are")
		}
	}
	return s, nil
}

// bindCut binds the cut that is given to the job, whose search it bounds or stands for.
func (a *assignment) bindCut(ctx context.Context, s *search.Search, res *recorder) error {
	if o := a.applied; o != nil && o.OnBreak == search.BreakSuppress && a.job.MaxSuppressed != (Quota{}) {
		admitUnnamed(s.Bound)
	}
	if err := s.BindCut(a.given); err != nil {
		return err
	}
	if o := a.applied; o != nil {
		s.Apply(a.given, o.OnBreak, o.MaxSuppressed)
	} else {
		s.Above(a.given)
	}
	return a.noteMoved(ctx, s.Bound, res)
}

// noteJob tells what of a job may be meant otherwise.
func noteJob(b *binding.Bound, res *recorder) {
	for i := range b.Job.Sets {
		if b.Job.Sets[i].K == 1 {
			res.Noted(fmt.Sprintf("quasi-identifier set %d has k = 1, which every table meets: it protects nobody", i+1))
		}
	}
	if len(b.Job.InputCounts) > 0 {
		res.Noted("counts do not have the kept columns: whether these, or the class, tell who is who is not looked at")
	}
	if output := b.Job.Output.Path; len(b.Job.InputCounts) == 0 && slices.Contains([]string{".csv", ".tsv", ".arrow", ".feather", ".json"}, strings.ToLower(path.Ext(output))) {
		res.Noted(fmt.Sprintf("the release is a Parquet file, though its name ends in %s", path.Ext(output)))
	}
}
