package resources

import (
	"context"
	"time"
)

// Events are functions that a run calls to report its work. Any of them may be nil. Several
// goroutines may call Progress at a time; one goroutine calls the other functions.
type Events struct {
	Start    func(Stage)
	Progress func(Stage, Progress)
	End      func(Stage, time.Duration)
	// Notice receives a fact that the user should know: a dropped redundant set, nulls, quantile
	// split points. The text has places and counts only.
	Notice func(text string)
	// Meter receives a function, before the first stage. That function returns the resources in use
	// at the moment of its call. Any goroutine may call it, also after the run.
	Meter func(func() Usage)
}

// Stage does a stage, unless the context has ended, and returns its duration. It reports the begin
// and the end of the stage.
func (e *Events) Stage(
	ctx context.Context, name Stage, do func() error,
) (took time.Duration, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if e.Start != nil {
		e.Start(name)
	}
	began := time.Now()
	if err := do(); err != nil {
		return 0, err
	}
	took = time.Since(began)
	if e.End != nil {
		e.End(name, took)
	}
	return took, nil
}

// Advanced reports the progress of a stage.
func (e *Events) Advanced(s Stage, p Progress) {
	if e.Progress != nil {
		e.Progress(s, p)
	}
}

// Noted reports a fact.
func (e *Events) Noted(text string) {
	if e.Notice != nil {
		e.Notice(text)
	}
}
