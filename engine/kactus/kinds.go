package kactus

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/induce"
	"github.com/kcut/kcut/partition/cells"
)

// kindSearch is the second phase where there are kinds of records: groups stay whole, until
// leftovers at the root are joined with some.
type kindSearch struct {
	*search
	kinds *engine.Kinds
	// of open nodes with a child that does not hold, the root's first
	bags   []kindBag
	of     map[int][]engine.KindCount // of every group, by node
	joined map[int]bool               // the groups that were joined with the leftovers
	counts []uint64                   // scratch: by kind
	stats  engine.Stats
	bytes  int64 // memory of the lists of groups
}

// kindBag is the records left at a node so far.
type kindBag struct {
	node   int
	counts []uint64 // by kind
}

// countBytes is the memory of a count of a kind.
const countBytes = 16

// byKind begins the search by kinds.
func (s *search) byKind(kinds *engine.Kinds) *kindSearch {
	s.kinds = &kindSearch{
		search: s,
		kinds:  kinds,
		of:     map[int][]engine.KindCount{},
		joined: map[int]bool{},
		counts: make([]uint64, kinds.Len()),
	}
	return s.kinds
}

// Leaf adds a leaf's records.
func (s *kindSearch) Leaf(ctx context.Context, t *induce.Tree, leaf int, cells *cells.Cells) error {
	clear(s.counts)
	kind := s.keys.Fields[len(s.keys.Fields)-1]
	err := cells.Each(ctx, func(key []uint64, count uint64) { s.counts[kind.Code(key)] += count })
	if err != nil {
		return err
	}
	return s.leave(t, leaf, s.counts)
}

// Close ends a node after all nodes below it.
func (s *kindSearch) Close(_ context.Context, t *induce.Tree, node int) error {
	last := len(s.bags) - 1
	if last < 0 || s.bags[last].node != node {
		return nil // all of its children hold
	}
	left := s.bags[last].counts
	s.bags = s.bags[:last]
	return s.leave(t, node, left)
}

// leave makes the records left at a node a group if they hold, or leaves them at its parent.
func (s *kindSearch) leave(t *induce.Tree, node int, counts []uint64) error {
	switch parent := t.Parent(node); {
	case s.protects(counts):
		s.release(node, counts)
	case parent < 0:
		s.finish(counts)
	default:
		last := len(s.bags) - 1
		if last < 0 || s.bags[last].node != parent {
			s.bags = append(s.bags, kindBag{parent, make([]uint64, len(counts))})
			last++
		}
		for kind, n := range counts {
			s.bags[last].counts[kind] += n
		}
	}
	return s.account.Draw(s.groupsBytes() + s.bytes +
		int64(len(s.bags))*(bagBytes+8*int64(len(counts))))
}

// protects reports whether the set holds for records.
func (s *kindSearch) protects(counts []uint64) bool {
	s.kinds.Stats(counts, &s.stats)
	return s.set.Holds(s.stats)
}

// release makes records left at a node a group; those of the root are suppressed.
func (s *kindSearch) release(node int, counts []uint64) {
	for kind, n := range counts {
		if n > 0 {
			s.of[node] = append(s.of[node], engine.KindCount{Kind: uint32(kind), Records: n})
			s.groups[node] += n
		}
	}
	if node == 0 {
		s.suppressed = s.groups[0]
	}
	s.bytes += int64(cap(s.of[node])) * countBytes
}

// finish decides about the records left at the root that do not hold. Joined with all groups they
// do.
func (s *kindSearch) finish(counts []uint64) {
	if !s.Recruit && s.stats.Size < s.k {
		for _, n := range counts {
			s.dropped += n
		}
		return
	}
	order := slices.SortedFunc(maps.Keys(s.groups), func(a, b int) int {
		return cmp.Or(cmp.Compare(s.groups[a], s.groups[b]), cmp.Compare(a, b))
	})
	for ; !s.protects(counts); order = order[1:] {
		for _, c := range s.of[order[0]] {
			counts[c.Kind] += c.Records
		}
		s.joined[order[0]] = true
		delete(s.groups, order[0])
	}
	s.release(0, counts)
}

// weight returns the weight of a group, where k does not count records.
func (s *kindSearch) weight(node int) (weight uint64) {
	if s == nil || !s.kinds.Weighted() {
		return 0
	}
	for _, c := range s.of[node] {
		weight += c.Records * s.kinds.Weight[c.Kind]
	}
	return weight
}

// hasJoined reports whether a node's group was joined with the leftovers.
func (s *kindSearch) hasJoined(node int) bool { return s != nil && s.joined[node] }
