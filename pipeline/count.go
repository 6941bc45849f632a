package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/recheck"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/spill"
)

// countInput counts what the engine wants of the input: in the codes of its own values or, where a
// cut is given, of that one's labels. What is exposed beside may be nil.
func countInput(ctx context.Context, b *Bound, res *resources, tuning count.Tuning, e *exposing) (*count.Counts, error) {
	request := b.request(tuning)
	var labelers []domain.Labeler
	if b.given != nil {
		var err error
		if labelers, err = b.labelers(b.given, res.budget); err != nil {
			return nil, err
		}
		for a := range labelers {
			request.Columns[a].Labeler = labelers[a]
		}
	}
	request.Beside = e.beside(res)
	counts, err := count.Input(ctx, request, res.counting())
	if errors.Is(err, spill.ErrBudget) && b.plan().Whole {
		err = spill.Instead(fmt.Errorf("list every value, as algorithm %s must: %w", b.Job.Algorithm.Name, res.budget.Advise(err)),
			"take algorithm tdr, which holds no more than one value for every k rows")
	}
	if err != nil {
		return nil, err
	}
	if e, ok := b.engine.(*recheck.Regions); ok {
		domain.CoverRegions(e, labelers)
	}
	if err := b.require(counts.Table); err != nil {
		return nil, err
	}
	if err := b.discardUnplanned(counts.Table, res); err != nil {
		return nil, err
	}
	b.note(counts, res)
	if b.entity >= 0 && !b.applied {
		b.noteSuppressible(res)
	}
	return counts, nil
}

// request says what is counted in the codes of the input's own values.
func (b *Bound) request(tuning count.Tuning) *count.Request {
	plan := b.plan()
	r := &count.Request{
		Dataset: b.Dataset, Columns: b.columns(plan), Masked: len(b.masked), Class: -1,
		Whole: plan.Whole, Tuning: tuning,
		Merge: func(t *engine.Table) []engine.CodeMerge {
			b.bindProtections(t)
			return engine.Merge(b.engine, t, b.requirement)
		},
	}
	add := func(field int) int {
		r.Columns = append(r.Columns, count.Column{Field: field})
		return len(r.Columns) - 1
	}
	if b.class >= 0 && !b.applied { // else there is no search that would ask for classes
		r.Class = add(b.class)
	}
	if b.protects() != "" {
		r.Kinds = &count.Kinds{Entities: b.entity >= 0}
		for _, field := range b.sensitive {
			at := r.Class
			if field != b.class || at < 0 {
				at = add(field)
			}
			r.Kinds.Sensitive = append(r.Kinds.Sensitive, at)
		}
		if b.entity >= 0 {
			add(b.entity)
		}
	}
	for _, g := range plan.Groupings {
		columns := slices.Clone(g.Columns)
		if kind := r.Kind(); g.Kind && kind >= 0 {
			columns = append(columns, kind)
		}
		r.Groupings = append(r.Groupings, count.Grouping{Columns: columns, Weighted: g.Weighted && b.entity >= 0, Weightless: g.Weightless})
	}
	return r
}

// counting is what of the resources counting may take.
func (r *resources) counting() *count.Resources {
	return &count.Resources{
		Budget: r.budget, Threads: r.threads, Open: r.scratch.open, Store: r.scratch.opened,
		Advanced: func(done, total int64) { r.events.Advanced(StageCompress, Progress{Done: done, Total: total}) },
	}
}

// note tells what the user should know of what was counted.
func (b *Bound) note(c *count.Counts, res *resources) {
	res.report.Nulls, res.report.Tuples = nil, nil
	of := b.requirement.ByAttribute(len(c.Columns))
	for a, d := range c.Columns {
		noteColumn(&d.Domain, res)
		b.noteBounds(&d.Domain, of[a].K.Size(), c.Table.Kinds, res)
	}
	if c.Table.Classes == 1 {
		res.events.Noted(fmt.Sprintf("class column %s holds one class: no specialization is beneficial", b.Job.Class))
	}
	for _, grouping := range c.Table.Groupings {
		res.report.Tuples = append(res.report.Tuples, grouping.Len())
	}
}

// noteBounds tells when a declared bound is an extreme that fewer than k have.
func (b *Bound) noteBounds(d *domain.Domain, k uint64, kinds *engine.Kinds, res *resources) {
	what := "records"
	if b.entity >= 0 {
		what = "entities"
	}
	for i, size := range d.AtBounds {
		if size > 0 && size < kinds.LeastWeight(k) {
			res.events.Noted(fmt.Sprintf("%s, which fewer than %d %s have: it tells of them, declare what everybody knows", extreme(d.Attribute.Name, i), k, what))
		}
	}
}

// extreme says that a declared bound of a column, 0 the lower and 1 the upper one, is a value of the input.
func extreme(column string, end int) string {
	return fmt.Sprintf("column %s: the declared %s bound is the %s value in the input",
		column, [...]string{"lower", "upper"}[end], [...]string{"smallest", "largest"}[end])
}

// noteColumn tells what the user should know of a column.
func noteColumn(d *domain.Domain, res *resources) {
	name := d.Attribute.Name
	if d.Nulls > 0 {
		res.report.Nulls = append(res.report.Nulls, NullCount{name, d.Nulls})
		res.events.Noted(fmt.Sprintf("column %s has %d nulls", name, d.Nulls))
	}
	if d.Binned > 0 {
		res.events.Noted(fmt.Sprintf("column %s has %d distinct values: split points are restricted to %d quantile edges", name, d.Binned, len(d.Attribute.Texts)))
	}
}
