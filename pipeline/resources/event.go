package resources

import "time"

// Events are functions that a run calls to report its work. Any of them may be nil. Several
// goroutines may call Progress at a time; one goroutine calls the other functions.
type Events struct {
	Start    func(Stage)
	Progress func(Stage, Progress)
	End      func(Stage, time.Duration)
	// Notice receives a fact that the user should know: a dropped redundant set, nulls, quantile
	// split points. The text has places and counts only.
	Notice func(text string)
	// Meter receives, before the first stage, a function that returns the resources that the run
	// uses at the time of the call. Any goroutine may call that function, also after the run.
	Meter func(func() Usage)
}

// Began reports that a stage begins, and returns the time.
func (e *Events) Began(s Stage) time.Time {
	if e.Start != nil {
		e.Start(s)
	}
	return time.Now()
}

// Ended reports that a stage has ended, and returns its duration.
func (e *Events) Ended(s Stage, began time.Time) time.Duration {
	d := time.Since(began)
	if e.End != nil {
		e.End(s, d)
	}
	return d
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
