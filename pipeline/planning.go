package pipeline

import (
	"context"
	"fmt"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/forecast"
	"github.com/kcut/kcut/pipeline/guard"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/search"
	"github.com/kcut/kcut/spill"
)

// planning is a run that is foretold.
type planning struct {
	*search.Search
	res   *runState
	guard *guard.Guard
	load  forecast.Load

	stored       []int64 // of every field: bytes of its pages
	longest      []int64 // of every field: bytes of its longest value, at least
	spelled      []int64 // of every field: bytes of the values of all rows, at most
	distinctKept int64   // how many rows of an excerpt differ on kept columns

	// what a run says of the kept columns, or of rows that are alone; nil: nothing, or it is not
	// known
	refused error
}

// describe lists the columns of the input with bounds for their distinct values, and adds up what
// the run has to do.
func (p *planning) describe(ctx context.Context, f *forecast.Forecast) error {
	fields, rows := p.Dataset.Schema().Fields, p.Dataset.Rows()
	all := make([]int, len(fields))
	for i := range all {
		all[i] = i
	}
	statistics, err := p.Dataset.Statistics(ctx, all, max(8, mostDescribed/max(1, len(all))))
	if err != nil {
		return err
	}
	p.load = forecast.Load{
		Rows: rows, Masked: len(p.Masked), Read: p.Reads(), Memory: p.Budget.Limit(),
		Threads: p.Threads,
		TopDown: p.Search.Plan().Leaves, MaxSteps: p.Job.MaxSteps,
	}
	of := p.Requirement.ByAttribute(len(p.Masked))
	stored := int64(0)
	for i, field := range fields {
		s, spec := &statistics[i], p.Specs[i]
		if err := p.checkBounds(s, i, of); err != nil {
			return err
		}
		// by how many all rows are more than those that were looked at
		scale := float64(rows) / float64(max(1, s.Rows))
		atLeast, atMost := s.Distinct(field.Type)
		if s.Rows < rows {
			atMost = min(rows, int64(float64(atMost)*scale))
		}
		f.Columns = append(f.Columns, forecast.Column{
			Name: field.Name, Type: field.Type.String(), Mask: spec.Mask,
			Distinct: forecast.Range{AtLeast: atLeast, AtMost: atMost},
		})
		p.longest = append(p.longest, s.Longest)
		p.spelled = append(p.spelled, int64(float64(s.Spelled)*scale))
		if s.Spelled == 0 {
			p.spelled[i] = packed * f.Bytes
		}
		size := int64(float64(s.Stored) * scale)
		p.stored = append(p.stored, size)
		if stored += size; spec.Keeps() {
			p.load.Kept += size
		}
	}
	if stored == 0 {
		p.load.Kept, p.load.Text = f.Bytes, f.Bytes
	}
	p.load.Sets, p.load.Classes = len(p.Requirement.Sets), p.Class >= 0
	p.load.Inspects, p.load.Recounts = p.inspects()
	var joined []int
	for _, set := range p.Requirement.Sets {
		if len(set.Columns) > 1 {
			joined = append(joined, set.Columns...)
		}
	}
	for i, field := range p.Masked {
		p.load.Labels = append(p.load.Labels, forecast.Labels{
			Least: of[i].K.Size(), Most: domain.MaxSplitValues + 1,
			Disclosed: p.Specs[field].Mask == job.MaskSuppress,
			Alone:     !slices.Contains(joined, i),
		})
	}
	counted, groupings := p.countedFields()
	if p.Entity >= 0 { // whose values are not held
		counted = counted[:len(counted)-1]
	}
	for _, field := range counted {
		p.load.Columns = append(p.load.Columns, f.Columns[field])
	}
	for _, columns := range groupings {
		p.load.Groupings = append(p.load.Groupings, forecast.Group(p.load.Columns, columns, rows))
	}
	return nil
}

// packed is how many times the size of a file its values are assumed to take if the file does not
// state their size.
const packed = 4

// mostDescribed is of how many columns of splits statistics are looked at: each may take a
// small reading.
const mostDescribed = 4096

// inspects reports whether the search looks at parts for more than their size, and whether records
// may be taken away after it.
func (p *planning) inspects() (inspects, recounts bool) {
	r := p.Requirement
	r.MaxSuppressed = p.Job.MaxSuppressed.Of(p.load.Rows)
	united, takes := r.United(), r.Suppressible() > 0
	return united.NeedsKinds() || united.Entities && takes, united.Entities || takes
}

// foretold returns the fields that are counted, and of every grouping the positions among them
// that tell its tuples apart: of the kind of a record those that make it, but whose it is, since
// that is told by its weight alone, of which there are few.
func (p *planning) countedFields() (fields []int, groupings [][]int) {
	r := p.Request(count.Tuning{})
	for i := range r.Columns {
		fields = append(fields, r.Columns[i].Field)
	}
	kind := positions(r.Masked, len(fields))
	if p.Entity >= 0 {
		kind = kind[:len(kind)-1]
	}
	for _, g := range r.Groupings {
		columns := g.Columns
		if last := len(columns) - 1; columns[last] == len(fields) {
			columns = append(columns[:last], kind...)
		}
		groupings = append(groupings, columns)
	}
	return fields, groupings
}

// positions returns the numbers from from to to−1.
func positions(from, to int) (all []int) {
	for i := from; i < to; i++ {
		all = append(all, i)
	}
	return all
}

// checkWithin refuses declared bounds that the statistics of a column already contradict, and
// notes those that are its extremes, with the k of the attribute's sets.
func (p *planning) checkBounds(s *formats.Statistics, field int, of []engine.Set) error {
	spec, t := p.Specs[field], p.Dataset.Schema().Fields[field].Type
	if !s.Within.Known || spec.Mask != job.MaskDiscretize {
		return nil
	}
	bounds, err := domain.NewBounds(spec, t)
	if err != nil {
		return err
	}
	ends := &formats.Values{Type: t, Words: []uint64{s.Within.Low, s.Within.High}}
	for end := range ends.Words {
		bounds.Check(ends, end, 1)
	}
	if bounds.Values > 0 {
		return fault.Errorf(fault.Input, "widen bounds in the job file, or leave them out for "+
			"open ends",
			"mask column %s: by the input's statistics it has values outside the declared bounds",
			spec.Name)
	}
	for end, rows := range bounds.At {
		if rows > 0 {
			k := of[slices.Index(p.Masked, field)].K.Size()
			p.Noted(fmt.Sprintf("%s: if fewer than %d records have it, it tells of them",
				search.Extreme(spec.Name, end), k))
		}
	}
	return nil
}

// room looks at a folder, and notes when it is too small for what goes there. A system that
// does not tell is asked no more.
func (p *planning) checkRoom(what, folder string, need forecast.Range) *forecast.Room {
	free, err := spill.Free(folder)
	if err != nil {
		return nil
	}
	room := forecast.NewRoom(folder, free, need)
	if verb := map[forecast.Verdict]string{forecast.Maybe: "may be",
		forecast.No: "is"}[room.Enough]; verb != "" {
		p.Noted(fmt.Sprintf("folder %s %s too small for %s: it has %d MiB free, reserve %d MiB",
			folder, verb, what, free>>20, need.AtMost>>20+1))
	}
	return room
}
