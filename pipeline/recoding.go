package pipeline

import (
	"encoding/json"
	"fmt"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/mondrian"
	"github.com/kcut/kcut/engine/recheck"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/masking"
	"github.com/kcut/kcut/spill"
)

// portableRecoding is a recoding whose labels depend on several columns as workers are told of it: a cut that takes records
// away, or regions, in the codes of a book.
type portableRecoding struct {
	Columns  []engine.ColumnCut // of regions without the labels of codes
	Locator  []uint32           // engine.PortableLocator
	Drop     bool               `json:",omitempty"` // of a cut
	Marks    []uint32           `json:",omitempty"` // likewise
	Held     int64              `json:",omitempty"` // likewise
	Released []uint32           `json:",omitempty"` // of regions
}

// portable returns a recoding as workers are told of it, or nil when they cannot be: when labels depend on more than codes, or
// whoever has found them has no numbers for where they are.
func portable(recoding engine.Recoding) *portableRecoding {
	p := &portableRecoding{}
	var locator engine.Locator
	switch r := recoding.(type) {
	case *engine.Cut:
		if r.Suppression == nil {
			return nil
		}
		s := r.Suppression
		p.Columns, p.Drop, p.Marks, p.Held, locator = r.Columns, s.Drop, s.Marks, s.Held, s.Locator
	case *engine.Regions:
		if r.ByClass() {
			return nil
		}
		for _, c := range r.Columns {
			p.Columns = append(p.Columns, engine.ColumnCut{Labels: c.Labels, Intervals: c.Intervals})
		}
		p.Released, locator = r.Released, r.Locator
	}
	told, ok := locator.(engine.PortableLocator)
	if !ok {
		return nil
	}
	p.Locator = told.Numbers()
	return p
}

// recoding makes the recoding again.
func (p *portableRecoding) recoding() (engine.Recoding, error) {
	if p.Released == nil {
		cut := &engine.Cut{Columns: p.Columns}
		locator, err := recheck.ReadLocator(p.Locator)
		cut.Suppression = &engine.RecordSuppression{Drop: p.Drop, Marks: p.Marks, Locator: locator, Held: p.Held}
		return cut, err
	}
	locator, err := mondrian.ReadLocator(p.Locator)
	regions := &engine.Regions{Released: p.Released, Locator: locator}
	for _, c := range p.Columns {
		regions.Columns = append(regions.Columns, engine.RegionColumn{Labels: c.Labels, Intervals: c.Intervals})
	}
	return regions, err
}

// encode returns the recoding as bytes.
func (p *portableRecoding) encode(budget *spill.Budget) ([]byte, error) {
	held := numberBytes * int64(len(p.Locator)+len(p.Marks)+len(p.Released))
	if err := budget.Draw("the recoding for workers", held); err != nil {
		return nil, err
	}
	defer budget.Return(held)
	return json.Marshal(p)
}

// numberBytes is what a number takes while it is encoded: itself, and its digits.
const numberBytes = 4 + 11

// portableRecoder returns what leads from values to labels by a recoding that was encoded, and the book in whose codes it is.
func portableRecoder(encoded []byte, r *count.Request, book *count.Book, budget *spill.Budget) (recoder masking.Recoder, err error) {
	var p portableRecoding
	if err := json.Unmarshal(encoded, &p); err != nil {
		return recoder, fmt.Errorf("read recoding: %w", err)
	}
	if recoder.Recoding, err = p.recoding(); err != nil {
		return recoder, err
	}
	if err := budget.Draw("labels that depend on several columns", recoder.Recoding.Bytes()); err != nil {
		return recoder, err
	}
	for a := range p.Columns {
		bound := book.Bound(a)
		coder, err := r.Coder(a, bound, budget)
		if err != nil {
			return recoder, err
		}
		recoder.Coders = append(recoder.Coders, coder)
		recoder.Domains = append(recoder.Domains, bound.Attribute.Len()+1)
	}
	return recoder, nil
}
