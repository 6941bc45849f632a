package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/census"
	"github.com/kcut/kcut/pipeline/coding"
	"github.com/kcut/kcut/pipeline/compress"
	"github.com/kcut/kcut/pipeline/fault"
	"github.com/kcut/kcut/pipeline/parallel"
	"github.com/kcut/kcut/spill"
)

// countTwice reads the input twice: once for a census of every column, which tells what
// codes a search will tell apart, and once to count the tuples of these codes. What does not
// fit the memory goes to the store.
func (r *run) countTwice(ctx context.Context) error {
	s := r.newSurvey(r.prepared.masked, r.prepared.masks())
	if r.prepared.class >= 0 {
		s.Class = coding.NewInterner(r.dataset.Schema().Fields[r.prepared.class], false, r.budget)
	}
	s.Requests, s.Advanced = r.prepared.requests(), r.counted(0, 2)
	if err := s.Take(ctx); err != nil {
		return err
	}
	p := &problem{table: &engine.Table{Rows: uint64(r.dataset.Rows()), Merged: true}}
	var pairs []partition.Pairs
	for a, c := range s.Columns {
		spec := r.prepared.specs[r.prepared.masked[a]]
		pruning := r.pruning(a)
		pruning.Hold = coding.HoldFrequent(spec.Name, r.budget)
		bound, err := c.Bind(ctx, spec, r.taxonomies[spec.Name], pruning, r.dataset.Rows())
		if err != nil {
			return r.locate(ctx, a, r.adviseWhole(err))
		}
		r.note(&bound.Domain)
		p.table.Attributes = append(p.table.Attributes, bound.Attribute)
		p.coders = append(p.coders, bound.Coder)
		pairs = append(pairs, bound.Pairs)
	}
	p.class = r.classify(p.table, s.Class, pairs)
	if err := r.countTuples(ctx, p); err != nil {
		return err
	}
	r.pose(p)
	return nil
}

// adviseWhole gives an error of an engine that must know every value, and has no room for
// them, the next thing to do.
func (r *run) adviseWhole(err error) error {
	if !errors.Is(err, spill.ErrBudget) || !r.wants().Whole {
		return err
	}
	return &fault.Error{
		Class: fault.Resources,
		Hint:  "give more with --memory, or take algorithm tdr, which holds no more than one value for every k rows",
		Err:   fmt.Errorf("list every value, as algorithm %s must: %w", r.job.Algorithm.Name, err),
	}
}

// Of the budget, a quarter holds the entries of all censuses, a sixteenth the tallies.
const (
	censusShare = 4
	tallyShare  = 16
)

// newSurvey returns a survey of fields, which have these masks.
func (r *run) newSurvey(fields []int, masks []string) *census.Survey {
	parts := int64(len(fields)) * int64(parallel.Workers(r.dataset, r.threads))
	room := max(r.budget.Limit()/censusShare/parts/census.EntryBytes, 1024)
	listed := max(r.budget.Limit()/tallyShare/parts/16, 256) // four classes of four bytes
	if r.opt.room > 0 {
		room, listed = int64(r.opt.room), int64(r.opt.room)
	}
	s := &census.Survey{Dataset: r.dataset, Budget: r.budget, Room: int(room), Listed: int(min(listed, 1<<16)), Threads: r.threads}
	schema := r.dataset.Schema().Fields
	for i, field := range fields {
		s.Columns = append(s.Columns, census.NewColumn(schema[field], masks[i], r.openStore, r.budget))
	}
	return s
}

// countTuples reads the input again and counts every grouping, on disk when that is in use
// already, or memory is not enough.
func (r *run) countTuples(ctx context.Context, p *problem) error {
	coarsenings := r.engine.Codes(p.table.Attributes, p.table.Histograms, p.table.Classes, r.prepared.requirement)
	if r.store == nil {
		part := r.budget.Part((r.budget.Limit() - r.budget.Used()) / 2)
		err := r.countCoarse(ctx, p, coarsenings, part, nil)
		if !errors.Is(err, spill.ErrBudget) {
			return err
		}
		part.Return(part.Used())
	}
	store, err := r.openStore("the distinct tuples")
	if err != nil {
		return err
	}
	return r.countCoarse(ctx, p, coarsenings, r.budget, store)
}

// countCoarse counts the tuples of every grouping in codes that a search tells apart: in memory,
// or in a store.
func (r *run) countCoarse(ctx context.Context, p *problem, coarsenings []engine.CodeMerge, budget *spill.Budget, store *spill.Store) error {
	t := p.table
	plan := r.wants()
	reading := &compress.Reading{
		Dataset: r.dataset, Requests: r.prepared.requests(), Attributes: len(t.Attributes), Plan: plan,
		Budget: budget, Store: store, Threads: r.threads, Advanced: r.counted(1, 2),
		// Half of what is left is for the counters; the other half for joining them.
		Share: (r.budget.Limit() - r.budget.Used()) / 2 / max(1, int64(len(plan.Groupings))),
	}
	for a, c := range coarsenings {
		reading.Coders = append(reading.Coders, coding.Renumbered{Coder: p.coders[a], Codes: c.Codes, Domain: c.Domain})
		reading.Domains = append(reading.Domains, c.Domain)
	}
	if classed := func(g engine.Grouping) bool { return g.Class }; slices.ContainsFunc(plan.Groupings, classed) && p.class.In != nil {
		reading.Class, reading.Coders = r.job.Class, append(reading.Coders, p.class)
		reading.Domains = append(reading.Domains, p.class.Classes)
	} else {
		reading.Requests = reading.Requests[:len(t.Attributes)]
	}
	counts, err := reading.Count(ctx)
	if err != nil {
		return err
	}
	t.Groupings, err = counts.Tables(ctx)
	return err
}
