package pipeline

import (
	"context"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/reuse"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/coding"
	"github.com/kcut/kcut/pipeline/labeling"
	"github.com/kcut/kcut/spill"
)

// countLabels reads the input once, and counts it in the labels of the given cut: tuples and
// codes are as few as those are.
func (r *run) countLabels(ctx context.Context, budget *spill.Budget) error {
	c, labelers, err := r.labelCompressor(budget)
	if err != nil {
		return err
	}
	c.plan = r.engine.Plan(r.prepared.requirement)
	c.newCounter = func(columns []int) *partition.Counter { return partition.NewCounter(len(columns), budget) }
	c.advanced = r.counted(0, 1)
	workers, err := c.count(ctx)
	if err != nil {
		return err
	}
	tables, err := groupings(workers, func(counters []*partition.Counter) (*partition.Table, error) {
		return partition.Tabulate(ctx, counters, budget, r.threads)
	})
	if err != nil {
		return err
	}
	p, domains, err := r.bindLabels(ctx, c, labelers, workers)
	if err != nil {
		return err
	}
	for g, grouping := range c.plan.Groupings {
		p.table.Groupings = append(p.table.Groupings, inDomains(tables[g], grouping, domains, p.class))
	}
	r.pose(p)
	return nil
}

// countLabelsOutOfCore reads the input twice, since its tuples do not fit the memory: once
// for the labels that occur, and once for the tuples.
func (r *run) countLabelsOutOfCore(ctx context.Context) error {
	c, labelers, err := r.labelCompressor(r.budget)
	if err != nil {
		return err
	}
	c.advanced = r.counted(0, 2)
	workers, err := c.count(ctx)
	if err != nil {
		return err
	}
	p, _, err := r.bindLabels(ctx, c, labelers, workers)
	if err != nil {
		return err
	}
	p.table.Coarse = true
	if err := r.countTuples(ctx, p); err != nil {
		return err
	}
	r.pose(p)
	return nil
}

// labelers returns the coders of all masked columns by the given cut.
func (r *run) labelers(budget *spill.Budget) ([]labeling.Labeler, error) {
	var types []formats.Type
	for _, field := range r.prepared.masked {
		types = append(types, r.dataset.Schema().Fields[field].Type)
	}
	return r.given.Labelers(types, r.taxonomies, budget)
}

// labelCompressor returns a compressor that counts no tuples yet, and the coders of its
// masked columns. The class is counted when there is a search for it.
func (r *run) labelCompressor(budget *spill.Budget) (*compressor, []labeling.Labeler, error) {
	labelers, err := r.labelers(budget)
	if err != nil {
		return nil, nil, err
	}
	c := &compressor{
		dataset: r.dataset, requests: r.prepared.requests()[:len(labelers)], budget: budget, threads: r.threads,
		classes: true, attributes: len(labelers),
	}
	for _, l := range labelers {
		c.coders = append(c.coders, l)
	}
	if r.prepared.class >= 0 && r.opt.reuse == nil {
		c.class, c.requests = r.job.Class, r.prepared.requests()
		c.coders = append(c.coders, coding.NewInterner(r.dataset.Schema().Fields[r.prepared.class], false, budget))
	}
	return c, labelers, nil
}

// bindLabels makes the domains of what was counted.
func (r *run) bindLabels(ctx context.Context, c *compressor, labelers []labeling.Labeler, workers []*counting) (*problem, []*coding.Domain, error) {
	pairs, err := c.pairs(ctx, workers)
	if err != nil {
		return nil, nil, err
	}
	p := &problem{table: &engine.Table{Rows: uint64(r.dataset.Rows())}}
	var domains []*coding.Domain
	for a, l := range labelers {
		records := make([]uint64, l.Size())
		for _, pair := range pairs[a] {
			records[pair.Code] += pair.Count
		}
		if n := records[l.Strays()]; n > 0 {
			return nil, nil, r.strayError(ctx, a, l, n)
		}
		d, err := l.Domain(records)
		if err != nil {
			return nil, nil, err
		}
		r.note(&d)
		pairs[a] = pairs[a].Translate(d.Codes, nil)
		domains = append(domains, &d)
		p.table.Attributes = append(p.table.Attributes, d.Attribute)
		p.coders = append(p.coders, labeling.NewCoder(l, &d))
	}
	if e, ok := r.engine.(*reuse.Regions); ok {
		labeling.CoverRegions(e, labelers)
	}
	var class *coding.Interner
	if c.class != "" {
		class = c.coders[len(c.coders)-1].(*coding.Interner)
	}
	p.class = coding.ClassCoder{In: class, Numbers: r.classify(p.table, class, pairs), Classes: p.table.Classes}
	return p, domains, nil
}
