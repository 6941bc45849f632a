package pipeline

import (
	"fmt"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/pipeline/coding"
	"github.com/kcut/kcut/pipeline/state"
	"github.com/kcut/kcut/spill"
)

// saveDomains writes what masking needs of a problem: attributes, coders and classes.
func saveDomains(w *checkpoint.Writer, p *problem) {
	for a := range p.table.Attributes {
		state.SaveAttribute(w, &p.table.Attributes[a])
		coding.Save(w, p.coders[a])
	}
	w.Uint(uint64(p.table.Classes))
	state.SaveLabels(w, p.table.ClassNames)
	coding.SaveClass(w, &p.class)
}

// loadDomains reads what saveDomains has written. What it holds is drawn from a budget.
func (r *run) loadDomains(from *checkpoint.Reader, budget *spill.Budget) (*problem, error) {
	p := &problem{table: &engine.Table{Rows: uint64(r.dataset.Rows())}}
	fields := r.dataset.Schema().Fields
	for _, field := range r.prepared.masked {
		spec := r.prepared.specs[field]
		attribute, err := state.LoadAttribute(from)
		if err == nil && attribute.Tree != nil {
			err = coding.HoldFrequent(spec.Name, budget)(int64(attribute.Tree.Len()) * treeNodeBytes)
		}
		if err != nil {
			return nil, err
		}
		coder, err := coding.Load(from, coding.Column{Field: fields[field], Spec: spec, Taxonomy: r.taxonomies[spec.Name], Attribute: attribute, Budget: budget})
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

// saveCut writes the cut that was found and, when its text does not tell all, the recoding with
// what leads from values to its codes.
func (r *run) saveCut(w *checkpoint.Writer) {
	w.Bytes(r.cut)
	w.Bytes(r.trace.Bytes())
	w.Bool(r.isColumnwise())
	if !r.isColumnwise() {
		saveDomains(w, r.problem)
		state.SaveRegions(w, r.recoding)
	}
}

// loadCut reads what saveCut has written.
func (r *run) loadCut(from *checkpoint.Reader, budget *spill.Budget) error {
	text, trace, columnwise := from.Bytes(nil), from.Bytes(nil), from.Bool()
	if err := from.Err(); err != nil {
		return err
	}
	if !columnwise {
		p, err := r.loadDomains(from, budget)
		if err != nil {
			return err
		}
		if r.recoding, err = state.LoadRegions(from, p.table, r.engine, budget); err != nil {
			return err
		}
		r.problem = p
	}
	r.cut = text
	if r.opt.Trace == nil {
		return nil
	}
	if _, err := r.opt.Trace.Write(trace); err != nil {
		return fmt.Errorf("write trace: %w", err)
	}
	return nil
}
