package pipeline

import (
	"context"
	"errors"
	"slices"

	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/spill"
)

// runState has the resources of a run, its report so far, and the functions that report its work.
type runState struct {
	*resources.Run
	events Events
	report *Report
}

// newRunState gives a run the threads and the memory of its job. A notice is in the report once,
// even if a stage starts again out of core and notes the same.
func newRunState(
	job *job.Job, report *Report, events Events, store spill.Options,
) (*runState, error) {
	noted := func(text string) {
		if !slices.Contains(report.Notices, text) {
			report.Notices = append(report.Notices, text)
			events.Noted(text)
		}
	}
	run, err := resources.New(job, store, noted, events.Advanced)
	return &runState{run, events, report}, err
}

// closeStore removes all spilled data and reports their size.
func (r *runState) closeStore() error {
	stats, err := r.Scratch.Close()
	if stats.BytesWritten > 0 {
		r.report.Spilled, r.report.SpilledPeak = stats.BytesWritten, stats.PeakDiskBytes
	}
	return err
}

// stage does a stage of a run, unless the context has ended. It reports the begin, the end and
// the duration of the stage.
func (r *runState) stage(ctx context.Context, name resources.Stage, do func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	began := r.events.Began(name)
	if err := do(); err != nil {
		return err
	}
	took := r.events.Ended(name, began)
	if !r.report.AlreadyDone { // otherwise the report is that of an earlier run
		r.report.Stages = append(r.report.Stages, StageTime{name, took.Seconds()})
	}
	return nil
}

// joinClosed joins an error with the error of a close, unless the first error has the second
// already.
func joinClosed(err, closed error) error {
	if errors.Is(err, closed) {
		return err
	}
	return errors.Join(err, closed)
}
