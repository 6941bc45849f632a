package planning

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/check"
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

// mostSampled is the number of rows in a sample if the budget allows it.
const mostSampled = 1 << 19

// sample reads a sample and corrects the predicted numbers of distinct values and tuples by it.
func (p *planning) sample(ctx context.Context, f *forecast.Forecast) error {
	fields, groupings := p.countedFields()
	for _, field := range p.guard.Flat(p.guard.Kept()) {
		if !slices.Contains(fields, field) {
			fields = append(fields, field)
		}
	}
	// a hash for each field, and two orders of the hashes of a tuple
	rowBytes := int64(8 * (len(fields) + 2))
	rows := min(mostSampled, p.load.Rows, p.Budget.Grant(&spill.Sample)/rowBytes)
	if err := p.Budget.Draw("the sample", rows*rowBytes); err != nil {
		return err
	}
	err := p.readSample(ctx, fields, groupings, rows, f)
	p.Budget.Return(rows * rowBytes)
	if errors.Is(err, spill.ErrBudget) {
		return p.tryReaders(ctx, rows)
	}
	if err != nil {
		return err
	}
	part := p.Dataset.Part(rows)
	if err := p.checkWeights(ctx, part); err != nil {
		return err
	}
	return p.predictUnion(ctx, part, f)
}

// checkWeights refuses rows of a part of the input without a sampling weight, if the job has a
// column of them. A part with too many weights for the memory is not checked: a plan writes
// nothing.
func (p *planning) checkWeights(ctx context.Context, part *dataset.Dataset) error {
	if p.Weight < 0 {
		return nil
	}
	res := count.ResourcesOf(p.Run, resources.StagePlan, part.Rows())
	res.Open = func(string) (*spill.Store, error) { return nil, spill.ErrBudget }
	_, err := check.Count(ctx, &check.Request{Dataset: part, Columns: p.Masked[:1], Entity: -1,
		Household: -1, Weight: p.Weight}, res)
	if errors.Is(err, spill.ErrBudget) {
		return nil
	}
	return err
}

// tryReaders reads the rows of the sample in the way of counting and of masking, if the memory
// has no room for a sample besides its readers. An error of these readers is an error of a run,
// too.
func (p *planning) tryReaders(ctx context.Context, rows int64) error {
	counted, release := p.countRequest()
	defer release()
	part := p.Dataset.Part(rows)
	for _, requests := range [][]formats.Request{counted.Reads(), masking.Requests(p.Specs)} {
		if err := dataset.Scan(ctx, part, requests, []discarder{{}},
			func(int64) {}); err != nil {
			return err
		}
	}
	p.Noted("the memory has room for the readers only: no rows were sampled")
	return nil
}

// discarder takes rows and discards them.
type discarder struct{}

func (discarder) Batch(*formats.Batch) error { return nil }

// readSample reads the given number of rows of some fields, and counts the tuples of groupings in
// them.
func (p *planning) readSample(
	ctx context.Context, fields []int, groupings [][]int, rows int64, f *forecast.Forecast,
) error {
	e := forecast.NewSample(len(fields), rows)
	err := p.Dataset.Sample(ctx, rows, fields, func(b *formats.Batch) error {
		e.Add(b)
		return nil
	})
	if err != nil {
		return err
	}
	for i, field := range fields {
		seen := e.Values(i)
		f.Columns[field].Distinct.Narrow(seen, p.load.Rows*seen.Rows/max(1, e.Rows))
	}
	if e.Rows == p.load.Rows {
		p.noteFewNulls(e, fields)
	}
	for i := range p.load.Columns {
		p.load.Columns[i] = f.Columns[fields[i]]
	}
	for i, columns := range groupings {
		p.load.Groupings[i] = forecast.Group(p.load.Columns, columns, p.load.Rows)
		p.load.Groupings[i].Tuples.Narrow(e.Tuples(columns), p.load.Rows)
	}
	if last := len(groupings) - 1; p.Entity >= 0 &&
		p.Request(count.Tuning{}).Groupings[last].Weightless {
		entity := slices.Index(fields, p.Entity)
		heavy := e.Frequent(entity, count.Weightless, p.load.Rows)
		if heavy.AtMost == 0 {
			p.load.Groupings, p.load.Recounts = p.load.Groupings[:last], false
		}
	}
	for i := range p.load.Labels {
		if labels := &p.load.Labels[i]; labels.Disclosed {
			labels.Frequent = new(e.Frequent(i, labels.Least, p.load.Rows))
		}
	}
	f.Sampled = e.Rows
	return p.predictRisk(ctx, e, fields, f)
}

