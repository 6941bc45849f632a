package pipeline

import (
	"context"
	"slices"

	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/spill"
)

// runState has the resources of a run, and its report so far.
type runState struct {
	*resources.Run
	report *Report
}

// newRunState gives a run the threads and the memory of its job. A notice is in the report once,
// even if a stage starts again out of core and notes the same.
func newRunState(
	job *job.Job, report *Report, events resources.Events, store spill.Options,
) (*runState, error) {
	once := events
	once.Notice = func(text string) {
		if !slices.Contains(report.Notices, text) {
			report.Notices = append(report.Notices, text)
			events.Noted(text)
		}
	}
	run, err := resources.New(job, store, once)
	return &runState{run, report}, err
}

// closeStore removes all spilled data and reports their size.
func (r *runState) closeStore() error {
	stats, err := r.Scratch.Close()
	if stats.BytesWritten > 0 {
		r.report.Spilled, r.report.SpilledPeak = stats.BytesWritten, stats.PeakDiskBytes
	}
	return err
}

// stage does a stage of a run, and reports its duration.
func (r *runState) stage(ctx context.Context, name resources.Stage, do func() error) error {
	took, err := r.Stage(ctx, name, do)
	if err == nil && !r.report.AlreadyDone { // otherwise the report is that of an earlier run
		r.report.Stages = append(r.report.Stages, StageTime{name, took.Seconds()})
	}
	return err
}
