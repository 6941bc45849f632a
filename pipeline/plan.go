package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/pipeline/coding"
	"github.com/kcut/kcut/pipeline/fault"
	"github.com/kcut/kcut/pipeline/forecast"
	"github.com/kcut/kcut/pipeline/jobfile"
	"github.com/kcut/kcut/pipeline/output"
)

// PlanOptions are what the command line adds to a job that is planned.
type PlanOptions struct {
	Overwrite bool // as of RunOptions
	Sample    bool // read an excerpt of the rows, too
}

// Plan tells what a run of the job would do and take. It reads schemas and statistics, and
// when asked to an excerpt of the rows, and writes nothing. The error is that which a run
// would end with as far as it can be known; beside an error there is a forecast when the
// output exists or a k cannot be met, else none.
func Plan(ctx context.Context, job *jobfile.Job, opt PlanOptions) (_ *forecast.Forecast, err error) {
	p := &planning{run: run{job: job, engine: newEngine(job.Algorithm), report: &Report{}}}
	if err := p.provide(); err != nil {
		return nil, err
	}
	p.listen()
	defer func() { err = errors.Join(err, p.closeInput()) }()
	exists, err := output.Check(ctx, job.Output.Path)
	if err != nil {
		return nil, err
	}
	if p.local, err = output.Local(job); err != nil {
		return nil, err
	}
	if err := p.loadTaxonomies(); err != nil {
		return nil, err
	}
	unmet := p.open(ctx)
	if unmet != nil && fault.ClassOf(unmet) != fault.Privacy {
		return nil, unmet
	}
	f, err := p.forecast(ctx, opt.Sample)
	if err != nil {
		return nil, err
	}
	f.Exists = exists
	if f.AlreadyDone, err = p.done(ctx, exists); err != nil || f.AlreadyDone {
		return f, err
	}
	if exists && !opt.Overwrite {
		return f, p.standing("it exists", "name another output, or replace it with --overwrite")
	}
	return f, unmet
}

// done reports whether the record of the output is that of the same job and input. Whether the
// output was changed since is not looked at, which takes reading all of it.
func (p *planning) done(ctx context.Context, exists bool) (_ bool, err error) {
	if !exists {
		return false, nil
	}
	p.work, p.beside = checkpoint.In(p.files(), workFolder(p.local)), companionOf(p.job.Output.Path)
	if err := p.identify(ctx); err != nil {
		return false, err
	}
	records, err := p.knownRecords(ctx)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(records, func(was known) bool { return was.is(p.report.Digests) }), nil
}

// planning is a run that is foretold.
type planning struct {
	run
	statistics []formats.Statistics // of every column of the schema
	load       forecast.Load
}

// forecast describes the run from what its plan stage has found.
func (p *planning) forecast(ctx context.Context, sample bool) (*forecast.Forecast, error) {
	p.threads = threadsWithin(p.budget.Limit(), p.threads, p.prepared.read())
	f := &forecast.Forecast{Output: p.job.Output.Path, Algorithm: p.job.Algorithm.Name, Files: len(p.dataset.Files())}
	for _, info := range p.inputs {
		f.Bytes += info.Size()
	}
	if err := p.readStatistics(ctx); err != nil {
		return nil, err
	}
	if err := p.checkBounds(); err != nil {
		return nil, err
	}
	f.Columns, f.Sets = p.columns(), p.sets()
	p.addUp(f)
	if sample {
		if err := p.sample(ctx, f); err != nil {
			return nil, err
		}
	}
	p.noteIdentifiers(f.Columns)
	f.Weigh(&p.load)
	p.compareRoom(f)
	f.Memory.Overhead = residentOverhead
	f.Notices = p.report.Notices
	return f, nil
}

// mostDescribed is of how many columns of splits statistics are looked at: each may take a
// small reading.
const mostDescribed = 4096

// readStatistics asks the input for its statistics.
func (p *planning) readStatistics(ctx context.Context) (err error) {
	columns := make([]int, len(p.dataset.Schema().Fields))
	for i := range columns {
		columns[i] = i
	}
	p.statistics, err = p.dataset.Statistics(ctx, columns, max(8, mostDescribed/max(1, len(columns))))
	return err
}

// columns lists the columns of the input with bounds for their distinct values.
func (p *planning) columns() (columns []forecast.Column) {
	rows := p.dataset.Rows()
	for i, field := range p.dataset.Schema().Fields {
		atLeast, atMost := p.statistics[i].Distinct(field.Type)
		if p.statistics[i].Rows < rows {
			atMost = min(rows, int64(float64(atMost)*p.all(i)))
		}
		columns = append(columns, forecast.Column{
			Name: field.Name, Type: field.Type.String(), Mask: p.prepared.specs[i].Mask,
			Distinct: forecast.Range{AtLeast: atLeast, AtMost: atMost},
		})
	}
	return columns
}

// all is by how many all rows are more than those whose statistics of a column were looked at.
func (p *planning) all(column int) float64 {
	return float64(p.dataset.Rows()) / float64(max(1, p.statistics[column].Rows))
}

