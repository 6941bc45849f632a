package evaluate

import (
	"context"
	"errors"
	"fmt"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/classify"
	"github.com/kcut/kcut/pipeline"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// trial is one measurement being made.
type trial struct {
	*evaluation
	*parts
	budget *spill.Budget
	pools  pools // of the search
}

// unmasked measures the classifiers on raw rows, with their quasi-identifiers or without.
func (t *trial) unmasked(ctx context.Context, all bool) (measurement, error) {
	var features []feature
	for a := range t.Attributes {
		if all {
			features = append(features, rawFeature(&t.Attributes[a]))
		}
	}
	show := func(p *part) (*sight, error) {
		s := t.sight(features)
		return s, p.each(ctx, false, func(b *block) error { return s.show(b, b.counts) })
	}
	training, err := show(t.training)
	if err != nil {
		return measurement{}, err
	}
	test, err := show(t.test)
	if err != nil {
		return measurement{}, err
	}
	wrong, err := t.learn(ctx, training, test)
	return measurement{errors: wrong}, err
}

// variant masks the records as a job says. That no release can be made is a measurement, too.
func (t *trial) variant(ctx context.Context, job *job.Job) (m measurement, err error) {
	requirement := t.Requirement(job)
	recoding, err := t.search(ctx, job, requirement)
	if errors.Is(err, engine.ErrInfeasible) || errors.Is(err, engine.ErrUnreached) {
		return measurement{failed: err}, nil
	}
	if err != nil {
		return m, err
	}
	if err := t.budget.Draw("regions", recoding.Bytes()); err != nil {
		return m, err
	}
	r := t.newRelease(recoding)
	if err := r.make(ctx); err != nil {
		return m, err
	}
	if m.costs, err = r.costs.release(ctx, max(1, int(requirement.United().K))); err != nil {
		return m, err
	}
	m.errors, err = t.learn(ctx, r.training, r.test)
	return m, err
}

// search finds the recoding.
func (t *trial) search(ctx context.Context, job *job.Job, requirement engine.Requirement) (engine.Recoding, error) {
	searcher, options := pipeline.SearchOf(job)
	table, err := t.compress(ctx, searcher, requirement)
	if err != nil {
		return nil, err
	}
	options.Space = t.space()
	for _, grouping := range table.Groupings {
		options.Space.Share += grouping.Bytes()
	}
	recoding, err := searcher.Search(ctx, table, requirement, options)
	if err != nil {
		return nil, fmt.Errorf("mask by %s: %w", job.Algorithm.Name, err)
	}
	return recoding, nil
}

// compress counts what rules are made from, as an engine needs it.
func (t *trial) compress(ctx context.Context, searcher engine.Engine, requirement engine.Requirement) (*engine.Table, error) {
	classes := len(t.ClassNames)
	plan := searcher.Plan(requirement)
	attributes, histograms, err := t.pool(plan, requirement)
	if err != nil {
		return nil, err
	}
	coarsenings := searcher.Codes(attributes, histograms, classes, requirement)
	tallies := make([]*tally, len(plan.Groupings))
	for i, g := range plan.Groupings {
		var domains []int
		for _, a := range g.Columns {
			domains = append(domains, coarsenings[a].Domain)
		}
		if g.Class {
			domains = append(domains, classes)
		}
		tallies[i] = t.tally(domains, len(tallies))
	}
	err = t.source.each(ctx, false, func(b *block) error {
		t.pools.apply(b)
		for a, codes := range b.masked() {
			for i, code := range codes {
				codes[i] = coarsenings[a].Codes[code]
			}
		}
		for i, g := range plan.Groupings {
			var columns [][]uint32
			for _, a := range g.Columns {
				columns = append(columns, b.columns[a])
			}
			if g.Class {
				columns = append(columns, b.class())
			}
			if err := tallies[i].add(b.counts, columns); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	table := &engine.Table{
		Attributes: attributes, Classes: classes, ClassNames: t.ClassNames, Rows: t.source.rows, Merged: true, Histograms: histograms,
	}
	for _, y := range tallies {
		grouping, err := y.table(ctx)
		if err != nil {
			return nil, err
		}
		table.Groupings = append(table.Groupings, grouping)
	}
	return table, nil
}

// learn trains all classifiers, and returns the shares of test rows that they get wrong.
func (t *trial) learn(ctx context.Context, training, test *sight) (wrong []float64, err error) {
	learned, err := training.data(ctx)
	if err != nil {
		return nil, err
	}
	checked, err := test.data(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		err = errors.Join(err, learned.Table.Discard(t.space()), checked.Table.Discard(t.space()))
	}()
	for _, l := range t.learners {
		missed, err := t.try(ctx, l, learned, checked)
		if err != nil {
			return nil, fmt.Errorf("train the %s classifier: %w", l.Name(), err)
		}
		wrong = append(wrong, float64(missed)/float64(test.rows))
	}
	return wrong, nil
}

// try trains one classifier, and returns how many test rows it gets wrong.
func (t *trial) try(ctx context.Context, l classify.Learner, training, test classify.Data) (wrong uint64, err error) {
	space := t.space()
	space.Budget = space.Budget.Part(space.Share)
	defer func() { space.Budget.Return(space.Budget.Used()) }()
	training.Space, test.Space = space, space
	classifier, err := l.Learn(ctx, training)
	if err != nil {
		return 0, err
	}
	return classify.Errors(ctx, classifier, test)
}
