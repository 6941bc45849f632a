package pipeline

import (
	"cmp"
	"context"

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
	// Job is the job of the release: the people of every class are counted in its population, and
	// held to its limits, too. Nil: none are counted.
	Job *job.Job
}

// Verify recounts a release, like verify.Release. A job adds the people of its population.
func Verify(ctx context.Context, path string, opt VerifyOptions) (_ *verify.Result, err error) {
	o := verify.Options{Limits: opt.Limits, Events: opt.Events, Cut: opt.Cut}
	if opt.Job == nil {
		return verify.Release(ctx, path, o)
	}
	if len(opt.Job.Population.Input) == 0 {
		return nil, fault.Errorf(fault.Usage, "name one: --population FILE",
			"count the people of a population: the job names none")
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
	j := *opt.Job
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
