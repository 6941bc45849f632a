package pipeline

import (
	"context"
	"errors"
	"slices"

	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/spill"
)

// recorder is what a run takes, and who is told of it: the events, and the report.
type runState struct {
	*resources.Run
	events Events
	report *Report
}

// newRecorder gives a run what the job says of threads and memory. What it notes is in the
// report, once: one that starts again, out of core, notes the same.
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

// closeStore removes all that was spilled, and reports how much that was.
func (r *runState) closeStore() error {
	stats, err := r.Scratch.Close()
	if stats.BytesWritten > 0 {
		r.report.Spilled, r.report.SpilledPeak = stats.BytesWritten, stats.PeakDiskBytes
	}
	return err
}

// stage does a part of a run, unless the context has ended, and tells when it begins and ends,
// and how long it took.
func (r *runState) stage(ctx context.Context, name resources.Stage, do func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	began := r.events.Began(name)
	if err := do(); err != nil {
		return err
	}
	took := r.events.Ended(name, began)
	if !r.report.AlreadyDone { // else the report is that of the run that made what stands
		r.report.Stages = append(r.report.Stages, StageTime{name, took.Seconds()})
	}
	return nil
}

// joinClosed adds the error of closing something to another one, unless it is that already.
func joinClosed(err, closed error) error {
	if errors.Is(err, closed) {
		return err
	}
	return errors.Join(err, closed)
}
