package search

import (
	"context"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/guard"
	"github.com/kcut/kcut/pipeline/masking"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/risk"
)

// Masker returns a masker for the result of a search.
func (f *Found) Masker(b *binding.Bound, r *resources.Run) (*masking.Masker, error) {
	recoder, err := f.Recoder(b, r.Budget)
	if err != nil {
		return nil, err
	}
	m, err := NewMasker(b, recoder, r)
	if err == nil {
		m.Plan.SetDictionaries(f.Dictionaries.Of)
	}
	return m, err
}

// NewMasker returns a masker for a recoder.
func NewMasker(
	b *binding.Bound, recoder masking.Recoder, r *resources.Run,
) (*masking.Masker, error) {
	plan, err := masking.NewPlan(b.Job, b.Dataset.Schema(), b.Specs, b.Masked, recoder.Recoding,
		b.Keys)
	if err != nil {
		return nil, err
	}
	for _, field := range b.Counted() { // these columns distinguish records
		recoder.Tuples = append(recoder.Tuples, formats.Request{Column: field, Coded: true})
	}
	return &masking.Masker{
		Dataset: b.Dataset, Plan: plan, Recoder: recoder,
		Write:   writer.Options{Compression: b.Job.Output.Compression, Level: b.Job.Output.Level},
		Threads: r.Threads, Budget: r.Budget,
		Advanced: func(done, total int64) {
			r.Advanced(resources.StageMask, resources.Progress{Done: done, Total: total})
		},
	}, nil
}

// CountPeople counts in the input how many people, or rows, share the labels that they get. It
// also writes into members, for sets of columns, the share of rows in small classes.
func (f *Found) CountPeople(
	ctx context.Context, b *binding.Bound, members []risk.Member, r *resources.Run,
) (*risk.Union, error) {
	cut := f.Cut
	if cut.HidesAll() && len(members) == 0 {
		return &risk.Union{}, nil
	}
	m, err := f.Masker(b, r)
	if err != nil {
		return nil, err
	}
	people, err := m.CountEntities(ctx, b.Entity, guard.New(b, r).Groups(members, cut))
	if err != nil {
		return nil, err
	}
	for i := range members {
		members[i].Below = people[i+1].Below
	}
	if cut.HidesAll() {
		return &risk.Union{}, nil
	}
	return people[0].Union(), nil
}

// AverageRisks counts in the input the average risk of a released row in every set of the cut, if
// the job limits it. Where it had to be estimated, it is 0.
func (f *Found) AverageRisks(
	ctx context.Context, b *binding.Bound, r *resources.Run,
) (risks []float64, err error) {
	if b.Job.MaxRisk.Average == 0 {
		return nil, nil
	}
	m, err := f.Masker(b, r)
	if err != nil {
		return nil, err
	}
	sets, err := m.CountEntities(ctx, -1, guard.New(b, r).GroupsOfSets(f.Cut))
	if err != nil {
		return nil, err
	}
	for _, set := range sets {
		if set.Part > 0 {
			set.Prosecutor.Average = 0
		}
		risks = append(risks, set.Prosecutor.Average)
	}
	return risks, nil
}
