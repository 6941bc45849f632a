package bottomup

import (
	"context"
	"slices"

	"github.com/kcut/kcut/partition"
)

// vids are the vids of a table and their records, columnar, and an order of them.
type vids struct {
	values  [][]int32 // by level and vid
	records []uint32
	order   []int32
	drawn   int64
}

// newVids returns the vids of a census, sorted.
func newVids(ctx context.Context, levels []level, s *census, space partition.Space) (*vids, error) {
	n := s.table.Len()
	v := &vids{drawn: int64(n) * int64(4*len(levels)+12)}
	if err := space.Draw("vids that an index is made of", v.drawn); err != nil {
		return nil, err
	}
	v.values, v.records = make([][]int32, len(levels)), make([]uint32, 0, n)
	for depth := range v.values {
		v.values[depth] = make([]int32, 0, n)
	}
	err := s.table.Scan(ctx, space, func(t *partition.Table) error {
		for depth, l := range levels {
			field, nodes := t.Layout.Fields[l.position], s.nodes[l.position]
			for i := range t.Counts {
				v.values[depth] = append(v.values[depth], nodes[field.Code(t.Keys[i*t.Layout.Words:])])
			}
		}
		v.records = append(v.records, t.Counts...)
		return nil
	})
	if err != nil {
		v.release(space)
		return nil, err
	}
	v.sort(levels)
	return v, nil
}

func (v *vids) release(space partition.Space) {
	if space.Budget != nil {
		space.Budget.Return(v.drawn)
	}
}

// sort orders the vids by their values, those of the first level first.
func (v *vids) sort(levels []level) {
	v.order = make([]int32, len(v.records))
	for i := range v.order {
		v.order[i] = int32(i)
	}
	sorted := make([]int32, len(v.records))
	for depth := len(levels) - 1; depth >= 0; depth-- {
		values, ends := v.values[depth], make([]int32, levels[depth].tree.Len())
		for _, value := range values {
			ends[value]++
		}
		for value := range ends[1:] {
			ends[value+1] += ends[value]
		}
		for _, i := range slices.Backward(v.order) {
			ends[values[i]]--
			sorted[ends[values[i]]] = i
		}
		v.order, sorted = sorted, v.order
	}
}

// fork returns the first level at which two vids differ.
func (v *vids) fork(a, b int32) (depth int) {
	for depth < len(v.values) && v.values[depth][a] == v.values[depth][b] {
		depth++
	}
	return depth
}

// nodes returns how many nodes a tree of the vids has.
func (v *vids) nodes() (n int) {
	for i, vid := range v.order {
		if n += len(v.values); i > 0 {
			n -= v.fork(v.order[i-1], vid)
		}
	}
	return n
}
