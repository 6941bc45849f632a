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

// alreadyDone reports whether the same job made the existing output of the same input. Then its
// report becomes the report of this run. Another output is an error, unless it is to be replaced.
func (r *runRecords) alreadyDone(ctx context.Context) (done bool, err error) {
	if !r.exists || !r.opt.Resume {
		return false, nil
	}
	why, hint := "it exists", "name another output, or replace it with --overwrite"
	for _, was := range r.stored {
		if was.Digests.Job != r.res.report.Digests.Job {
			why = "it exists, made by another job"
			continue
		}
		if was.Digests.Input != r.res.report.Digests.Input {
			why = "it exists, made of another input"
			hint = "the input has changed since: replace the output with --overwrite, or name " +
				"another one"
			continue
		}
		matches, err := r.matchesOutput(ctx, was.Report)
		if err != nil {
			return false, err
		}
		if matches {
			return true, r.reuse(ctx, was)
		}
		why = "it exists, and was changed since it was released"
	}
	if r.opt.Overwrite {
		return false, nil
	}
	return false, existsError(r.job, why, hint)
}

// reuse makes the record of the existing output the report of the run, and removes the files of
// tries to replace the output.
func (r *runRecords) reuse(ctx context.Context, was storedRecord) error {
	// The run of the record ended while it published the output.
	ended := func(k storedRecord) bool {
		return k.pending && !k.remote && k.Digests.Output == was.Digests.Output
	}
	if slices.ContainsFunc(r.stored, ended) && !storage.IsRemote(r.job.Output.Path) {
		if err := publish.Finish(r.work.FS, output.Shown(r.job.Output.Path)); err != nil {
			return err
		}
	}
	if was.pending && !was.remote {
		if err := r.confirm(); err != nil {
			return err
		}
	}
	r.res.Noted(fmt.Sprintf("already done: %s was made by the same job of the same input",
		r.job.Output.Path))
	was.Output, was.AlreadyDone = r.job.Output.Path, true
	*r.res.report = *was.Report
	r.announced = slices.ContainsFunc(r.stored, func(k storedRecord) bool {
		return k.pending && k.remote
	})
	r.confirmRemote(ctx)
	if err := r.res.report.save(r.opt.RunJSON); err != nil {
		return err
	}
	left, err := output.Open(r.work.FS, r.local, r.job.Output.Path, true)
	if err != nil {
		return err
	}
	return errors.Join(left.Discard(), r.work.Sweep(recordFile))
}

// matchesOutput reports whether the output is unchanged since its record was written.
func (r *runRecords) matchesOutput(ctx context.Context, was *Report) (bool, error) {
	path := output.Shown(r.job.Output.Path)
	if fileset.IsDirectory(r.job.Output.Path) {
		if complete, _ := storage.Exists(ctx, storage.Join(path, publish.SuccessFile)); !complete {
			return false, nil
		}
	}
	sum, err := fileset.Digest(ctx, path, r.res.Threads)
	if fault.ClassOf(err) == fault.Input { // no parts
		return false, nil
	}
	return sum == was.Digests.Output, err
}

// hasRecordOf reports whether a record of the output has the same job and input. It does not
// check whether the output was changed later: for that it would have to read the whole output.
func (r *runRecords) hasRecordOf(
	ctx context.Context, run *jobRun, t *binding.Taxonomies,
) (bool, error) {
	if !r.exists {
		return false, nil
	}
	digests, err := run.digests(ctx, t, r.res.Threads)
	if err != nil {
		return false, err
	}
	records, err := r.storedRecords(ctx)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(records, func(was storedRecord) bool {
		return was.Digests.Job == digests.Job && was.Digests.Input == digests.Input
	}), nil
}
