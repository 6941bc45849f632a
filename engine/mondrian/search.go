package mondrian

import (
	"context"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// search cuts parts until no cut is allowable. It goes depth first and left first, so that
// parts that do not fit memory are few at a time.
type search struct {
	engine     Engine
	k          uint64
	classes    int
	dimensions []*dimension
	fields     []partition.Field // of the cells' keys
	columns    []int             // all dimensions
	tops       []uint32          // of all dimensions

	tree    *tree // the release holds it, and nothing else of the search
	pending []part
	raw     rawRegions
	ledger  *spill.Ledger

	entropy entropy  // of InfoGain
	relaxed *relaxed // nil: cuts are strict
}

// part is a part of the records that is still to be cut.
type part struct {
	cells  *partition.Cells
	parent int32   // node of the tree, -1 for all records
	child  int32   // of the parent
	bounds []bound // of strict cuts: of every dimension
}

// bound is the range of codes lo ≤ code < hi that cuts have left of a continuous dimension.
type bound struct{ lo, hi uint32 }

func newSearch(e Engine, table *engine.Table, requirement engine.Requirement, budget *spill.Budget) *search {
	_, k := requirement.Union()
	s := &search{engine: e, k: k, classes: max(1, table.Classes), tree: &tree{}, ledger: spill.NewLedger(budget, "regions")}
	for a := range table.Attributes {
		d := newDimension(&table.Attributes[a], e)
		d.most, _ = requirement.LargestK(a)
		s.dimensions = append(s.dimensions, d)
		s.columns = append(s.columns, a)
		s.tops = append(s.tops, d.top)
	}
	s.raw = newRawRegions(s.dimensions)
	if e.relaxed() {
		s.relaxed = newRelaxed(table, s.tree)
	}
	return s
}

// run cuts the cells, which are consumed.
func (s *search) run(ctx context.Context, cells *partition.Cells) error {
	if s.relaxed != nil {
		s.relaxed.keys.Fields = s.fields
	}
	all := make([]bound, len(s.dimensions))
	for i, d := range s.dimensions {
		all[i] = bound{hi: uint32(len(d.Texts))}
	}
	s.pending = append(s.pending, part{cells: cells, parent: -1, bounds: all})
	for len(s.pending) > 0 {
		last := len(s.pending) - 1
		p := s.pending[last]
		s.pending = s.pending[:last]
		if err := s.visit(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// visit cuts a part or makes it a region.
func (s *search) visit(ctx context.Context, p part) error {
	if p.cells.Size() >= 2*s.k { // below that no cut is allowable
		cut := s.cutWidest
		if s.engine.InfoGain {
			cut = s.cutByEntropy
		}
		if done, err := cut(ctx, p); done || err != nil {
			return err
		}
	}
	return s.finish(ctx, p)
}

// divide replaces a part by several, as a dimension's division says.
func (s *search) divide(ctx context.Context, p part, column int) error {
	d := s.dimensions[column]
	n := node{column: int32(column), parent: p.parent, child: p.child}
	s.tree.addSteps(&n, d.spans, d.largest())
	children, err := p.cells.Divide(ctx, column, d.part, len(d.sizes))
	if err != nil {
		return err
	}
	s.replace(p, n, children)
	return nil
}

// halve replaces a part by the codes of a dimension below at and the others.
func (s *search) halve(ctx context.Context, p part, column int, at uint32) error {
	halves, err := p.cells.Halve(ctx, column, at, func([]uint64, uint32) uint32 { return 0 })
	if err != nil {
		return err
	}
	s.replaceHalves(p, column, at, halves)
	return nil
}

func (s *search) replaceHalves(p part, column int, at uint32, halves [2]*partition.Cells) {
	s.replace(p, node{column: int32(column), at: at, parent: p.parent, child: p.child}, halves[:])
	if d := s.dimensions[column]; d.kind == continuous && s.relaxed == nil {
		last := len(s.pending) - 1
		left, right := append([]bound{}, p.bounds...), append([]bound{}, p.bounds...)
		if at < d.top { // nulls are cut off without a bound
			left[column].hi, right[column].lo = at, at
		}
		s.pending[last].bounds, s.pending[last-1].bounds = left, right
	}
}

// replace puts a node in a part's place, and the parts below it among the pending ones,
// the first of them on top.
func (s *search) replace(p part, n node, children []*partition.Cells) {
	at := s.tree.add(n, len(children))
	s.tree.link(p.parent, p.child, at)
	for child := len(children) - 1; child >= 0; child-- {
		s.pending = append(s.pending, part{cells: children[child], parent: at, child: int32(child), bounds: p.bounds})
	}
}

// finish makes a part a region.
func (s *search) finish(ctx context.Context, p part) error {
	extents, err := p.cells.Extents(ctx, s.tops)
	if err != nil {
		return err
	}
	region, err := s.raw.add(ctx, p, extents, s.relaxed != nil)
	if err != nil {
		return err
	}
	s.tree.link(p.parent, p.child, -1-region)
	if s.relaxed != nil {
		if err := s.relaxed.note(ctx, p, region); err != nil {
			return err
		}
	}
	if err := s.ledger.Draw(s.bytes()); err != nil {
		return err
	}
	return p.cells.Free()
}
