package bottomup

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/kcut/kcut/partition"
)

// newTEA returns the index of a census, which is not stale.
func newTEA(ctx context.Context, s *census, k uint64, space partition.Space) (*tea, error) {
	x := &tea{k: k, depth: make([]int, len(s.columns))}
	for i, c := range s.columns {
		x.levels = append(x.levels, level{column: c, position: i})
	}
	slices.SortStableFunc(x.levels, func(a, b level) int { return cmp.Compare(len(s.nodes[a.position]), len(s.nodes[b.position])) })
	v, err := newVids(ctx, x.levels, s, space)
	if err != nil {
		return nil, err
	}
	defer v.release(space)
	space.Share -= v.drawn
	if err := x.draw(v.nodes(), space); err != nil {
		return nil, err
	}
	x.build(v)
	return x, nil
}

// draw makes room for nodes.
func (x *tea) draw(nodes int, space partition.Space) error {
	const node = 28 + 8 // and an entry of the stack
	x.drawn = int64(nodes+1)*node + 2*4*int64(x.k+1)
	for _, l := range x.levels {
		x.drawn += 4 * int64(l.tree.Len())
	}
	if err := space.Draw("index of vids", x.drawn); err != nil {
		return err
	}
	x.nodes, x.stack = make([]teaNode, 1, nodes+1), make([]entry, 0, nodes)
	x.o, x.spare = make([]int32, x.k+1), make([]int32, x.k+1)
	for depth := range x.levels {
		l := &x.levels[depth]
		l.segments, x.depth[l.position] = make([]int32, l.tree.Len()), depth
	}
	return nil
}

// release returns what the index has drawn.
func (x *tea) release(space partition.Space) {
	if space.Budget != nil {
		space.Budget.Return(x.drawn)
	}
}

// build adds the paths of sorted vids.
func (x *tea) build(v *vids) {
	path := make([]int32, len(x.levels)+2) // from the root to the last leaf, and none
	for i, vid := range v.order {
		depth := 0
		if i > 0 {
			depth = v.fork(v.order[i-1], vid)
		}
		for before := path[depth+1]; depth < len(x.levels); depth++ {
			n := int32(len(x.nodes))
			x.nodes = append(x.nodes, teaNode{value: v.values[depth][vid]})
			x.adopt(path[depth], before, n)
			x.enlist(depth, n)
			path[depth+1], before = n, 0
		}
		x.nodes[path[depth]].records = uint32(min(uint64(x.nodes[path[depth]].records)+uint64(v.records[vid]), math.MaxUint32))
	}
	for _, n := range x.nodes {
		if n.records > 0 {
			x.o[min(uint64(n.records), x.k)]++
		}
	}
	x.a = x.least()
}
