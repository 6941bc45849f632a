package pipeline

import (
	"cmp"
	"context"
	"errors"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/forecast"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/planning"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/spill"
)

// PlanOptions are the options that the command line adds to a job that is planned.
type PlanOptions struct {
	Overwrite bool // plan a run that replaces the output if it exists
	Sample    bool // read some of the rows, too
}

// Plan predicts what a run of the job would do, and which resources it would use. It reads
// schemas and statistics, and a sample of the rows if the options ask for one; it writes nothing.
// The error is the error of a run, as far as it can be predicted. Together with an error there is
// a forecast only if the output exists or a k cannot be reached.
func Plan(ctx context.Context, job *job.Job, opt PlanOptions) (*forecast.Forecast, error) {
	return plan(ctx, job, opt, nil)
}

// plan is Plan. It also counts people, unless they are nil.
func plan(
	ctx context.Context, job *job.Job, opt PlanOptions, people *planning.People,
) (_ *forecast.Forecast, err error) {
	if job, err = job.OfRows(); err != nil {
		return nil, err
	}
	asked := job
	if asked.CountsPeople() != "" {
		job = asked.WithoutPeople()
	}
	res, err := newRunState(job, &Report{}, resources.Events{}, spill.Options{})
	if err != nil {
		return nil, err
	}
	defer spill.LimitHeap(res.Budget.Limit())()
	run := &jobRun{job: asked} // whose digest a record has
	if run.previousCut, err = previousForSearch(ctx, job); err != nil {
		return nil, err
	}
	records, err := newRunRecords(ctx, job, &RunOptions{}, res)
	if err != nil {
		return nil, err
	}
	b, unmet := bindJob(ctx, job, res)
	defer func() { err = errors.Join(err, b.Close()) }()
	if unmet != nil && fault.ClassOf(unmet) != fault.Privacy {
		return nil, run.markMissingInput(unmet)
	}
	var few error
	if job != asked {
		if err := b.JoinPopulation(ctx, asked, b.Taxonomies, res.Run); err != nil {
			return nil, run.markMissingInput(err)
		}
		few = b.CheckAllPeople(asked)
	}
	f, refused, err := planning.Predict(ctx, b, asked, opt.Sample, people)
	if err != nil {
		return nil, err
	}
	f.Notices = res.report.Notices
	f.Exists = records.exists
	if run.keys, err = binding.LoadKeys(job); err != nil {
		return nil, err
	}
	if f.AlreadyDone, err = records.hasRecordOf(ctx, run, b.Taxonomies); err != nil ||
		f.AlreadyDone {
		return f, err
	}
	if records.exists && !opt.Overwrite {
		return f, existsError(job, "it exists",
			"name another output, or replace it with --overwrite")
	}
	return f, cmp.Or(unmet, refused, few)
}
