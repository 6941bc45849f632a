package kcut

import (
	"context"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline"
)

// Runner has the tasks of a run's steps done by Workers in other processes, on whatever machines: an engine for batch jobs is one.
// docs/engines.md says what can be done elsewhere, and what is refused.
type Runner = pipeline.Runner

// Step is what Workers do of a run at a time.
type Step = pipeline.Step

// Worker does tasks of a run that another process carries out. Its methods may be called from several goroutines at a time.
type Worker = pipeline.Worker

// OpenWorker opens the job of a run, of whose steps the folder is. It has to be closed.
func OpenWorker(ctx context.Context, folder string) (*Worker, error) {
	w, err := pipeline.OpenWorker(ctx, folder)
	return w, fault.Advised(err)
}
