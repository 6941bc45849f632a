package pipeline

import (
	"context"
	"errors"

	"github.com/kcut/kcut/pipeline/resources"
)

// ready is a release that is verified and announced, but not published, or one that existed
// before. It must be published or withdrawn, which gives the work folder back.
type ready struct {
	records *runRecords // their target is nil if the release existed before
}

// publish moves the release to its output.
func (r *ready) publish(ctx context.Context) (err error) {
	records := r.records
	defer func() { err = errors.Join(err, records.close(err)) }()
	if records.target == nil {
		return nil
	}
	err = records.res.stage(ctx, resources.StagePublish, func() error {
		return records.target.Publish(ctx, records.res.Threads)
	})
	if err != nil {
		return errors.Join(err, records.withdraw(ctx))
	}
	records.confirmRemote(ctx)
	return records.confirm()
}

// withdraw removes the release, which is not published, because of a failure.
func (r *ready) withdraw(ctx context.Context, failure error) (err error) {
	if r.records.target != nil {
		err = r.records.withdraw(ctx)
	}
	return errors.Join(err, r.records.close(failure))
}

// path returns the place of the release before it is published, or of one that existed before.
func (r *ready) path() string {
	if r.records.target == nil {
		return r.records.job.Output.Path
	}
	return r.records.target.Path()
}
