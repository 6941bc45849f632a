package mondrian

import (
	"context"
	"slices"
	"strconv"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// relaxed is what relaxed cuts need besides: who goes left, and the cells that are divided.
type relaxed struct {
	keys    engine.RowKeys
	sampled *sampled
	divided engine.DividedCells // by some cut; places are regions as they are found
}

func newRelaxed(table *engine.Table, t *tree) *relaxed {
	return &relaxed{
		keys:    engine.NewRowKeys(table),
		sampled: &sampled{tree: t, keys: engine.NewRowKeys(table)},
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
			x.divided.Add(key)
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

// record takes down how much of divided cells a region has. Regions come from left to right.
func (x *relaxed) record(ctx context.Context, p part, region int32) error {
	if x.divided.Len() == 0 {
		return nil
	}
	return p.cells.Visit(ctx, func(t *partition.Table) error {
		w := t.Layout.Words
		for i, count := range t.Counts {
			if cell, ok := x.divided.Find(t.Keys[i*w : (i+1)*w]); ok {
				x.divided.Send(cell, int(region), uint64(count))
			}
		}
		return nil
	})
}
