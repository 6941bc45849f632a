package pipeline

import (
	"context"
	"errors"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/search"
)

// bindJob binds a job without an earlier cut to its input.
func bindJob(ctx context.Context, job *job.Job, res *runState) (*search.Search, error) {
	taxonomies, err := binding.LoadTaxonomies(job, res.Budget)
	if err != nil {
		return nil, err
	}
	return (&jobRun{job: job}).bind(ctx, taxonomies, res)
}

// bind binds the job and its earlier cut, if there is one, to the input. If the only error is a k
// that no cut can reach, bind returns both the search and the error.
func (run *jobRun) bind(
	ctx context.Context, t *binding.Taxonomies, res *runState,
) (*search.Search, error) {
	s, err := search.Open(ctx, run.job, t, res.Run, &res.report.Outcome)
	if s == nil {
		return nil, err
	}
	res.report.Rows, s.Keys = s.Dataset.Rows(), run.keys
	for _, file := range s.Dataset.Files() {
		res.report.Inputs = append(res.report.Inputs, text.WithoutPartitions(file))
	}
	if err != nil {
		return s, err
	}
	res.report.Columns = columnReports(s.Dataset.Schema(), s.Specs, nil)
	if run.earlierCut != nil {
		if err := run.bindCut(ctx, s, res); err != nil {
			return s, err
		}
	}
	s.NoteJob()
	return s, nil
}

// bindCut binds the earlier cut to the job. The cut bounds the search, or replaces it.
func (run *jobRun) bindCut(ctx context.Context, s *search.Search, res *runState) error {
	if err := run.job.RefusePeople("with an earlier cut"); err != nil {
		return err
	}
	if o := run.apply; o != nil && o.OnBreak == search.BreakSuppress &&
		run.job.MaxSuppressed != (Quota{}) {
		admitUnnamed(s.Bound)
	}
	if err := s.BindCut(run.earlierCut); err != nil {
		return err
	}
	if o := run.apply; o != nil {
		s.Apply(run.earlierCut, o.OnBreak, o.MaxSuppressed)
	} else {
		s.Above(run.earlierCut)
	}
	return run.noteMovedLabels(ctx, s.Bound, res)
}

// admitUnnamed admits values that have no place in the cut, in columns whose taxonomy is
// generated from the values: the cut lacks nodes if all their records were suppressed.
func admitUnnamed(b *binding.Bound) {
	for _, field := range b.Masked {
		spec := *b.Specs[field]
		if of := b.Taxonomies.Of[spec.Name]; of.Generated() {
			spec.Unknown = job.UnknownRoot
			b.Specs[field] = &spec
		}
	}
}

// markMissingInput makes the error of a missing input transient if the job says so: then another
// try may find the input.
func (run *jobRun) markMissingInput(err error) error {
	if run.job.InputMissing == job.InputRetry && errors.Is(err, formats.ErrNoInput) {
		return &fault.Error{Class: fault.Transient,
			Hint: "the job says input_missing: retry: try again when the input is there", Err: err}
	}
	return err
}
