package pipeline

import (
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/pseudonym"
)

// assignment is a job to be carried out, with what is given beside it.
type jobRun struct {
	job        *job.Job
	opt        *RunOptions
	keys       map[string]*pseudonym.Key // of the columns of pseudonyms, by name
	earlierCut *domain.Cut               // the cut of an earlier release, if it bounds the job
	apply      *ApplyOptions             // how that cut is applied; nil: a cut is searched for

	previousCut *domain.Cut // what no cut may be finer than; nil: the job names no release
}
