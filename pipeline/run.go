package pipeline

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/kcut/kcut/internal/fault"
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
	bounds, err := readBounds(ctx, job, opt.OnlyCoarsen)
	if err != nil {
		return nil, err
	}
	previous, err := previousForSearch(ctx, job)
	if err != nil {
		return nil, err
	}
	return execute(ctx, &jobRun{job: job, opt: &opt, earlierCut: bounds, previousCut: previous})
}

// execute carries a run out and reports its result.
func execute(ctx context.Context, run *jobRun) (*Report, error) {
	if run.opt.Runner != nil && run.earlierCut != nil {
		return nil, fault.Errorf(fault.Usage,
			"leave out the runner: kcut masks by an earlier cut on one machine",
			"mask by an earlier cut with a runner")
	}
	return run.provided(func(res *runState) error {
		if len(run.job.InputCounts) > 0 {
			return run.findCut(ctx, res)
		}
		return run.release(ctx, res)
	})
}

// provided provides the resources of a run for what it does, and returns its report.
func (run *jobRun) provided(do func(*runState) error) (*Report, error) {
	report := &Report{
		Output: run.job.Output.Path, Version: run.opt.Version,
		Began: time.Now().UTC().Format(time.RFC3339),
	}
	if run.job.File != "" {
		report.Job = filepath.Base(run.job.File)
	}
	res, err := newRunState(run.job, report, run.opt.Events, run.opt.System.Store)
	if err != nil {
		return nil, report.failed(err, run.opt)
	}
	defer spill.LimitHeap(res.Budget.Limit())()
	if run.opt.Events.Meter != nil {
		run.opt.Events.Meter(res.Usage)
	}
	if err = fault.Join(do(res), res.closeStore()); err != nil {
		report.PeakDraw, report.PeakRSS = res.Budget.Peak(), spill.PeakResident()
		return nil, report.failed(res.Advise(err, run.job.Output.Path), run.opt)
	}
	return report, nil
}

// release carries out all stages of a job: bound job → counts → cut → parts → verdict → release.
func (run *jobRun) release(ctx context.Context, res *runState) error {
	made, err := run.prepare(ctx, res)
	if err != nil {
		return err
	}
	return made.publish(ctx)
}

// prepare carries out the stages of a job up to the verdict. Afterwards nothing of the input is in
// memory. The caller must publish the release, or give it up.
func (run *jobRun) prepare(ctx context.Context, res *runState) (made *runRecords, err error) {
	records, err := openRunRecords(ctx, run.job, run.opt, res)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			made, err = nil, errors.Join(err, records.close(err))
		}
	}()

	var s *search.Search
	defer func() { err = fault.Join(err, s.Close()) }()
	err = res.stage(ctx, resources.StagePlan, func() error {
		s, err = run.plan(ctx, records, res)
		return run.markMissingInput(err)
	})
	if err != nil {
		return nil, err
	}
	if res.report.AlreadyDone {
		return records, run.traceAgain(ctx, s, res)
	}
	if err := measureRows(ctx, s.Bound, nil, res); err != nil {
		return nil, err
	}
	found, err := run.resume(ctx, s, records)
	if err == nil && found == nil {
		if found, err = run.find(ctx, s, res); err == nil {
			records.keepCut(ctx, s.Bound, found)
		}
	}
	if err != nil {
		return nil, err
	}
	if err := run.checkPrevious(ctx, s.Bound, found, res); err != nil {
		return nil, err
	}
	// This happens before publishing: a run that leaves spilled data behind must not succeed.
	if err := res.closeStore(); err != nil {
		return nil, err
	}
	if found.IsCut() {
		// The run needs the counts no more. The store has returned its own share.
		res.Budget.Return(res.Budget.Used() - s.Taxonomies.Bytes - found.Dictionaries.Bytes)
		spill.Reuse()
	}
	records.target, err = output.Open(records.work.FS, records.local, run.job.Output.Path,
		records.exists)
	if err != nil {
		return nil, err
	}
	err = res.stage(ctx, resources.StageMask, func() error {
		return fault.Join(maskInput(ctx, s.Bound, found, res, records), res.closeStore())
	})
	forgetDictionaries(found, res.Budget)
	if err == nil {
		err = res.stage(ctx, resources.StageVerify, func() error {
			if err := verifyRelease(ctx, s.Bound, found, records, res); err != nil {
				return err
			}
			if err := measureRows(ctx, s.Bound, found, res); err != nil {
				return err
			}
			return run.noteDrifts(ctx, records.target.Path(), res)
		})
	}
	if err == nil {
		err = s.Close()
	}
	if err == nil {
		err = records.announce(ctx, s.Bound)
	}
	if err != nil {
		return nil, errors.Join(err, records.withdraw(ctx))
	}
	return records, nil
}

// traceAgain searches the cut of a release that exists already, for the trace alone: nothing keeps
// one, since a trace reveals more than the release. The report stays that of the run that made the
// release. Without a trace nothing is bound, and nothing happens.
func (run *jobRun) traceAgain(ctx context.Context, s *search.Search, res *runState) error {
	if s == nil {
		return nil
	}
	made := *res.report
	_, err := run.find(ctx, s, res)
	*res.report = made
	return err
}

// plan determines whether the release exists already. It binds the job if not, or for the trace.
func (run *jobRun) plan(
	ctx context.Context, records *runRecords, res *runState,
) (*search.Search, error) {
	taxonomies, err := binding.LoadTaxonomies(run.job, res.Budget)
	if err != nil {
		return nil, err
	}
	if run.keys, err = binding.LoadKeys(run.job); err != nil {
		return nil, err
	}
	if res.report.Digests, err = run.digests(ctx, taxonomies, res.Threads); err != nil {
		return nil, err
	}
	done, err := records.alreadyDone(ctx)
	if err != nil || done && run.opt.Trace == nil {
		return nil, err
	}
	made := *res.report
	s, err := run.bind(ctx, taxonomies, res)
	if done {
		*res.report = made
	}
	if err == nil && records.exists && !done {
		err = output.CheckReplaced(run.job.Output.Path)
	}
	return s, err
}

// failed puts the error that ended the run into the report, passes the report on, and returns the
// error. An error while writing the report is ignored: the first error matters more.
func (r *Report) failed(err error, opt *RunOptions) error {
	r.Error = reportOf(err)
	_ = r.save(opt.RunJSON)
	if opt.Failed != nil {
		opt.Failed(r)
	}
	return err
}

// readBounds reads the cut that a search must not refine; nil without a path.
func readBounds(ctx context.Context, j *job.Job, path string) (*domain.Cut, error) {
	if path == "" {
		return nil, nil
	}
	if name := j.Algorithm.Name; name != job.AlgorithmTDR && name != job.AlgorithmTDS {
		return nil, fault.Errorf(fault.Usage, "use algorithm tdr or tds",
			"search above the cut of %s: algorithm %s does not start from the top", path, name)
	}
	bounds, err := domain.ReadCut(ctx, path)
	if err != nil {
		return nil, err
	}
	if bounds.Kind == cutfile.KindRegions {
		return nil, fault.Errorf(fault.Usage, "name a release whose columns have a cut each",
			"search above the cut of %s: it has regions", path)
	}
	return bounds, nil
}
