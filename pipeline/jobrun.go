package pipeline

import (
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/pseudonym"
)

// jobRun is a run of a job: the job, the options of the command line, and the earlier cuts that
// the run must regard.
type jobRun struct {
	job        *job.Job
	opt        *RunOptions
	keys       map[string]*pseudonym.Key // the keys of pseudonym columns, by column name
	earlierCut *domain.Cut               // the cut to apply, or the bound of the search; or nil
	apply      *ApplyOptions             // how to apply earlierCut; nil: the run searches a cut

	// previousCut is the cut of the job's previous release: the run's cut must not be finer. It is
	// nil if the job names no previous release.
	previousCut *domain.Cut
}
