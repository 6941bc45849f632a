package kcut

import (
	"time"

	"github.com/kcut/kcut/pipeline"
	"github.com/kcut/kcut/pipeline/evaluate"
	"github.com/kcut/kcut/pipeline/verify"
)

// Events is told what a function does. Every callback may be nil. Progress may be called from
// several goroutines at a time, the others from one.
type Events struct {
	Start    func(Stage)
	Progress func(Stage, Progress)
	End      func(Stage, time.Duration)
	// Notice is a fact the user should know of: a dropped redundant set, nulls, quantile
	// split points.
	Notice func(text string)
	// Meter is given, before the first stage, a function that tells what is taken of the machine
	// at the moment it is called. It may be called from any goroutine, also afterwards.
	Meter func(func() Usage)
	// Failed is given the report of a run that failed: how far it came, and why no further.
	Failed func(*Report)
}

// below is e as the packages below know it.
func (e Events) below() pipeline.Events { return pipeline.Events(e) }

// verifying tells of the one stage that a recount is.
func (e Events) verifying() verify.Watch {
	events := e.below()
	return events.Verifying()
}

// Stage names a part of what a function does.
type Stage = pipeline.Stage

// The stages, in order.
const (
	StagePlan     = pipeline.StagePlan
	StageCompress = pipeline.StageCompress
	StageSearch   = pipeline.StageSearch
	StageMask     = pipeline.StageMask
	StageVerify   = pipeline.StageVerify
	StagePublish  = pipeline.StagePublish
	StageEvaluate = evaluate.Stage // of Evaluate, instead of those after StageCompress
)

// Progress counts what a stage has done of what it has to do: rows, or steps of the search.
type Progress = pipeline.Progress

// Usage is what is taken of the machine at one moment, in bytes.
type Usage = pipeline.Usage
