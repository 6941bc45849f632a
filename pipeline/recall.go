package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/output"
)

// recall reports whether the release that stands was made by the same job of the same input.
// Then its report is the run's. Another release is refused, unless it is to be replaced. One
// that may be replaced is made again for the sake of a trace.
func (l *ledger) recall(ctx context.Context) (done bool, err error) {
	if !l.exists || !l.opt.Resume || l.opt.Overwrite && l.opt.Trace != nil {
		return false, nil
	}
	why, hint := "it exists", "name another output, or replace it with --overwrite"
	for _, was := range l.known {
		if was.Digests.Job != l.res.report.Digests.Job {
			why = "it exists, made by another job"
			continue
		}
		if was.Digests.Input != l.res.report.Digests.Input {
			why, hint = "it exists, made of another input", "the input has changed since: replace the output with --overwrite, or name another one"
			continue
		}
		stands, err := l.stands(ctx, was.Report)
		if err != nil {
			return false, err
		}
		if stands {
			return true, l.leave(ctx, was)
		}
		why = "it exists, and was changed since it was released"
	}
	if l.opt.Overwrite {
		return false, nil
	}
	return false, standing(l.job, why, hint)
}

// leave makes the record of what stands the run's report, and sweeps what is left of tries to
// replace it.
func (l *ledger) leave(ctx context.Context, was known) error {
	ended := func(k known) bool { return k.pending && !k.remote && k.Digests.Output == was.Digests.Output } // while it was published
	if slices.ContainsFunc(l.known, ended) && !storage.IsRemote(l.job.Output.Path) {
		if err := publish.Finish(l.work.FS, output.Shown(l.job.Output.Path)); err != nil {
			return err
		}
	}
	if was.pending && !was.remote {
		if err := l.record(); err != nil {
			return err
		}
	}
	l.res.Noted(fmt.Sprintf("already done: %s was made by the same job of the same input", l.job.Output.Path))
	was.Output, was.AlreadyDone = l.job.Output.Path, true
	*l.res.report = *was.Report
	l.announced = slices.ContainsFunc(l.known, func(k known) bool { return k.pending && k.remote })
	l.completeBeside(ctx)
	if err := l.res.report.save(l.opt.RunJSON); err != nil {
		return err
	}
	left, err := output.Open(l.work.FS, l.local, l.job.Output.Path, true)
	if err != nil {
		return err
	}
	return errors.Join(left.Discard(), l.work.Sweep(recordFile))
}

// stands reports whether the output is the one of a record.
func (l *ledger) stands(ctx context.Context, was *Report) (bool, error) {
	path := output.Shown(l.job.Output.Path)
	if fileset.IsDirectory(l.job.Output.Path) {
		if complete, _ := storage.Exists(ctx, storage.Join(path, publish.SuccessFile)); !complete {
			return false, nil
		}
	}
	sum, err := fileset.Digest(ctx, path, l.res.Threads)
	if fault.ClassOf(err) == fault.Input { // no parts
		return false, nil
	}
	return sum == was.Digests.Output, err
}

// done reports whether the record of the output is that of the same job and input. Whether the
// output was changed since is not looked at, which takes reading all of it.
func (l *ledger) done(ctx context.Context, a *assignment, t *binding.Taxonomies) (bool, error) {
	if !l.exists {
		return false, nil
	}
	digests, err := a.identify(ctx, t, l.res.Threads)
	if err != nil {
		return false, err
	}
	records, err := l.knownRecords(ctx)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(records, func(was known) bool {
		return was.Digests.Job == digests.Job && was.Digests.Input == digests.Input
	}), nil
}