// noteFewNulls notes the columns that a run may keep at their widest label because of their nulls,
// by a sample of all rows: of several records in a row, and of records that may be suppressed, only
// a run knows it. Which algorithm auto chooses is not known, either.
func (p *planning) noteFewNulls(e *forecast.Sample, fields []int) {
	j := p.asked
	if j.CountColumn() != "" || j.MaxSuppressed != (job.Quota{}) ||
		j.Algorithm.Name == job.AlgorithmAuto {
		return
	}
	for a, set := range p.Requirement.ByAttribute(len(p.Masked)) {
		field := p.Masked[a]
		nulls := e.Rows - e.Values(slices.Index(fields, field)).Rows
		search.NoteFewNulls(p.Specs[field], j.Algorithm.Name, uint64(nulls), uint64(e.Rows), set.K,
			p.Noted)
	}
}

// predictRisk predicts the disclosure risk from the rows of a sample of some fields. If the
// sample has all rows, it also determines whether a run refuses the kept columns.
func (p *planning) predictRisk(
	ctx context.Context, e *forecast.Sample, fields []int, f *forecast.Forecast,
) error {
	x := p.guard.NewCount()
	defer x.Close()
	if err := x.Scan(ctx, p.Dataset.Part(e.Rows)); err != nil {
		return err
	}
	f.Risk = &risk.Report{K: p.guard.SmallestK(),
		Raw: e.Figures(positions(0, len(p.Masked)), p.guard.SmallestK())}
	if x.Counts() {
		if reported := x.Report(); reported != nil {
			f.Risk.Kept, f.Risk.Determines, f.Risk.Members = reported.Kept, reported.Determines,
				reported.Members
			if reported.Raw != nil {
				f.Risk.Raw.Population = reported.Raw.Population
			}
		}
		p.guard.NoteDetermined(f.Risk)
	}
	if kept := p.guard.Kept(); len(kept) > 0 {
		f.Risk.Columns = p.Names(kept...)
		at := p.guard.Flat(kept) // positions among the columns of the sample
		for i, field := range at {
			at[i] = slices.Index(fields, field)
		}
		flat := e.Figures(at, f.Risk.K)
		if p.distinctKept = flat.Classes; f.Risk.Kept == nil {
			f.Risk.Kept = flat
		}
	}
	return p.predictRefusal(ctx, x, e.Rows, f.Risk)
}

// predictRefusal determines whether a run refuses the kept columns, if the rows are all rows of
// the input. Otherwise it notes figures of the sample that would make a run refuse them.
func (p *planning) predictRefusal(
	ctx context.Context, x *guard.Count, rows int64, reported *risk.Report,
) error {
	if rows == p.load.Rows {
		p.refused = x.Check(ctx, reported)
		if p.refused != nil && fault.ClassOf(p.refused) != fault.Privacy {
			return p.refused
		}
		return nil
	}
	sampled := text.Count(rows, "row")
	if on := x.OnClass(); on != nil {
		if found := p.guard.FoundOnClass(on); found != "" {
			p.Noted(fmt.Sprintf("of the %s that were sampled, %s: a run counts all rows, and "+
				"ends with 4 then unless its entry accepts it", sampled, found))
		}
	}
	if reported.Kept != nil && guard.Identifies(reported.Kept) {
		p.Noted(fmt.Sprintf("of the %s that were sampled, %s kept columns: a run counts all "+
			"rows, and ends with 4 when more than %s are and their entries do not accept it",
			sampled, p.guard.Found(reported.Kept), text.Percent(guard.MostUnique)))
	}
	return nil
}
