package kcut

import (
	"context"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline"
)

// Runner has Workers in other processes mask the rows of a run, on any machines. An engine for
// batch jobs is a Runner. docs/engines.md says which stages can run remotely, and which jobs are
// refused.
type Runner = pipeline.Runner

// Worker masks rows of a run that another process carries out. Several goroutines may call its
// methods at a time.
type Worker = pipeline.Worker

// OpenWorker opens the job and the cut of a run in the folder that the Runner got. The caller
// closes the Worker.
func OpenWorker(ctx context.Context, folder string) (*Worker, error) {
	w, err := pipeline.OpenWorker(ctx, folder)
	return w, fault.Advised(err)
}
