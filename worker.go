package kcut

import (
	"context"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline"
)

// Runner has the rows of a run masked by Workers in other processes, on whatever machines: an engine for batch jobs is one.
// docs/engines.md says what can be done elsewhere, and what is refused.
type Runner = pipeline.Runner

// Worker masks rows of a run that another process carries out. Its methods may be called from several goroutines at a time.
type Worker = pipeline.Worker

// OpenWorker opens the job and the cut of a run, which are in the folder that the Runner was given. It has to be closed.
func OpenWorker(ctx context.Context, folder string) (*Worker, error) {
	w, err := pipeline.OpenWorker(ctx, folder)
	return w, fault.Advised(err)
}
