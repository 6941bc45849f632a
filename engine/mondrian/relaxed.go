package mondrian

import (
	"context"
	"encoding/binary"
	"slices"
	"strconv"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// relaxed is what relaxed cuts need besides: who goes left, and the cells that are divided.
type relaxed struct {
	keys    engine.RowKeys
	sampled *sampled
	divided map[string]int // cells by packed key
	cells   []dividedCell
	packed  []byte
}

// dividedCell is a cell whose records some cut has divided.
type dividedCell struct {
	key   []uint64
	parts []engine.Part
}

func newRelaxed(table *engine.Table, t *tree) *relaxed {
	return &relaxed{
		keys:    engine.NewRowKeys(table),
		sampled: &sampled{tree: t, keys: engine.NewRowKeys(table)},
		divided: map[string]int{},
	}
}

// share replaces a part by the two sides of a cut that share the median's records.
func (s *search) share(ctx context.Context, p part, column int, c cut) error {
	if c.shared == c.of {
		return s.halve(ctx, p, column, c.at+1)
	}
	x := s.relaxed
	part := x.keys.Enter(s.engine.Seed, s.scope(p))
	draw := draw{keys: &x.keys, field: s.fields[column], code: c.at}
	if err := draw.choose(ctx, p.cells, c.shared, c.of); err != nil {
		return err
	}
	left, right := 0, 0 // cells that are not divided
	halves, err := p.cells.Halve(ctx, column, c.at, func(key []uint64, count uint32) uint32 {
		n := draw.left(key, count)
		switch n {
		case 0:
			right++
		case count:
			left++
		default:
			x.cell(key)
		}
		return n
	})
	if err != nil {
		return err
	}
	at := c.at
	if left > right {
		at++
	}
	s.replaceHalves(p, column, at, halves)
	x.sampled.add(&draw, part)
	return nil
}

// scope names a part by its path: which child of which child it is.
func (s *search) scope(p part) string {
	var path []int32
	for child, n := p.child, p.parent; n >= 0; child, n = s.tree.nodes[n].child, s.tree.nodes[n].parent {
		path = append(path, child)
	}
	scope := []byte("mondrian:")
	for i, child := range slices.Backward(path) {
		scope = strconv.AppendInt(scope, int64(child), 10)
		if i > 0 {
			scope = append(scope, '.')
		}
	}
	return string(scope)
}

// cell makes sure that a cell is among the divided ones.
func (x *relaxed) cell(key []uint64) {
	if _, ok := x.find(key); !ok {
		x.divided[string(x.packed)] = len(x.cells)
		x.cells = append(x.cells, dividedCell{key: slices.Clone(key)})
	}
}

func (x *relaxed) find(key []uint64) (i int, ok bool) {
	x.packed = x.packed[:0]
	for _, word := range key {
		x.packed = binary.LittleEndian.AppendUint64(x.packed, word)
	}
	i, ok = x.divided[string(x.packed)]
	return i, ok
}

// record takes down how much of divided cells a region has. Regions come from left to right.
func (x *relaxed) record(ctx context.Context, p part, region int32) error {
	if len(x.cells) == 0 {
		return nil
	}
	return p.cells.Visit(ctx, func(t *partition.Table) error {
		w := t.Layout.Words
		for i, count := range t.Counts {
			if at, ok := x.find(t.Keys[i*w : (i+1)*w]); ok {
				x.cells[at].parts = append(x.cells[at].parts, engine.Part{Region: region, Count: uint64(count)})
			}
		}
		return nil
	})
}

// reassigned returns the cells that are in several regions, by ascending codes and class, given
// what regions became. Those that are in one after all are where their first copies are.
func (x *relaxed) reassigned(regions []int32, columns int) (cells []engine.ReassignedCell) {
	for _, c := range x.cells {
		cell := engine.NewReassignedCell(c.key, x.keys.Fields, columns)
		for _, p := range c.parts {
			cell.Send(regions[p.Region], p.Count)
		}
		if len(cell.Parts) > 1 {
			cells = append(cells, cell)
		}
	}
	engine.SortReassignedCells(cells)
	return cells
}
