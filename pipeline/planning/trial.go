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
	return tryInput(ctx, in, j, nil, nil, nil, budget)
}

// tryInput is Try of a job with a population, or nil. It also determines, for the reported kept
// columns, the share of rows in small classes, and counts people, unless they are nil.
func tryInput(
	ctx context.Context, in *dataset.Dataset, j *job.Job, population *binding.Bound,
	reported []risk.Member, people *People, budget *spill.Budget,
) (*forecast.Trial, error) {
	part := budget.Part(budget.Left())
	defer func() { part.Return(part.Used()) }()
	t, err := binding.LoadTaxonomies(j, part)
	if err != nil {
		return nil, err
	}
	b, err := binding.Of(in, j, t)
	if err != nil {
		return nil, err
	}
	b.Population = population
	r, err := resources.New(j, spill.Options{}, resources.Events{})
	if err != nil {
		return nil, err
	}
	r.Budget, r.Scratch.Refused = part, true
	r.Threads = binding.ThreadsWithin(part.Limit(), r.Threads, b.Reads())
	return tryBound(ctx, b, reported, people, r)
}

// tryBound counts and searches the input, and returns the result of the search and the figures of
// the release. It counts people unless they are nil.
func tryBound(
	ctx context.Context, b *binding.Bound, reported []risk.Member, people *People,
	r *resources.Run,
) (*forecast.Trial, error) {
	var out search.Outcome
	s := search.New(b, r, &out)
	if err := s.CheckPeople(ctx); err != nil {
		return nil, err
	}
	counts, err := s.Count(ctx, count.Tuning{}, nil)
	if err != nil {
		return nil, err
	}
	found, err := s.Find(ctx, counts, search.Options{Held: b.Taxonomies.Bytes})
	if err != nil {
		return nil, err
	}
	t := &forecast.Trial{Rows: b.Dataset.Rows(), Steps: out.Steps, Information: *out.Information,
		Masked: len(b.Masked), Parts: make(map[string]float64), Single: make(map[string]float64)}
	for _, c := range out.Masked {
		t.Parts[c.Column], t.Single[c.Column] = c.OfValues, c.Single
		if c.Information <= leastInformation {
			t.Lost = append(t.Lost, c.Column)
		}
	}
	members := guard.New(b, r).Members(reported, found.Cut)
	if t.Union, err = found.CountPeople(ctx, b, members, r); err != nil {
		return nil, err
	}
	t.Members = guard.WithMembers(reported, members)
	if t.AverageRisk, err = found.AverageRisks(ctx, b, r); err != nil || people == nil {
		return t, err
	}
	m, err := found.Masker(b, r)
	if err != nil {
		return nil, err
	}
	return t, people.count(ctx, m, b, found.Cut, r.Budget)
}

// leastInformation is the share of a column's information above which the column has more than
// one label: sums of shares are not exact.
const leastInformation = 1e-12

// predictUnion tries the job on a part of the input, and predicts the share of rows that are
// alone on all labels. A run does the same with all rows: if the part has all rows, its errors
// are those of a run. A population is counted if it is no larger than a sample.
func (p *planning) predictUnion(
	ctx context.Context, part *dataset.Dataset, f *forecast.Forecast,
) error {
	all, people := part.Rows() == p.load.Rows, p.people
	if of := p.Population; of != nil && (!all || rowsOf(of.Dataset) > mostSampled) {
		return nil // a run with fewer people, or without these limits, says nothing
	}
	if !all {
		people = nil
	}
	if people == nil && p.hidesAll() && len(f.Risk.Members) == 0 {
		f.Union = &risk.Union{} // nobody is alone: see cutfile.File.HidesAll
		return nil
	}
	t, err := tryInput(ctx, part, p.asked, p.Population, f.Risk.Members, people, p.Budget)
	if err == nil {
		f.Union, f.Risk.Members, p.load.Tried = t.Union, t.Members, t
		err = cmp.Or(p.guard.CheckMembers(t.Members), p.guard.CheckUnion(t.Union),
			p.guard.CheckAverageRisk(t.AverageRisk))
		p.noteUncounted(t.AverageRisk)
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
		cause := err.Error()
		if wrong, is := errors.AsType[*job.Error](err); is {
			cause = wrong.Brief()
		}
		p.Noted(fmt.Sprintf("a run of the %s that were sampled would end with an error: %s",
			text.Count(part.Rows(), "row"), cause))
	}
	return nil
}

// noteUncounted notes the sets whose average risk is not known, since it had to be estimated.
func (p *planning) noteUncounted(risks []float64) {
	for i, of := range risks {
		if of == 0 {
			p.Noted(fmt.Sprintf("the average risk of a row on quasi-identifier set %d is not "+
				"predicted: it has more than %s classes, and a plan counts no more; a run counts "+
				"all, and ends with 4 above max_risk.average %s", i+1,
				text.Grouped(int64(risk.UnionHashes)), p.asked.MaxRisk.Average))
		}
	}
}

// hidesAll reports whether a set of all masked columns leaves nobody alone, and the job asks for
// nothing that only a search shows.
func (p *planning) hidesAll() bool {
	j := p.asked
	return p.Population == nil && j.Entity == "" && len(j.Sensitive) == 0 &&
		j.MaxRisk.Average == 0 && slices.ContainsFunc(j.EverySet(), func(s job.Set) bool {
		return s.K > 1 && len(s.Columns) == len(p.Masked)
	})
}

// rowsOf returns the number of stored rows, which may stand for several records each.
func rowsOf(in *dataset.Dataset) (rows int64) {
	for _, split := range in.Splits() {
		rows += split.Rows
	}
	return rows
}
