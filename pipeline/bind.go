package pipeline

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/search"
	"github.com/kcut/kcut/spill"
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
	b, err := binding.Open(ctx, run.job, t, res.Run)
	if b == nil {
		return nil, err
	}
	rows := b.Dataset.Rows()
	res.report.Rows, b.Keys = rows, run.keys
	for _, file := range b.Dataset.Files() {
		res.report.Inputs = append(res.report.Inputs, text.WithoutPartitions(file))
	}
	res.Threads = binding.ThreadsWithin(res.Budget.Limit(), res.Threads, b.Reads())
	s := search.New(b, res.Run, &res.report.Outcome)
	if err != nil {
		return s, err
	}
	res.report.Columns = columnReports(b.Dataset.Schema(), b.Specs, nil)
	if run.earlierCut != nil {
		if err := run.bindCut(ctx, s, res); err != nil {
			return s, err
		}
	}
	spill.ExpectHeap(rows*int64(len(b.Masked))*cellBytes, res.Budget.Limit())
	for _, set := range b.Redundant {
		res.Noted(fmt.Sprintf("quasi-identifier set %d is redundant: its columns are in another "+
			"set whose k is not smaller", set+1))
	}
	noteJob(b, res)
	s.NoteAsked()
	if run.job.Order == job.OrderInput {
		res.Noted("rows leave in the order of the input: whoever knows this order, or has " +
			"another release in it, can find out whose row is whose; order: released prevents this")
		if run.job.Previous != "" {
			res.Noted("previous is worth little with order: input: two releases in one order are " +
				"joined row by row, whatever their cuts are")
		}
	}
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

// otherEndings are the endings of names of files that are not Parquet.
var otherEndings = []string{".csv", ".tsv", ".arrow", ".feather", ".json"}

// noteJob notes settings of a job that its author may not have meant.
func noteJob(b *binding.Bound, res *runState) {
	for i, entry := range b.Job.Sets {
		if entry.K == 1 && !entry.OfPopulation().Asked() {
			which := fmt.Sprintf("set %d has", i+1)
			if entry.Subsets > 0 {
				which = fmt.Sprintf("sets of every %d of %d columns have", entry.Subsets,
					len(entry.Of))
			}
			res.Noted(fmt.Sprintf("quasi-identifier %s k = 1, which every table meets: it "+
				"protects nobody", which))
		}
	}
	if len(b.Job.InputCounts) > 0 {
		res.Noted("counts do not have the kept columns: kcut does not check whether these " +
			"columns, " +
			"or the class, identify people")
	}
	if output := b.Job.Output.Path; len(b.Job.InputCounts) == 0 &&
		slices.Contains(otherEndings, strings.ToLower(path.Ext(output))) {
		res.Noted(fmt.Sprintf("the release is a Parquet file, though its name ends in %s",
			path.Ext(output)))
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

// cellBytes is the most heap that was measured for a value of a masked column, in bytes, in a run
// without spilling: near-unique rows, all columns in one set.
const cellBytes = 16
