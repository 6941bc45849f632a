package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/kcut/kcut/engine/choose"
	"github.com/kcut/kcut/engine/mondrian"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/algorithm"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/forecast"
	"github.com/kcut/kcut/pipeline/guard"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// PlanOptions are the options that the command line adds to a job that is planned.
type PlanOptions struct {
	Overwrite bool // like RunOptions.Overwrite
	Sample    bool // read a sample of the rows, too
}

// Plan predicts what a run of the job would do, and which resources it would use. It reads
// schemas and statistics, and a sample of the rows if the options ask for one; it writes nothing.
// The error is the error of a run, as far as it can be predicted. Together with an error there is
// a forecast only if the output exists or a k cannot be reached.
func Plan(ctx context.Context, job *job.Job, opt PlanOptions) (_ *forecast.Forecast, err error) {
	if job, err = job.OfRows(); err != nil {
		return nil, err
	}
	res, err := newRunState(job, &Report{}, Events{}, spill.Options{})
	if err != nil {
		return nil, err
	}
	defer spill.LimitHeap(res.Budget.Limit())()
	run := &jobRun{job: job}
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
		return nil, unmet
	}
	p := &planning{Search: b, guard: guard.New(b.Bound, res.Run), res: res}
	f, err := p.forecast(ctx, opt.Sample)
	if err != nil {
		return nil, err
	}
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
	return f, cmp.Or(unmet, p.refused)
}

// forecast describes the run by the results of its plan stage.
func (p *planning) forecast(ctx context.Context, sample bool) (*forecast.Forecast, error) {
	f := &forecast.Forecast{Output: p.Job.Output.Path, Algorithm: p.Job.Algorithm.Name,
		Files: len(p.Dataset.Files()), Bytes: p.InputBytes()}
	if err := p.describe(ctx, f); err != nil {
		return nil, err
	}
	for i, set := range p.Job.EverySet() {
		f.Sets = append(f.Sets, forecast.Set{
			Columns: set.Columns, K: set.K, Reachable: p.Dataset.Rows() >= int64(set.K),
			Redundant: slices.Contains(p.Redundant, i),
		})
	}
	if err := p.checkCounting(ctx, f); err != nil {
		return nil, err
	}
	if sample {
		if err := p.sample(ctx, f); err != nil {
			return nil, err
		}
	}
	if err := p.checkEntities(f); err != nil {
		return nil, err
	}
	if err := p.checkMasking(ctx, f); err != nil {
		return nil, err
	}
	rows := p.Dataset.Rows()
	for i, c := range f.Columns {
		if p.Specs[i].Keeps() && c.Distinct.AtLeast > 1 && c.Distinct.AtLeast >= rows/10*9 {
			p.Noted(fmt.Sprintf("column %s is kept, and nearly every row has a value of its own "+
				"there: it may identify people", c.Name))
		}
	}
	if p.Job.Order == job.OrderReleased {
		p.load.Ordering, p.load.Ordered = p.releasedRows(f).Spills()
	}
	p.predictModels(f)
	f.SetLoad(&p.load)
	p.predictChoice(f)
	output := forecast.Range{AtMost: f.Disk.Output}
	f.Disk.OutputRoom = p.checkRoom("the release",
		filepath.Dir(filepath.Clean(p.res.Scratch.Output)), output)
	f.Disk.SpillRoom = p.checkRoom("what is spilled", p.res.Scratch.Path(), f.Disk.Spill)
	f.Memory.Overhead = spill.Overhead
	f.Notices = p.res.report.Notices
	return f, nil
}

// predictModels predicts the number of trees that algorithm guided fits, and of their classes, if
// the job names guided or an algorithm that may choose it. If the number of classes is unknown,
// the prediction assumes the smallest possible number.
func (p *planning) predictModels(f *forecast.Forecast) {
	if name := p.Job.Algorithm.Name; p.Class < 0 ||
		name != job.AlgorithmGuided && name != job.AlgorithmAuto {
		return
	}
	values := f.Columns[p.Class].Distinct
	classes := max(2, values.AtLeast)
	if values.AtMost < p.load.Rows/10 {
		classes = max(classes, values.AtMost)
	}
	p.load.Guided = forecast.Guided{Classes: classes,
		Trees: mondrian.Engine{Guided: true}.Trees(uint64(p.load.Rows), int(classes))}
}

// predictChoice predicts the time for choosing an algorithm, and adds it to the time of the run.
func (p *planning) predictChoice(f *forecast.Forecast) {
	e, ok := algorithm.Engine(p.Job).(choose.Engine)
	if !ok {
		return
	}
	tuples := f.Groupings[0].Tuples
	least := e.Predict(uint64(f.Rows), int(tuples.AtLeast), len(p.Masked))
	most := e.Predict(uint64(f.Rows), int(tuples.AtMost), len(p.Masked))
	for i, c := range e.Candidates {
		seconds := forecast.Seconds{AtLeast: least[i].Seconds(), AtMost: most[i].Seconds()}
		f.Auto = append(f.Auto, forecast.Candidate{
			Algorithm: c.Name, Suppresses: c.Suppresses, Seconds: seconds, LeftOut: c.Barred,
		})
		f.Seconds.AtLeast, f.Seconds.AtMost = f.Seconds.AtLeast+seconds.AtLeast,
			f.Seconds.AtMost+seconds.AtMost
	}
}
