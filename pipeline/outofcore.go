package pipeline

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// countOutOfCore reads the input twice: once for a census of every column, which tells what
// codes a search will tell apart, and once to count the tuples of these codes.
func (r *run) countOutOfCore(ctx context.Context) error {
	s := r.newSurvey()
	if err := s.take(ctx); err != nil {
		return err
	}
	p := &problem{table: &engine.Table{Rows: uint64(r.dataset.Rows()), Coarse: true}}
	var pairs []partition.Pairs
	for a, c := range s.columns {
		spec := r.prepared.specs[r.prepared.masked[a]]
		pruning := r.pruning(a)
		pruning.Hold = holdFrequent(spec.Name, r.budget)
		bound, err := c.bind(ctx, spec, r.taxonomies[spec.Name], pruning, r.dataset.Rows())
		if err != nil {
			return r.locate(ctx, a, r.adviseWhole(err))
		}
		r.note(&bound.domain)
		p.table.Attributes = append(p.table.Attributes, bound.attribute)
		p.coders = append(p.coders, bound.coder)
		pairs = append(pairs, bound.pairs)
	}
	p.class = classCoder{in: s.class, numbers: r.classify(p.table, s.class, pairs), classes: p.table.Classes}
	if err := r.countTuples(ctx, p); err != nil {
		return err
	}
	r.pose(p)
	return nil
}

// adviseWhole gives an error of an engine that must know every value, and has no room for
// them, the next thing to do.
func (r *run) adviseWhole(err error) error {
	if !errors.Is(err, spill.ErrBudget) || !r.engine.Plan(r.prepared.requirement).Whole {
		return err
	}
	return &Error{
		Class: ClassResources,
		Hint:  "give more with --memory, or take algorithm tdr, which holds no more than one value for every k rows",
		Err:   fmt.Errorf("list every value, as algorithm %s must: %w", r.job.Algorithm.Name, err),
	}
}

// Of the budget, a quarter holds the entries of all censuses, a sixteenth the tallies.
const (
	censusPart = 4
	tallyPart  = 16
)

func (r *run) newSurvey() *survey {
	columns := int64(len(r.prepared.masked))
	room := max(r.budget.Limit()/censusPart/columns/entryBytes, 1024)
	listed := max(r.budget.Limit()/tallyPart/columns/int64(r.threads)/16, 256) // four classes of four bytes
	if r.opt.room > 0 {
		room, listed = int64(r.opt.room), int64(r.opt.room)
	}
	s := &survey{
		dataset: r.dataset, requests: r.prepared.requests(), budget: r.budget,
		listed: int(min(listed, 1<<16)), threads: r.threads, advanced: r.counted(0, 2),
	}
	fields := r.dataset.Schema().Fields
	for _, field := range r.prepared.masked {
		s.columns = append(s.columns, newCensus(fields[field], r.prepared.specs[field].Mask, r.store, r.budget, int(room)))
	}
	if r.prepared.class >= 0 {
		s.class = newInterner(fields[r.prepared.class], false, r.budget)
	}
	return s
}

// coarse codes values as a search tells them apart.
type coarse struct {
	coder
	coarsening engine.Coarsening
}

// null returns any code when the column has no nulls.
func (c coarse) null() uint32 {
	if n := c.coder.null(); int(n) < len(c.coarsening.Codes) {
		return c.coarsening.Codes[n]
	}
	return 0
}

func (c coarse) encode(values *formats.Values, from int, codes []uint32) ([]uint32, int, error) {
	first := len(codes)
	codes, _, err := c.coder.encode(values, from, codes)
	if err != nil {
		return nil, 0, err
	}
	for i := first; i < len(codes); i++ {
		codes[i] = c.coarsening.Codes[codes[i]]
	}
	return codes, c.coarsening.Domain, nil
}

// countTuples reads the input again and counts every grouping.
func (r *run) countTuples(ctx context.Context, p *problem) error {
	t := p.table
	plan := r.engine.Plan(r.prepared.requirement)
	coarsenings := r.engine.Codes(t.Attributes, t.Histograms, t.Classes, r.prepared.requirement)
	workers := int64(workersFor(r.dataset, r.threads))
	// Half of what is left is for the counters; the other half for joining them.
	share := (r.budget.Limit() - r.budget.Used()) / 2 / max(1, int64(len(plan.Groupings)))
	space := partition.Space{Budget: r.budget, Store: r.store, Share: share / workers}
	var sizes []int
	c := &compressor{
		dataset: r.dataset, requests: r.prepared.requests(), plan: plan,
		budget: r.budget, threads: r.threads, advanced: r.counted(1, 2), attributes: len(t.Attributes),
		newCounter: func(columns []int) *partition.Counter {
			domains := make([]int, len(columns))
			for i, a := range columns {
				domains[i] = sizes[a]
			}
			return partition.NewSpillCounter(domains, space)
		},
	}
	for a := range t.Attributes {
		c.coders = append(c.coders, coarse{p.coders[a], coarsenings[a]})
		sizes = append(sizes, coarsenings[a].Domain)
	}
	if classed := func(g engine.Grouping) bool { return g.Class }; slices.ContainsFunc(plan.Groupings, classed) && p.class.in != nil {
		c.class, c.coders, sizes = r.job.Class, append(c.coders, p.class), append(sizes, p.class.classes)
	} else {
		c.requests = c.requests[:len(t.Attributes)]
	}
	counted, err := c.count(ctx)
	if err != nil {
		return err
	}
	space.Share = share
	t.Groupings, err = groupings(counted, func(counters []*partition.Counter) (*partition.Table, error) {
		return partition.TabulateSpilled(ctx, counters, space, r.threads)
	})
	return err
}

// spillFolder returns where a run spills: where the job says, or in a hidden folder beside
// the output, which is on a disk with room for a table of that size.
func (r *run) spillFolder() string {
	if r.job.Limits.SpillDir != "" {
		return r.job.Limits.SpillDir
	}
	return filepath.Join(filepath.Dir(filepath.Clean(r.local)), ".kcut-spill")
}
