package bottomup

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/kcut/kcut/partition"
)

// examine returns A(QID) after those generalizations that may be critical, at most one a
// column (Theorem 1). Any other one is not. If there may be one, the table is not stale.
func (s *census) examine(ctx context.Context, space partition.Space) (gains []gain, err error) {
	if err := s.probe(ctx, space, s.candidates()); err != nil {
		return nil, err
	}
	for _, g := range s.candidates() {
		after, err := s.after(ctx, space, g)
		if err != nil {
			return nil, err
		}
		gains = append(gains, gain{generalization: g, after: after})
	}
	return gains, nil
}

// after returns A(QID) after a generalization, of which it takes note when that is what it was.
func (s *census) after(ctx context.Context, space partition.Space, g generalization) (anonymity uint64, err error) {
	maps, domains, child := s.merging(g)
	merged, err := s.table.Aggregate(ctx, maps, domains, space)
	if err != nil {
		return 0, err
	}
	var alone []vid
	anonymity = math.MaxUint64
	err = merged.Scan(ctx, space, func(t *partition.Table) error {
		for i, n := range t.Counts {
			anonymity = min(anonymity, uint64(n))
			key := t.Keys[i*t.Layout.Words:][:t.Layout.Words]
			if uint64(n) == s.anonymity && t.Layout.Fields[g.column].Code(key) == child && len(alone) < s.limit {
				alone = append(alone, s.vid(t.Layout, key))
			}
		}
		return nil
	})
	s.blocked[g.column] = block{node: g.node, vids: alone}
	return anonymity, errors.Join(err, merged.Discard(space))
}

// merging maps the table's codes to themselves, but for the children of a generalization,
// which become the first of them.
func (s *census) merging(g generalization) (maps [][]uint32, domains []int, child uint32) {
	for _, nodes := range s.nodes {
		codes := make([]uint32, len(nodes))
		for code := range codes {
			codes[code] = uint32(code)
		}
		maps, domains = append(maps, codes), append(domains, len(nodes))
	}
	under := s.under(g)
	child = uint32(slices.Index(under, true))
	for code, is := range under {
		if is {
			maps[g.column][code] = child
		}
	}
	return maps, domains, child
}

// under tells which codes of a generalization's column are children of its node.
func (s *census) under(g generalization) []bool {
	tree, nodes := s.columns[g.column].tree, s.nodes[g.column]
	under := make([]bool, len(nodes))
	for code, node := range nodes {
		under[code] = node >= 0 && tree.Parent(int(node)) == int(g.node)
	}
	return under
}
