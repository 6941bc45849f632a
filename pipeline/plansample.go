package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/forecast"
	"github.com/kcut/kcut/pipeline/guard"
	"github.com/kcut/kcut/pipeline/masking"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/spill"
)

// mostSampled is how many rows an excerpt has when the budget allows it.
const mostSampled = 1 << 19

// sample reads an excerpt and makes the numbers of distinct values and tuples what it shows.
func (p *planning) sample(ctx context.Context, f *forecast.Forecast) error {
	fields, groupings := p.countedFields()
	for _, field := range p.guard.Flat(p.guard.Kept()) {
		if !slices.Contains(fields, field) {
			fields = append(fields, field)
		}
	}
	// hashes, and those of one tuple in order, by places and by all
	rowBytes := int64(8 * (len(fields) + 2))
	rows := min(mostSampled, p.load.Rows, p.Budget.Grant(&spill.Sample)/rowBytes)
	if err := p.Budget.Draw("the excerpt", rows*rowBytes); err != nil {
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
	return p.predictUnion(ctx, p.Dataset.Part(rows), f)
}

// rehearse reads so many rows as counting and masking do, where an excerpt did not fit the memory
// beside its readers. What ends these readers ends a run.
func (p *planning) tryReaders(ctx context.Context, rows int64) error {
	counted, release := p.countRequest()
	defer release()
	part := p.Dataset.Part(rows)
	for _, requests := range [][]formats.Request{counted.Reads(), masking.Requests(p.Specs)} {
		if err := dataset.Scan(ctx, part, requests, []dataset.Scanner{discarder{}},
			func(int64) {}); err != nil {
			return err
		}
	}
	p.Noted("the memory has no room for rows beside their readers: none were sampled")
	return nil
}

// unread takes rows, and nothing of them.
type discarder struct{}

func (discarder) BeginSplit(formats.Split)   {}
func (discarder) Batch(*formats.Batch) error { return nil }
func (discarder) EndSplit() error            { return nil }

// excerpt reads so many rows of some fields, in which the tuples of groupings are counted.
func (p *planning) readSample(
	ctx context.Context, fields []int, groupings [][]int, rows int64, f *forecast.Forecast,
) error {
	e := forecast.NewExcerpt(len(fields), rows)
	err := p.Dataset.Sample(ctx, rows, fields, func(b *formats.Batch) error {
		e.Add(b)
		return nil
	})
	if err != nil {
		return err
	}
	for i, field := range fields {
		seen := e.Values(i)
		f.Columns[field].Distinct.See(seen, p.load.Rows*seen.Rows/max(1, e.Rows))
	}
	for i := range p.load.Columns {
		p.load.Columns[i] = f.Columns[fields[i]]
	}
	for i, columns := range groupings {
		p.load.Groupings[i] = forecast.Group(p.load.Columns, columns, p.load.Rows)
		p.load.Groupings[i].Tuples.See(e.Tuples(columns), p.load.Rows)
	}
	if last := len(groupings) - 1; p.Entity >= 0 &&
		p.Request(count.Tuning{}).Groupings[last].Weightless {
		if heavy := e.Frequent(slices.Index(fields, p.Entity), count.Weightless,
			p.load.Rows); heavy.AtMost == 0 {
			p.load.Groupings, p.load.Recounts = p.load.Groupings[:last], false
		}
	}
	for i := range p.load.Labels {
		if of := &p.load.Labels[i]; of.Disclosed {
			of.Frequent = new(e.Frequent(i, of.Least, p.load.Rows))
		}
	}
	f.Sampled = e.Rows
	return p.predictRisk(ctx, e, fields, f)
}

// expect tells what the rows of an excerpt of some fields tell. When these are all rows, it is
// known whether a run refuses the columns that are kept.
func (p *planning) predictRisk(
	ctx context.Context, e *forecast.Excerpt, fields []int, f *forecast.Forecast,
) error {
	x := p.guard.NewCount()
	defer x.Close()
	if err := x.Scan(ctx, p.Dataset.Part(e.Rows)); err != nil {
		return err
	}
	f.Risk = &risk.Report{K: p.guard.SmallestK(),
		Raw: e.Figures(positions(0, len(p.Masked)), p.guard.SmallestK())}
	if x.Counts() {
		if told := x.Report(); told != nil {
			f.Risk.Kept, f.Risk.Determines, f.Risk.Members = told.Kept, told.Determines,
				told.Members
		}
		p.guard.NoteDetermined(f.Risk)
	}
	if kept := p.guard.Kept(); len(kept) > 0 {
		f.Risk.Columns = p.Names(kept...)
		at := p.guard.Flat(kept) // among the excerpt's columns
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

// foretellGuard tells of rows what a run of them refuses: it is known when these are all.
func (p *planning) predictRefusal(
	ctx context.Context, x *guard.Count, rows int64, told *risk.Report,
) error {
	if rows == p.load.Rows {
		p.refused = x.Check(ctx, told)
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
	if told.Kept != nil && guard.Identifies(told.Kept) {
		p.Noted(fmt.Sprintf("of the %s that were sampled, %s kept columns: a run counts all "+
			"rows, and ends with 4 when more than %s are and their entries do not accept it",
			sampled, p.guard.Found(told.Kept), text.Percent(guard.MostUnique)))
	}
	return nil
}
