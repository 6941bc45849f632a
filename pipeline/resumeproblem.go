package pipeline

import (
	"context"
	"fmt"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/pipeline/coding"
	"github.com/kcut/kcut/pipeline/labeling"
	"github.com/kcut/kcut/pipeline/state"
	"github.com/kcut/kcut/spill"
)

// saveDomains writes what masking needs of a problem: attributes, coders and classes.
func saveDomains(w *checkpoint.Writer, p *problem) {
	for a := range p.table.Attributes {
		state.SaveAttribute(w, &p.table.Attributes[a])
		if c, ok := p.coders[a].(labeling.Coder); ok {
			c.Save(w)
		} else {
			coding.Save(w, p.coders[a])
		}
	}
	w.Uint(uint64(p.table.Classes))
	state.SaveLabels(w, p.table.ClassNames)
	coding.SaveClass(w, &p.class)
}

// loadDomains reads what saveDomains has written. What it holds is drawn from a budget.
func (r *run) loadDomains(from *checkpoint.Reader, budget *spill.Budget) (*problem, error) {
	p := &problem{table: &engine.Table{Rows: uint64(r.dataset.Rows())}}
	labelers := make([]labeling.Labeler, len(r.prepared.masked))
	if r.given != nil {
		var err error
		if labelers, err = r.labelers(budget); err != nil {
			return nil, err
		}
	}
	fields := r.dataset.Schema().Fields
	for a, field := range r.prepared.masked {
		spec := r.prepared.specs[field]
		attribute, err := state.LoadAttribute(from)
		if err == nil && attribute.Tree != nil {
			err = coding.HoldFrequent(spec.Name, budget)(int64(attribute.Tree.Len()) * treeNodeBytes)
		}
		if err != nil {
			return nil, err
		}
		var coder coding.Coder
		if r.given != nil {
			coder, err = labeling.Load(from, labelers[a], attribute)
		} else {
			coder, err = coding.Load(from, coding.Column{Field: fields[field], Spec: spec, Taxonomy: r.taxonomies[spec.Name], Attribute: attribute, Budget: budget})
		}
		if err != nil {
			return nil, err
		}
		p.table.Attributes, p.coders = append(p.table.Attributes, attribute), append(p.coders, coder)
	}
	p.table.Classes, p.table.ClassNames = from.Int(), state.LoadLabels(from)
	var err error
	p.class, err = coding.LoadClass(from, fields[max(r.prepared.class, 0)], budget)
	return p, err
}

// treeNodeBytes is about what a node of a taxonomy takes.
const treeNodeBytes = 300

// saveCounts writes a problem that was not searched yet.
func (r *run) saveCounts(ctx context.Context, w *checkpoint.Writer) {
	t := r.problem.table
	w.Bool(t.Merged)
	w.Bool(r.store != nil)
	saveDomains(w, r.problem)
	for a := range t.Attributes {
		state.SaveHistogram(w, t.Histograms[a])
	}
	for _, grouping := range t.Groupings {
		state.SaveTable(ctx, w, grouping, partition.Space{Store: r.store})
	}
}

// loadCounts reads what saveCounts has written. Tables of a run that spilled may be in the
// store, which is opened; when others do not fit the memory, the error wraps spill.ErrBudget.
func (r *run) loadCounts(from *checkpoint.Reader, budget *spill.Budget) error {
	coarse, spilled := from.Bool(), from.Bool()
	if spilled && from.Err() == nil {
		if _, err := r.openStore("the tuples that an earlier run has counted"); err != nil {
			return err
		}
	}
	p, err := r.loadDomains(from, budget)
	if err != nil {
		return err
	}
	p.table.Merged = coarse
	for range p.table.Attributes {
		h, err := state.LoadHistogram(from, budget)
		if err != nil {
			return err
		}
		p.table.Histograms = append(p.table.Histograms, h)
	}
	groupings := r.wants().Groupings
	space := partition.Space{Budget: budget, Store: r.store, Share: (r.budget.Limit() - r.budget.Used()) / 2 / max(1, int64(len(groupings)))}
	for range groupings {
		table, err := state.LoadTable(from, space)
		if err != nil {
			return err
		}
		p.table.Groupings = append(p.table.Groupings, table)
	}
	r.problem = p
	return nil
}

// saveCut writes a recoding that was found, and what masking needs besides.
func (r *run) saveCut(w *checkpoint.Writer) {
	saveDomains(w, r.problem)
	w.Bytes(r.cut)
	w.Bytes(r.trace.Bytes())
	state.SaveRecoding(w, r.recoding)
}

// loadCut reads what saveCut has written.
func (r *run) loadCut(from *checkpoint.Reader, budget *spill.Budget) error {
	p, err := r.loadDomains(from, budget)
	if err != nil {
		return err
	}
	text, trace := from.Bytes(nil), from.Bytes(nil)
	recoding, err := state.LoadRecoding(from, p.table, r.engine, budget)
	if err != nil {
		return err
	}
	r.problem, r.recoding, r.cut = p, recoding, text
	if r.opt.Trace == nil {
		return nil
	}
	if _, err := r.opt.Trace.Write(trace); err != nil {
		return fmt.Errorf("write trace: %w", err)
	}
	return nil
}
