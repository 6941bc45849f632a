package planning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/forecast"
	"github.com/kcut/kcut/pipeline/guard"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/masking"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/pipeline/search"
	"github.com/kcut/kcut/spill"
)

// Try finds out the result of a job on an open input, or on a part of its rows. It counts and
// searches like a run, within the rest of a budget, and writes nothing. It returns all memory to
// the budget.
func Try(
	ctx context.Context, in *dataset.Dataset, j *job.Job, budget *spill.Budget,
) (*forecast.Trial, error) {
	t, _, err := tryInput(ctx, in, j, nil, nil, budget)
	return t, err
}

// tryInput is Try. It also determines, for the reported kept columns, the share of rows in small
// classes, and counts people.
func tryInput(
	ctx context.Context, in *dataset.Dataset, j *job.Job, reported []risk.Member, people *People,
	budget *spill.Budget,
) (*forecast.Trial, []risk.Member, error) {
	part := budget.Part(budget.Left())
	defer func() { part.Return(part.Used()) }()
	t, err := binding.LoadTaxonomies(j, part)
	if err != nil {
		return nil, nil, err
	}
	b, err := binding.Of(in, j, t)
	if err != nil {
		return nil, nil, err
	}
	r, err := resources.New(j, spill.Options{}, resources.Events{})
	if err != nil {
		return nil, nil, err
	}
	r.Budget, r.Scratch.Refused = part, true
	r.Threads = binding.ThreadsWithin(part.Limit(), r.Threads, b.Reads())
	return tryBound(ctx, b, reported, people, r)
}

// tryBound counts and searches the input, and returns the result of the search and the shares of
// the reported kept columns. It counts people unless they are nil.
func tryBound(
	ctx context.Context, b *binding.Bound, reported []risk.Member, people *People,
	r *resources.Run,
) (*forecast.Trial, []risk.Member, error) {
	var out search.Outcome
	s := search.New(b, r, &out)
	counts, err := s.Count(ctx, count.Tuning{}, nil)
	if err != nil {
		return nil, nil, err
	}
	found, err := s.Find(ctx, counts, search.Options{Held: b.Taxonomies.Bytes})
	if err != nil {
		return nil, nil, err
	}
	t := &forecast.Trial{Rows: b.Dataset.Rows(), Steps: out.Steps, Information: *out.Information,
		Masked: len(b.Masked), Parts: make(map[string]float64)}
	for _, c := range out.Masked {
		t.Parts[c.Column] = c.Information
		if c.Information <= leastInformation {
			t.Lost = append(t.Lost, c.Column)
		}
	}
	members := guard.New(b, r).Members(reported, found.Cut)
	t.Union, err = found.CountPeople(ctx, b, members, r)
	if err == nil && people != nil {
		var m *masking.Masker
		if m, err = found.Masker(b, r); err == nil {
			err = people.count(ctx, m, b, r.Budget)
		}
	}
	return t, guard.WithMembers(reported, members), err
}

// leastInformation is the share of a column's information above which the column has more than
// one label: sums of shares are not exact.
const leastInformation = 1e-12

// predictUnion tries the job on a part of the input, and predicts the share of rows that are
// alone on all labels. A run does the same with all rows: if the part has all rows, its errors
// are those of a run.
func (p *planning) predictUnion(
	ctx context.Context, part *dataset.Dataset, f *forecast.Forecast,
) error {
	hidesAll := func(s job.Set) bool { return s.K > 1 && len(s.Columns) == len(p.Masked) }
	all, people := part.Rows() == p.load.Rows, p.people
	if !all {
		people = nil
	}
	if slices.ContainsFunc(p.Job.EverySet(), hidesAll) && len(f.Risk.Members) == 0 &&
		people == nil {
		f.Union = &risk.Union{} // nobody is alone: see cutfile.File.HidesAll
		return nil
	}
	t, members, err := tryInput(ctx, part, p.Job, f.Risk.Members, people, p.Budget)
	if err == nil {
		f.Union, f.Risk.Members, p.load.Tried = t.Union, members, t
		err = cmp.Or(p.guard.CheckMembers(members), p.guard.CheckUnion(t.Union))
	}
	switch class := fault.ClassOf(err); {
	case err == nil:
	case ctx.Err() != nil:
		return ctx.Err()
	case all && (class == fault.Privacy || class == fault.Input):
		p.refused = cmp.Or(p.refused, err)
	case errors.Is(err, spill.ErrBudget):
		p.Noted("how many rows are alone on all labels is not predicted: " +
			"the search of the rows that were sampled does not fit the memory, and a plan writes " +
			"nothing")
	default:
		p.Noted(fmt.Sprintf("a run of the %s that were sampled would not be published: %v",
			text.Count(part.Rows(), "row"), err))
	}
	return nil
}
