package pipeline

import (
	"context"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/coding"
	"github.com/kcut/kcut/pipeline/compress"
	"github.com/kcut/kcut/pipeline/labeling"
	"github.com/kcut/kcut/spill"
)

// countLabels reads the input once, and counts it in the labels of the given cut: tuples and
// codes are as few as those are.
func (r *run) countLabels(ctx context.Context, budget *spill.Budget) error {
	l, err := r.readLabels(budget)
	if err != nil {
		return err
	}
	l.Plan, l.Advanced = r.wants(), r.counted(0, 1)
	counts, err := l.Count(ctx)
	if err != nil {
		return err
	}
	tables, err := counts.Tables(ctx)
	if err != nil {
		return err
	}
	p, domains, err := r.bindLabels(ctx, l, counts)
	if err != nil {
		return err
	}
	for g, grouping := range l.Plan.Groupings {
		p.table.Groupings = append(p.table.Groupings, r.inDomains(tables[g], grouping, domains, p.class))
	}
	r.pose(p)
	return nil
}

// countLabelsOutOfCore reads the input twice, since its tuples do not fit the memory: once
// for the labels that occur, and once for the tuples.
func (r *run) countLabelsOutOfCore(ctx context.Context) error {
	l, err := r.readLabels(r.budget)
	if err != nil {
		return err
	}
	l.Advanced = r.counted(0, 2)
	counts, err := l.Count(ctx)
	if err != nil {
		return err
	}
	p, _, err := r.bindLabels(ctx, l, counts)
	if err != nil {
		return err
	}
	p.table.Merged = true
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

// labelReading counts an input in the labels of a given cut.
type labelReading struct {
	compress.Reading
	labelers []labeling.Labeler
	class    *coding.Interner // nil: it is not counted
}

// readLabels returns a reading that counts no tuples yet. The class is counted when there is a
// search for it.
func (r *run) readLabels(budget *spill.Budget) (*labelReading, error) {
	labelers, err := r.labelers(budget)
	if err != nil {
		return nil, err
	}
	l := &labelReading{labelers: labelers, Reading: compress.Reading{
		Dataset: r.dataset, Requests: r.prepared.requests()[:len(labelers)], Attributes: len(labelers),
		Pairs: true, Budget: budget, Threads: r.threads,
	}}
	for _, labeler := range labelers {
		l.Coders = append(l.Coders, labeler)
	}
	if r.prepared.class >= 0 && r.opt.reuse == nil {
		l.class = coding.NewInterner(r.dataset.Schema().Fields[r.prepared.class], false, budget)
		l.Class, l.Requests = r.job.Class, r.prepared.requests()
		l.Coders = append(l.Coders, l.class)
	}
	return l, nil
}

// bindLabels makes the domains of what was counted.
func (r *run) bindLabels(ctx context.Context, l *labelReading, counts *compress.Counts) (*problem, []*coding.Domain, error) {
	pairs, err := counts.Pairs(ctx)
	if err != nil {
		return nil, nil, err
	}
	p := &problem{table: &engine.Table{Rows: uint64(r.dataset.Rows())}}
	var domains []*coding.Domain
	for a, labeler := range l.labelers {
		records := make([]uint64, labeler.Size())
		for _, pair := range pairs[a] {
			records[pair.Code] += pair.Count
		}
		if n := records[labeler.Strays()]; n > 0 {
			return nil, nil, r.strayError(ctx, a, labeler, n)
		}
		d, err := labeler.Domain(records)
		if err != nil {
			return nil, nil, err
		}
		r.note(&d)
		pairs[a] = pairs[a].Translate(d.Codes, nil)
		domains = append(domains, &d)
		p.table.Attributes = append(p.table.Attributes, d.Attribute)
		p.coders = append(p.coders, labeling.NewCoder(labeler, &d))
	}
	if e, ok := r.engine.(engine.Covered); ok {
		labeling.CoverRegions(e, l.labelers)
	}
	p.class = r.classify(p.table, l.class, pairs)
	return p, domains, nil
}
