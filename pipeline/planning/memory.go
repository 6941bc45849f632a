package planning

import (
	"context"
	"fmt"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/forecast"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/masking"
	"github.com/kcut/kcut/pipeline/pseudonym"
)

// checkEntities refuses a budget without room for the record counts of the entities. It notes a
// budget that may be too small.
func (p *planning) checkEntities(f *forecast.Forecast) error {
	if p.Entity < 0 {
		return nil
	}
	p.load.Entities = true
	rows, number := uint64(p.load.Rows), f.Columns[p.Entity].Distinct
	if err := count.CheckEntityRoom(rows, uint64(number.AtLeast), p.Budget); err != nil {
		return err
	}
	if err := count.CheckEntityRoom(rows, uint64(number.AtMost), p.Budget); err != nil {
		p.Noted(fmt.Sprintf("with as many as %s entities the memory is too small for a run: %v",
			text.Grouped(number.AtMost), err))
	}
	return nil
}

// holdReaders draws the memory of readers that work at the same time with the same requests, and
// returns a function that returns it. Once the readers have started, one of them loads nothing:
// it holds its rows while they are processed.
func (p *planning) holdReaders(
	ctx context.Context, requests []formats.Request, readers int,
) (release func(), err error) {
	held, err := p.Dataset.Holds(ctx, requests, max(8, mostDescribed/max(1, len(requests))))
	if err != nil {
		return nil, err
	}
	all := (held.Rows + held.Loading) * int64(p.Dataset.Scanners(readers))
	if err := p.Budget.HoldRead(all); err != nil {
		return nil, fmt.Errorf("read %s together: %w", text.Count(len(requests), "column"), err)
	}
	// Returning memory cannot fail.
	_ = p.Budget.HoldRead(-held.Loading)
	return func() { _ = p.Budget.HoldRead(held.Loading - all) }, nil
}

// checkCounting refuses a budget without room for the data that counting holds at one time and
// cannot divide: the readers, and the longest value of a column.
func (p *planning) checkCounting(ctx context.Context, f *forecast.Forecast) error {
	r, closed := p.countRequest()
	defer closed()
	release, err := p.holdReaders(ctx, r.Reads(), p.threads())
	if err != nil {
		return err
	}
	defer release()
	for i, c := range r.Columns {
		longest, different := p.longest[c.Field], f.Columns[c.Field].Distinct.AtMost
		all := min(p.spelled[c.Field], int64(float64(longest)*float64(different)))
		if err := r.CheckValueRoom(i, longest, all, p.Budget); err != nil {
			return err
		}
	}
	return nil
}

// countRequest returns the request of a run's count, and a function that releases it.
func (p *planning) countRequest() (r *count.Request, release func()) {
	r = p.Request(count.Tuning{})
	x := p.guard.NewCount()
	r.SideCount = x.SideCount()
	return r, x.Close
}

// threads returns the number of threads that read.
func (p *planning) threads() int {
	return binding.ThreadsWithin(p.load.Memory, p.load.Threads, p.Reads())
}

// checkMasking refuses a budget without room for the data that masking holds at one time: the
// readers of all columns, and row groups or rows that are put in order.
func (p *planning) checkMasking(ctx context.Context, f *forecast.Forecast) error {
	release, err := p.holdReaders(ctx, masking.Requests(p.Specs), p.threads())
	if err != nil {
		return err
	}
	defer release()
	rows, drawn := p.releasedRows(f), int64(0)
	if p.Job.Order == job.OrderReleased {
		drawn, err = rows.DrawRows(p.Budget)
	} else {
		drawn, err = rows.DrawGroups(p.Budget, int64(p.Job.Output.RowGroupRows))
	}
	if err != nil {
		return fmt.Errorf("mask the input: %w", err)
	}
	p.Budget.Return(drawn)
	return nil
}

// releasedRows returns the known properties of the rows that masking puts in order.
func (p *planning) releasedRows(f *forecast.Forecast) *masking.PredictedRows {
	rows := &masking.PredictedRows{
		Rows: p.load.Rows, Dropped: int64(p.Job.MaxSuppressed.Of(p.load.Rows)),
		Different: p.distinctKept,
		Divides:   !p.load.TopDown && p.Job.Algorithm.Name != job.AlgorithmBottomUp,
		Memory:    p.load.Memory,
		Threads:   p.threads(),
	}
	for i, spec := range p.Specs {
		values := f.Columns[i].Distinct
		switch {
		case spec.Keeps():
			rows.Kept = append(rows.Kept, p.keptColumn(i, spec, values))
		case spec.Mask != job.MaskDrop:
			if rows.Divides { // each row may have labels of its own region
				values.AtMost = p.load.Rows
			}
			for range spec.Released() {
				rows.Labels = append(rows.Labels, values)
			}
		}
	}
	return rows
}

// keptColumn returns the known properties of a kept column of the release.
func (p *planning) keptColumn(
	field int, spec *job.Column, values forecast.Range,
) masking.PredictedColumn {
	rows, t := p.load.Rows, p.Dataset.Schema().Fields[field].Type
	k := masking.PredictedColumn{
		Values: values, Stored: p.stored[field], Longest: p.longest[field],
	}
	switch {
	case spec.Mask == job.MaskPseudonym:
		k.Bytes = rows * (pseudonym.TokenLength + textOverhead)
	case t.InWords():
		k.Bytes = rows * mostValueBytes
	case t.Kind == formats.String:
		k.Bytes = p.spelled[field] + rows*textOverhead
	default: // each zero byte is encoded in two bytes
		k.Bytes = 2*p.spelled[field] + rows*textOverhead
	}
	return k
}

const (
	textOverhead   = 3 // bytes that encode a text of a row, without the text
	mostValueBytes = 9 // largest number of bytes that encode another value of a row
)
