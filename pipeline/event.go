package pipeline

import (
	"time"

	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/verify"
)

// Events is told what a run does. Every function may be nil; Progress may be called
// from several goroutines at a time, the others from one.
type Events struct {
	Start    func(resources.Stage)
	Progress func(resources.Stage, resources.Progress)
	End      func(resources.Stage, time.Duration)
	// Notice is a fact the user should know of: a dropped redundant set, nulls, quantile
	// split points. It has a text with places and counts only.
	Notice func(text string)
	// Meter is given, before the first stage, a function that tells what the run takes at the
	// moment it is called. It may be called from any goroutine, also after the run.
	Meter func(func() resources.Usage)
	// Failed is given the report of a run that failed: how far it came, and why no further.
	Failed func(*Report)
}

// Began tells that a stage begins and returns when.
func (e *Events) Began(s resources.Stage) time.Time {
	if e.Start != nil {
		e.Start(s)
	}
	return time.Now()
}

// Ended tells that a stage has ended and returns how long it took.
func (e *Events) Ended(s resources.Stage, began time.Time) time.Duration {
	d := time.Since(began)
	if e.End != nil {
		e.End(s, d)
	}
	return d
}

// Advanced tells how far a stage is.
func (e *Events) Advanced(s resources.Stage, p resources.Progress) {
	if e.Progress != nil {
		e.Progress(s, p)
	}
}

// Verifying returns what tells of the stage in which a release is recounted.
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

// Noted tells a fact.
func (e *Events) Noted(text string) {
	if e.Notice != nil {
		e.Notice(text)
	}
}
