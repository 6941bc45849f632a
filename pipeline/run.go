package pipeline

import (
	"context"
	"errors"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/output"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/search"
	"github.com/kcut/kcut/spill"
)

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

// failed notes in the report what ended the run, tells it, and returns the error. A report
// that cannot be written is the lesser trouble then.
func (r *Report) failed(err error, opt *RunOptions) error {
	r.Error = &ErrorReport{Class: fault.ClassOf(err).String(), Message: text.WithoutPartitions(err.Error())}
	_ = r.save(opt.RunJSON)
	if opt.Events.Failed != nil {
		opt.Events.Failed(r)
	}
	return err
}

// boundsOf reads the cut that a search stays above; nil without a path.
func boundsOf(ctx context.Context, j *job.Job, path string) (*domain.Cut, error) {
	if path == "" {
		return nil, nil
	}
	if name := j.Algorithm.Name; name != job.AlgorithmTDR && name != job.AlgorithmTDS {
		return nil, fault.Errorf(fault.Usage, "use algorithm tdr or tds",
			"search above the cut of %s: algorithm %s does not start from the top", path, name)
	}
	given, err := domain.ReadCut(ctx, path)
	if err != nil {
		return nil, err
	}
	if given.Kind == cutfile.KindRegions {
		return nil, fault.Errorf(fault.Usage, "name a release whose columns have a cut each",
			"search above the cut of %s: it has regions", path)
	}
	return given, nil
}
