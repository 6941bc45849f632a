package pipeline

import (
	"time"

	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/verify"
)

// Events are functions that a run calls to report its work. Any of them may be nil. Several
// goroutines may call Progress at a time; one goroutine calls the other functions.
type Events struct {
	Start    func(resources.Stage)
	Progress func(resources.Stage, resources.Progress)
	End      func(resources.Stage, time.Duration)
	// Notice receives a fact that the user should know: a dropped redundant set, nulls, quantile
	// split points. The text has places and counts only.
	Notice func(text string)
	// Meter receives, before the first stage, a function that returns the resources that the run
	// uses at the time of the call. Any goroutine may call that function, also after the run.
	Meter func(func() resources.Usage)
	// Failed receives the report of a run that failed, with all finished stages and the error.
	Failed func(*Report)
}

// Began reports that a stage begins, and returns the time.
func (e *Events) Began(s resources.Stage) time.Time {
	if e.Start != nil {
		e.Start(s)
	}
	return time.Now()
}

// Ended reports that a stage has ended, and returns its duration.
func (e *Events) Ended(s resources.Stage, began time.Time) time.Duration {
	d := time.Since(began)
	if e.End != nil {
		e.End(s, d)
	}
	return d
}

// Advanced reports the progress of a stage.
func (e *Events) Advanced(s resources.Stage, p resources.Progress) {
	if e.Progress != nil {
		e.Progress(s, p)
	}
}

// Verifying returns functions that report the stage in which a release is recounted.
func (e *Events) Verifying() verify.Watch {
	return verify.Watch{
		Start: func() { e.Began(resources.StageVerify) },
		Progress: func(done, total int64) {
			e.Advanced(resources.StageVerify, resources.Progress{Done: done, Total: total})
		},
		End: func(took time.Duration) {
			if e.End != nil {
				e.End(resources.StageVerify, took)
			}
		},
	}
}

// Noted reports a fact.
func (e *Events) Noted(text string) {
	if e.Notice != nil {
		e.Notice(text)
	}
}