// checkBounds refuses declared bounds that the statistics already contradict.
func (p *planning) checkBounds() error {
	for i, field := range p.dataset.Schema().Fields {
		within := p.statistics[i].Within
		if !within.Known || p.prepared.specs[i].Mask != jobfile.MaskDiscretize {
			continue
		}
		bounds, err := coding.NewBounds(p.prepared.specs[i], field.Type)
		if err != nil {
			return err
		}
		ends := &formats.Values{Type: field.Type, Words: []uint64{within.Low, within.High}}
		for end := range ends.Words {
			bounds.Check(ends, end, 0)
		}
		if bounds.Values > 0 {
			return &fault.Error{
				Class: fault.Input,
				Hint:  "widen bounds in the job file, or leave them out for open ends",
				Err:   fmt.Errorf("mask column %s: by the input's statistics it has values outside the declared bounds", field.Name),
			}
		}
	}
	return nil
}

// noteIdentifiers tells of kept columns in which nearly every row has a value of its own.
func (p *planning) noteIdentifiers(columns []forecast.Column) {
	rows := p.dataset.Rows()
	for _, c := range columns {
		if c.Mask == jobfile.MaskKeep && c.Distinct.AtLeast > 1 && c.Distinct.AtLeast >= rows/10*9 {
			p.events.Noted(fmt.Sprintf("column %s is kept, and nearly every row has a value of its own there: it may tell who is who", c.Name))
		}
	}
}

func (p *planning) sets() (sets []forecast.Set) {
	for i, set := range p.job.Sets {
		sets = append(sets, forecast.Set{
			Columns: set.Columns, K: set.K, Reachable: p.dataset.Rows() >= int64(set.K),
			Redundant: slices.Contains(p.prepared.dropped, i),
		})
	}
	return sets
}

// addUp collects what the run has to do.
func (p *planning) addUp(f *forecast.Forecast) {
	p.load = forecast.Load{
		Rows: p.dataset.Rows(), Masked: len(p.prepared.masked), Memory: p.budget.Limit(), Threads: p.threads, TopDown: p.wants().Leaves,
	}
	for _, column := range p.read() {
		p.load.Columns = append(p.load.Columns, f.Columns[column])
	}
	for _, columns := range p.groupings() {
		p.load.Groupings = append(p.load.Groupings, forecast.Group(p.load.Columns, columns, p.load.Rows))
	}
	stored := int64(0)
	for i := range f.Columns {
		size := int64(float64(p.statistics[i].Stored) * p.all(i))
		if stored += size; f.Columns[i].Mask == jobfile.MaskKeep {
			p.load.Kept += size
		}
	}
	if p.load.Parsed = stored == 0; p.load.Parsed {
		p.load.Kept = f.Bytes
	}
}

// read returns the fields of the columns whose values are counted: the masked ones, and the class.
func (p *planning) read() (fields []int) {
	for _, request := range p.prepared.requests() {
		fields = append(fields, request.Column)
	}
	return fields
}

// groupings returns the columns that the engine wants counted together, by their position
// among those that are counted.
func (p *planning) groupings() (groupings [][]int) {
	for _, g := range p.wants().Groupings {
		columns := slices.Clone(g.Columns)
		if g.Class && p.prepared.class >= 0 {
			columns = append(columns, len(p.prepared.masked))
		}
		groupings = append(groupings, columns)
	}
	return groupings
}

// mostSampled is how many rows an excerpt has when the budget allows it.
const mostSampled = 1 << 19

// sample reads an excerpt and makes the numbers of distinct values and tuples what it shows.
func (p *planning) sample(ctx context.Context, f *forecast.Forecast) error {
	fields := append(p.read(), p.kept()...)
	rowBytes := int64(8 * (len(fields) + 1)) // hashes, and those of one tuple
	rows := min(mostSampled, p.load.Rows, p.budget.Limit()/4/rowBytes)
	if err := p.budget.Draw("the excerpt", rows*rowBytes); err != nil {
		return err
	}
	e := forecast.NewExcerpt(len(fields), rows)
	err := p.dataset.Excerpt(ctx, rows, fields, func(b *formats.Batch) error {
		e.Add(b)
		return nil
	})
	if err != nil {
		return err
	}
	for i, field := range fields {
		seen := e.Values(i)
		f.Columns[field].See(seen, p.load.Rows*seen.Rows/max(1, e.Rows))
	}
	for i := range p.load.Columns {
		p.load.Columns[i] = f.Columns[fields[i]]
	}
	for i, columns := range p.groupings() {
		p.load.Groupings[i] = forecast.Group(p.load.Columns, columns, p.load.Rows)
		p.load.Groupings[i].See(e.Tuples(columns), p.load.Rows)
	}
	f.Sampled = e.Rows
	return nil
}

// kept returns the fields of the columns that are kept, but for the class and for nested ones.
func (p *planning) kept() (fields []int) {
	for i, field := range p.dataset.Schema().Fields {
		if p.prepared.specs[i].Mask == jobfile.MaskKeep && i != p.prepared.class && field.Type.Kind != formats.Nested {
			fields = append(fields, i)
		}
	}
	return fields
}
