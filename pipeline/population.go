package pipeline

import (
	"cmp"
	"context"
	"slices"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/population"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/verify"
	"github.com/kcut/kcut/spill"
)

// VerifyOptions say how Verify recounts a release. Missing limits are those of the machine.
type VerifyOptions struct {
	Limits job.Limits
	Events resources.Events
	// Cut is a file with the JSON of a cut, or a release that has it. Verify takes it for files
	// that another engine masked with this cut, since such files have no cut of their own. Empty:
	// the release has its cut.
	Cut string
	// Job is a job to which the release is held, too: to the k, max_risk and sensitive columns of
	// its sets, its max_unique, and what it does with each column. If it has a population, the
	// people of every class are counted there. Nil: the release is held to its cut alone.
	Job *job.Job
	// Population takes the place of the job's, if it has an input.
	Population job.Population
}

// Verify recounts a release, like verify.Release. A job adds what it asks of a release.
func Verify(ctx context.Context, path string, opt VerifyOptions) (_ *verify.Result, err error) {
	o := verify.Options{Limits: opt.Limits, Events: opt.Events, Cut: opt.Cut}
	if opt.Job == nil {
		return verify.Release(ctx, path, o)
	}
	j := *opt.Job
	if len(opt.Population.Input) > 0 {
		j.Population = opt.Population
	}
	if o.Job, err = withTrees(&j); err != nil {
		return nil, err
	}
	if len(j.Population.Input) == 0 {
		if asks := func(s job.Set) bool { return s.OfPopulation().Asked() }; slices.ContainsFunc(
			j.Sets, asks) {
			return nil, fault.Errorf(fault.Usage, "name one: --population FILE",
				"count the people of a population: the job names none")
		}
		return verify.Release(ctx, path, o)
	}
	cut, err := cutfile.Read(ctx, cmp.Or(opt.Cut, path))
	if err != nil {
		return nil, err
	}
	if suppressed, _ := cut.Marked(); cut.Kind == cutfile.KindRegions || suppressed > 0 {
		return nil, fault.Errorf(fault.Usage, "count with kcut check --population, in a table of "+
			"the values", "count the people of a population in %s: its cut has regions or "+
			"suppressed records", path)
	}
	j.Limits = opt.Limits
	res, err := newRunState(&j, &Report{}, opt.Events, spill.Options{})
	if err != nil {
		return nil, err
	}
	taxonomies, err := binding.LoadTaxonomies(&j, res.Budget)
	if err != nil {
		return nil, res.Budget.Advise(err)
	}
	of, err := binding.OpenPopulation(ctx, &j, taxonomies, res.Run)
	if err != nil {
		return nil, res.Budget.Advise(err)
	}
	defer func() { err = fault.Join(err, of.Close()) }()
	counted, err := population.NewCount(of, j.EverySet(), cut, res.Run)
	if err != nil {
		return nil, res.Budget.Advise(err)
	}
	defer counted.Close()
	o.Population, o.Budget = counted, res.Budget
	return verify.Release(ctx, path, o)
}

// withTrees returns the job with the trees of its sensitive columns, which it may name.
func withTrees(j *job.Job) (*job.Job, error) {
	tree := func(s job.Sensitive) bool { return s.THierarchical != nil }
	if !slices.ContainsFunc(j.Sensitive, tree) {
		return j, nil
	}
	taxonomies, err := j.LoadTaxonomies()
	if err != nil {
		return nil, err
	}
	with := *j
	with.Sensitive = slices.Clone(j.Sensitive)
	for i := range with.Sensitive {
		if s := &with.Sensitive[i]; tree(*s) {
			s.Taxonomy = job.Taxonomy{Tree: taxonomies[s.Column].Tree}
		}
	}
	return &with, nil
}
