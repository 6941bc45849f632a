package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/spill"
)

// announce completes the report and writes the record of the release that will be published. If
// that fails, nothing is published: the next run would not know which job made the output.
func (r *runRecords) announce(ctx context.Context, b *binding.Bound) error {
	path, report := r.target.Path(), r.res.report
	err := report.measureSize(ctx, path)
	if err == nil {
		report.Digests.Output, err = fileset.Digest(ctx, path, r.res.Threads)
	}
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(&runRecord{report, placements(b)}, "", "  ")
	if err == nil {
		err = r.work.Put(pendingFile, append(text, '\n'))
	}
	if err == nil {
		err = r.announceRemote(ctx)
	}
	if err != nil {
		return fmt.Errorf("write the output's record: %w", err)
	}
	report.PeakDraw, report.PeakRSS = r.res.Budget.Peak(), spill.PeakResident()
	return report.save(r.opt.RunJSON)
}

// withdraw removes an unpublished release and its announced records.
func (r *runRecords) withdraw(ctx context.Context) error {
	err := r.target.Discard()
	if !r.target.Done() {
		err = errors.Join(err, r.work.Remove(pendingFile), r.revokeRemote(ctx))
	}
	return err
}

// publish moves the verified and announced release to its output. It does nothing if the release
// existed before. It gives the work folder back.
func (r *runRecords) publish(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, r.close(err)) }()
	if r.target == nil {
		return nil
	}
	err = r.res.stage(ctx, resources.StagePublish, func() error {
		return r.target.Publish(ctx, r.res.Threads)
	})
	if err != nil {
		return errors.Join(err, r.withdraw(ctx))
	}
	r.confirmRemote(ctx)
	return r.confirm()
}

// giveUp removes the release, which is not published, because of a failure, and gives the work
// folder back.
func (r *runRecords) giveUp(ctx context.Context, failure error) (err error) {
	if r.target != nil {
		err = r.withdraw(ctx)
	}
	return errors.Join(err, r.close(failure))
}

// path returns the place of the release before it is published, or of one that existed before.
func (r *runRecords) path() string {
	if r.target == nil {
		return r.job.Output.Path
	}
	return r.target.Path()
}
