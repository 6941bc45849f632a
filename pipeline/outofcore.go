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
	"github.com/kcut/kcut/pipeline/fault"
	"github.com/kcut/kcut/spill"
)

// countTwice reads the input twice: once for a census of every column, which tells what
// codes a search will tell apart, and once to count the tuples of these codes. What does not
// fit the memory goes to the store.
func (r *run) countTwice(ctx context.Context) error {
	s := r.newSurvey(r.prepared.masked, r.prepared.masks())
	s.requests, s.advanced = r.prepared.requests(), r.counted(0, 2)
	if r.prepared.class >= 0 {
		s.class = newInterner(r.dataset.Schema().Fields[r.prepared.class], false, r.budget)
	}
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
func (r *run) newSurvey(fields []int, masks []string) *survey {
	parts := int64(len(fields)) * int64(workersFor(r.dataset, r.threads))
	room := max(r.budget.Limit()/censusShare/parts/entryBytes, 1024)
	listed := max(r.budget.Limit()/tallyShare/parts/16, 256) // four classes of four bytes
	if r.opt.room > 0 {
		room, listed = int64(r.opt.room), int64(r.opt.room)
	}
	s := &survey{dataset: r.dataset, budget: r.budget, room: int(room), listed: int(min(listed, 1<<16)), threads: r.threads}
	schema := r.dataset.Schema().Fields
	for i, field := range fields {
		s.columns = append(s.columns, newCensus(schema[field], masks[i], r.openStore, r.budget))
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

// countTuples reads the input again and counts every grouping, on disk when that is in use
// already, or memory is not enough.
func (r *run) countTuples(ctx context.Context, p *problem) error {
	coarsenings := r.engine.Codes(p.table.Attributes, p.table.Histograms, p.table.Classes, r.prepared.requirement)
	if r.store == nil {
		part := r.budget.Part((r.budget.Limit() - r.budget.Used()) / 2)
		err := r.countCoarse(ctx, p, coarsenings, partition.Space{Budget: part})
		if !errors.Is(err, spill.ErrBudget) {
			return err
		}
		part.Return(part.Used())
	}
	store, err := r.openStore("the distinct tuples")
	if err != nil {
		return err
	}
	return r.countCoarse(ctx, p, coarsenings, partition.Space{Budget: r.budget, Store: store})
}

// countCoarse counts the tuples of every grouping in codes that a search tells apart.
func (r *run) countCoarse(ctx context.Context, p *problem, coarsenings []engine.Coarsening, space partition.Space) error {
	t := p.table
	plan := r.engine.Plan(r.prepared.requirement)
	workers := int64(workersFor(r.dataset, r.threads))
	// Half of what is left is for the counters; the other half for joining them.
	share := (r.budget.Limit() - r.budget.Used()) / 2 / max(1, int64(len(plan.Groupings)))
	space.Share = share / workers
	var sizes []int
	c := &compressor{
		dataset: r.dataset, requests: r.prepared.requests(), plan: plan,
		budget: space.Budget, threads: r.threads, advanced: r.counted(1, 2), attributes: len(t.Attributes),
		newCounter: func(columns []int) *partition.Counter {
			if space.Store == nil {
				return partition.NewCounter(len(columns), space.Budget)
			}
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
		if space.Store == nil {
			return partition.Tabulate(ctx, counters, space.Budget, r.threads)
		}
		return partition.TabulateSpilled(ctx, counters, space, r.threads)
	})
	return err
}

// openStore opens the store for what does not fit the memory, unless it is open, and says so.
func (r *run) openStore(what string) (*spill.Store, error) {
	r.opening.Lock()
	defer r.opening.Unlock()
	if r.store != nil {
		return r.store, nil
	}
	r.events.Noted(what + " exceed their share of the memory budget: spilling to disk")
	options := r.opt.store
	options.Budget = r.budget
	store, err := spill.Open(r.spillFolder(), options)
	if err != nil {
		return nil, err
	}
	r.store = store
	r.meter.opened(store)
	return store, nil
}

// spillFolder returns where a run spills: where the job says, or in a hidden folder beside
// the output, which is on a disk with room for a table of that size.
func (r *run) spillFolder() string {
	if r.job.Limits.SpillDir != "" {
		return r.job.Limits.SpillDir
	}
	return filepath.Join(filepath.Dir(filepath.Clean(r.local)), ".kcut-spill")
}
