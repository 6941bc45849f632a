package mondrian

import (
	"context"
	"encoding/binary"
	"slices"
	"strconv"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// relaxed is what relaxed cuts need besides: who goes left, and the cells whose records
// are not all where the tree sends their codes.
type relaxed struct {
	keys  engine.RowKeys
	moved map[string]int // cells by packed key
	cells []movedCell
	stray []stray         // scratch of note
	sides map[int32]uint8 // of shared nodes: the child that the tree sends the median to
	packs []byte
}

// movedCell is a cell that is divided, or is in another region than its codes say.
type movedCell struct {
	key   []uint64
	parts []engine.Part
}

// stray is a code of a field whose cells are on the other side of a cut than the tree says.
type stray struct {
	field partition.Field
	code  uint32
}

func newRelaxed(table *engine.Table) *relaxed {
	return &relaxed{keys: engine.NewRowKeys(table), moved: map[string]int{}, sides: map[int32]uint8{}}
}

// share replaces a part by the two sides of a cut that share the median's records.
func (s *search) share(ctx context.Context, p part, column int, c cut) error {
	if c.shared == c.of {
		return s.halve(ctx, p, column, c.at+1)
	}
	x := s.relaxed
	x.keys.Enter(s.engine.Seed, s.scope(p))
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
	at, side := c.at, uint8(1)
	if left > right {
		at, side = c.at+1, 0
	}
	s.replaceHalves(p, column, at, halves)
	x.sides[int32(len(s.tree.nodes)-1)] = side
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

// cell returns the number of a moved cell.
func (x *relaxed) cell(key []uint64) int {
	if i, ok := x.find(key); ok {
		return i
	}
	x.moved[string(x.packs)] = len(x.cells)
	x.cells = append(x.cells, movedCell{key: slices.Clone(key)})
	return len(x.cells) - 1
}

func (x *relaxed) find(key []uint64) (i int, ok bool) {
	x.packs = x.packs[:0]
	for _, word := range key {
		x.packs = binary.LittleEndian.AppendUint64(x.packs, word)
	}
	i, ok = x.moved[string(x.packs)]
	return i, ok
}

// note takes down which of a region's cells are moved. Regions come from left to right.
func (x *relaxed) note(ctx context.Context, s *search, p part, region int32) error {
	x.stray = x.stray[:0]
	for child, n := p.child, p.parent; n >= 0; child, n = s.tree.nodes[n].child, s.tree.nodes[n].parent {
		if side, shared := x.sides[n]; shared && int32(side) != child {
			at := s.tree.nodes[n].at
			if side == 0 {
				at-- // the median itself
			}
			x.stray = append(x.stray, stray{field: s.fields[s.tree.nodes[n].column], code: at})
		}
	}
	if len(x.stray) == 0 && len(x.moved) == 0 {
		return nil
	}
	return p.cells.Visit(ctx, func(t *partition.Table) error {
		w := t.Layout.Words
		for i, count := range t.Counts {
			key := t.Keys[i*w : (i+1)*w]
			at, ok := x.find(key)
			if !ok && x.strays(key) {
				at, ok = x.cell(key), true
			}
			if ok {
				x.cells[at].parts = append(x.cells[at].parts, engine.Part{Region: region, Count: uint64(count)})
			}
		}
		return nil
	})
}

func (x *relaxed) strays(key []uint64) bool {
	return slices.ContainsFunc(x.stray, func(s stray) bool { return s.field.Code(key) == s.code })
}

// divided returns the moved cells, by ascending codes and class, given what regions became.
func (x *relaxed) divided(regions []int32, columns int) []engine.DividedCell {
	cells := make([]engine.DividedCell, len(x.cells))
	for i, c := range x.cells {
		cell := &cells[i]
		for _, f := range x.keys.Fields {
			cell.Codes = append(cell.Codes, f.Code(c.key))
		}
		if len(cell.Codes) > columns {
			cell.Codes, cell.Class = cell.Codes[:columns], cell.Codes[columns]
		}
		for _, p := range c.parts {
			p.Region = regions[p.Region]
			if last := len(cell.Parts) - 1; last >= 0 && cell.Parts[last].Region == p.Region {
				cell.Parts[last].Count += p.Count
			} else {
				cell.Parts = append(cell.Parts, p)
			}
		}
	}
	slices.SortFunc(cells, func(a, b engine.DividedCell) int {
		if order := slices.Compare(a.Codes, b.Codes); order != 0 {
			return order
		}
		return int(a.Class) - int(b.Class)
	})
	return cells
}
