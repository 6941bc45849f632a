package pipeline

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

// checkEntities refuses a budget that has no room for how many records each entity has, and notes
// one that may have none.
func (p *planning) checkEntities(f *forecast.Forecast) error {
	if p.Entity < 0 {
		return nil
	}
	p.load.Entities = true
	rows, number := uint64(p.load.Rows), f.Columns[p.Entity].Distinct
	if err := count.HoldEntities(rows, uint64(number.AtLeast), p.Budget); err != nil {
		return err
	}
	if err := count.HoldEntities(rows, uint64(number.AtMost), p.Budget); err != nil {
		p.Noted(fmt.Sprintf("with as many as %s entities the memory is too small for a run: %v",
			text.Grouped(number.AtMost), err))
	}
	return nil
}

// holdReaders draws what readers hold that are at work at a time and ask for the same, as they do,
// and returns what gives it back. Of one of them that is what it holds while its rows are taken: it
// loads nothing then.
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
	_ = p.Budget.HoldRead(-held.Loading)                             // giving back is not refused
	return func() { _ = p.Budget.HoldRead(held.Loading - all) }, nil // nor is this
}

// checkCounting refuses a budget that has no room for what counting holds at a time of values
// that cannot be divided: readers, and the longest value of a column.
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
		if err := r.HoldValues(i, longest, all, p.Budget); err != nil {
			return err
		}
	}
	return nil
}

// counted returns what a run counts of the input, and what forgets it.
func (p *planning) countRequest() (r *count.Request, release func()) {
	r = p.Request(count.Tuning{})
	x := p.guard.NewCount()
	r.Beside = x.Beside()
	return r, x.Close
}

// threads returns how many threads read.
func (p *planning) threads() int {
	return binding.ThreadsWithin(p.load.Memory, p.load.Threads, p.Reads())
}

// checkMasking refuses a budget that has no room for what masking holds at a time: readers of all
// columns, and row groups or rows that are put in order.
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

// released returns what is known of the rows that are put in order.
func (p *planning) releasedRows(f *forecast.Forecast) *masking.Foreseen {
	of := &masking.Foreseen{
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
			of.Kept = append(of.Kept, p.keptColumn(i, spec, values))
		case spec.Mask != job.MaskDrop:
			if of.Divides { // labels are those of regions
				values.AtMost = p.load.Rows
			}
			for range spec.Released() {
				of.Labels = append(of.Labels, values)
			}
		}
	}
	return of
}

// keptColumn returns what is known of a kept column of the release.
func (p *planning) keptColumn(
	field int, spec *job.Column, values forecast.Range,
) masking.ForeseenColumn {
	rows, t := p.load.Rows, p.Dataset.Schema().Fields[field].Type
	k := masking.ForeseenColumn{
		Values: values, Stored: p.stored[field], Longest: p.longest[field],
	}
	switch {
	case spec.Mask == job.MaskPseudonym:
		k.Bytes = rows * (pseudonym.TokenLength + textOverhead)
	case t.InWords():
		k.Bytes = rows * mostValueBytes
	case t.Kind == formats.String:
		k.Bytes = p.spelled[field] + rows*textOverhead
	default: // zeros of bytes take two
		k.Bytes = 2*p.spelled[field] + rows*textOverhead
	}
	return k
}

const (
	textOverhead   = 3 // what a row has of a text beside its bytes
	mostValueBytes = 9 // what a row has of another value
)
