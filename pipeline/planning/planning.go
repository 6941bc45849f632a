// Package planning predicts what a run of a bound job will do: the size of its work, its memory,
// disk and time, whether it will be refused, and, on a sample of the rows, the risk of its release.
//
//	Search ──Predict──▶ forecast.Forecast, and the refusal
//	Job    ──Try──────▶ forecast.Trial: the result of counting and searching some rows
//
// Contract: it reads schemas, statistics and at most a sample, and writes nothing. An error, or a
// refusal, is the error of a run. The budget is drawn as a run draws it, and all is returned.
//
// Limits: only the numbers of rows are exact; package forecast says how the others are estimated.
package planning

import (
	"context"
	"fmt"
	"path/filepath"
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

// planning is the prediction of a run.
type planning struct {
	*search.Search
	asked  *job.Job // the job, with its limits on people of a population
	guard  *guard.Guard
	load   forecast.Load
	people *People // of one of several tables; nil: they are not counted

	stored       []int64 // for each field, the bytes of its pages
	longest      []int64 // for each field, a lower bound of the bytes of its longest value
	spelled      []int64 // for each field, an upper bound of the bytes of all its values
	distinctKept int64   // number of distinct tuples of kept columns in the sample

	// refused is the error with which a run refuses the kept columns, rows that are alone or limits
	// that cannot be met; nil: the run refuses none of them, or that is not known.
	refused error
}

// Predict predicts the run of a bound job, from schemas and statistics, and from a sample of the
// rows if it is asked to. The job that is asked for may limit people of a population, which the
// bound job has, too, but without these limits. The result refused is the error with which a run
// refuses the kept columns, rows that are alone or limits that cannot be met, if that is known. If
// the sample has all rows, Predict counts people, unless they are nil.
func Predict(
	ctx context.Context, s *search.Search, asked *job.Job, sample bool, people *People,
) (f *forecast.Forecast, refused, err error) {
	p := &planning{Search: s, asked: asked, guard: guard.New(s.Bound, s.Run), people: people}
	f, err = p.predict(ctx, sample)
	switch {
	case s.Population == nil, p.refused != nil:
	case p.load.Tried == nil:
		p.Noted("a plan does not count the population: k_map or a presence may allow fewer " +
			"steps, and the population takes time and memory")
	default:
		p.Noted("the population takes time and memory, too, which are not predicted")
	}
	return f, p.refused, err
}

// predict predicts the run.
func (p *planning) predict(ctx context.Context, sample bool) (*forecast.Forecast, error) {
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
		filepath.Dir(filepath.Clean(p.Scratch.Output)), output)
	f.Disk.SpillRoom = p.checkRoom("what is spilled", p.Scratch.Path(), f.Disk.Spill)
	f.Memory.Overhead = spill.Overhead
	return f, nil
}

// describe lists the columns of the input with bounds for their number of distinct values, and
// collects the load of the run.
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
		Rows: rows, Masked: len(p.Masked), Read: p.Reads(),
		Memory: p.Budget.Limit(), Threads: p.Threads,
		TopDown: p.Search.Plan().Leaves, MaxSteps: p.Job.MaxSteps,
	}
	sets := p.Requirement.ByAttribute(len(p.Masked))
	stored := int64(0)
	for i, field := range fields {
		s, spec := &statistics[i], p.Specs[i]
		if err := p.checkBounds(s, i, sets); err != nil {
			return err
		}
		// the ratio of all rows to the rows with statistics
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
			Least: sets[i].K.Size(), Most: domain.MaxSplitValues + 1,
			Disclosed: p.Specs[field].Is(engine.Suppress),
			Alone:     !slices.Contains(joined, i),
		})
	}
	counted, groupings := p.countedFields()
	if p.Entity >= 0 { // a run does not hold the values of entities
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

// mostDescribed is the largest number of columns, summed over splits, whose statistics are read:
// each may cost a small read.
const mostDescribed = 4096

// inspects reports whether the search examines more than the size of parts, and whether the run
// recounts after suppressing records.
func (p *planning) inspects() (inspects, recounts bool) {
	r := p.Requirement
	r.MaxSuppressed = p.Job.MaxSuppressed.Of(p.load.Rows)
	united, takes := r.United(), r.Suppressible() > 0
	return united.NeedsKinds() || united.Entities && takes, united.Entities || takes
}

// countedFields returns the fields that a run counts, and for each grouping the positions of its
// columns among these fields. In place of the kind of a record, a grouping has the columns that
// make the kind, but without the entity: the kind contains the entity only through its weight,
// which has few values.
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

// checkBounds refuses declared bounds that contradict the statistics of a column. It notes bounds
// that are extremes of the column, with the k of the attribute's sets.
func (p *planning) checkBounds(s *formats.Statistics, field int, sets []engine.Set) error {
	spec, t := p.Specs[field], p.Dataset.Schema().Fields[field].Type
	if !s.Within.Known || !spec.Is(engine.Discretize) {
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
		return fault.Errorf(fault.Input,
			"widen bounds in the job file, or leave them out for open ends",
			"mask column %s: by the input's statistics it has values outside the declared bounds",
			spec.Name)
	}
	for end, rows := range bounds.At {
		if rows > 0 {
			k := sets[slices.Index(p.Masked, field)].K.Size()
			p.Noted(fmt.Sprintf("%s: if fewer than %d records have it, it reveals them",
				search.Extreme(spec.Name, end), k))
		}
	}
	return nil
}

// checkRoom compares the free space of a folder with the need, and notes if the folder is too
// small. The result is nil if the system does not report the free space.
func (p *planning) checkRoom(what, folder string, need forecast.Range) *forecast.Room {
	free, err := spill.Free(folder)
	if err != nil {
		return nil
	}
	room := forecast.NewRoom(folder, free, need)
	verbs := map[forecast.Verdict]string{forecast.Maybe: "may be", forecast.No: "is"}
	if verb := verbs[room.Enough]; verb != "" {
		p.Noted(fmt.Sprintf("folder %s %s too small for %s: it has %d MiB free, reserve %d MiB",
			folder, verb, what, free>>20, need.AtMost>>20+1))
	}
	return room
}
