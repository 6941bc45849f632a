package bottomup

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// survey is the equivalence classes of a set, counted in a table under a recent cut, and what
// is known of those under the current one: A(QID), and witnesses of it.
type survey struct {
	columns []*column
	table   *partition.Table
	nodes   [][]int32 // by column and code of the table: the node, in the cut when it was counted
	stale   bool      // the cut has changed since

	limit     int     // of witnesses
	anonymity uint64  // A(QID), as long as there are witnesses
	witnesses []vid   // some that have so many records
	blocked   []block // by column
}

// maxWitnesses is how many anonymity vids are kept. There may be more, but these few last
// for most of a search, and what they cannot tell is counted.
const maxWitnesses = 4096

// vid is a combination of nodes of the current cut that records have, by column. It is
// not written to once it is made.
type vid []int32

// with returns the vid after a generalization of its node.
func (v vid) with(g generalization) vid {
	v = slices.Clone(v)
	v[g.column] = g.node
	return v
}

// block shows that the generalization to a node is not critical: it merges some anonymity
// vids with no other. It is none without a vid.
type block struct {
	node int32
	vids []vid
}

// newSurvey returns the survey at the start, when the table's codes are the attributes' own.
func newSurvey(table *partition.Table, columns []*column, limit int) *survey {
	s := &survey{columns: columns, table: table, limit: limit, blocked: make([]block, len(columns))}
	for _, c := range columns {
		s.nodes = append(s.nodes, c.leaves)
		s.stale = s.stale || c.tree.Len() == 1 // a root that is never split has a null's records too
	}
	return s
}

// recount counts the equivalence classes of the current cut. What they are find tells.
func (s *survey) recount(ctx context.Context, space partition.Space) error {
	if !s.stale {
		return nil
	}
	var maps [][]uint32 // the table's codes to the nodes of the current cut, numbered by column
	var domains []int
	var nodes [][]int32
	for i, c := range s.columns {
		cut := c.cut()
		number := make([]uint32, c.tree.Len())
		for n, node := range cut {
			number[node] = uint32(n)
		}
		codes := make([]uint32, len(s.nodes[i]))
		for code, node := range s.nodes[i] {
			if node >= 0 {
				codes[code] = number[c.above(node)]
			}
		}
		maps, domains, nodes = append(maps, codes), append(domains, len(cut)), append(nodes, cut)
	}
	table, err := s.table.Aggregate(ctx, maps, domains, space)
	if err == nil {
		err = s.table.Discard(space)
	}
	if err != nil {
		return err
	}
	s.table, s.nodes, s.stale = table, nodes, false
	return nil
}

// find finds A(QID) and its vids in the table, which is not stale.
func (s *survey) find(ctx context.Context, space partition.Space) error {
	before := s.anonymity
	s.anonymity, s.witnesses = math.MaxUint64, nil
	err := s.table.Scan(ctx, space, func(t *partition.Table) error {
		for i, n := range t.Counts {
			if n < s.anonymity {
				s.anonymity, s.witnesses = n, s.witnesses[:0]
			}
			if n == s.anonymity && len(s.witnesses) < s.limit {
				s.witnesses = append(s.witnesses, s.vid(t.Layout, t.Keys[i*t.Layout.Words:][:t.Layout.Words]))
			}
		}
		return nil
	})
	if s.anonymity != before {
		clear(s.blocked)
	}
	return err
}

// vid returns the nodes of a key of the table's codes.
func (s *survey) vid(layout partition.Layout, key []uint64) vid {
	v := make(vid, len(s.columns))
	for i, f := range layout.Fields {
		v[i] = s.nodes[i][f.Code(key)]
	}
	return v
}

// candidates returns the valid generalizations that all witnesses have in common and that
// are not known to be not critical.
func (s *survey) candidates() (list []generalization) {
	for i, c := range s.columns {
		node, b := c.up(s.witnesses[0][i]), s.blocked[i]
		if node < 0 || c.children[node] == 1 || len(b.vids) > 0 && b.node == node {
			continue
		}
		other := func(v vid) bool { return c.up(v[i]) != node }
		if !slices.ContainsFunc(s.witnesses, other) {
			list = append(list, generalization{column: i, node: node})
		}
	}
	return list
}

// examine returns A(QID) after those generalizations that may be critical, at most one a
// column (Theorem 1). Any other one is not. If there may be one, the table is not stale.
func (s *survey) examine(ctx context.Context, space partition.Space) (gains []gain, err error) {
	for _, g := range s.candidates() {
		after, err := s.after(ctx, space, g)
		if err != nil {
			return nil, err
		}
		gains = append(gains, gain{generalization: g, after: after})
	}
	return gains, nil
}

// after returns A(QID) after a generalization, which is blocked by the vids that it leaves as
// they are.
func (s *survey) after(ctx context.Context, space partition.Space, g generalization) (anonymity uint64, err error) {
	maps, domains, child := s.merging(g)
	merged, err := s.table.Aggregate(ctx, maps, domains, space)
	if err != nil {
		return 0, err
	}
	var alone []vid
	anonymity = math.MaxUint64
	err = merged.Scan(ctx, space, func(t *partition.Table) error {
		for i, n := range t.Counts {
			anonymity = min(anonymity, n)
			key := t.Keys[i*t.Layout.Words:][:t.Layout.Words]
			if n == s.anonymity && t.Layout.Fields[g.column].Code(key) == child && len(alone) < s.limit {
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
func (s *survey) merging(g generalization) (maps [][]uint32, domains []int, child uint32) {
	for _, nodes := range s.nodes {
		c := engine.Identity(len(nodes))
		maps, domains = append(maps, c.Codes), append(domains, c.Domain)
	}
	under := func(node int32) bool { return node >= 0 && s.columns[g.column].tree.Parent(int(node)) == int(g.node) }
	child = uint32(slices.IndexFunc(s.nodes[g.column], under))
	for code, node := range s.nodes[g.column] {
		if under(node) {
			maps[g.column][code] = child
		}
	}
	return maps, domains, child
}

// generalized notes a generalization that was performed. Witnesses that it may have merged
// with others are none any more.
func (s *survey) generalized(g generalization) {
	s.stale = true
	var same []vid // known to be merged with nothing
	if b := s.blocked[g.column]; b.node == g.node {
		same = b.vids
		s.blocked[g.column] = block{}
	}
	s.witnesses = s.untouched(s.witnesses, g)
	for _, v := range same {
		s.witnesses = append(s.witnesses, v.with(g))
	}
	for i := range s.blocked {
		s.blocked[i].vids = s.untouched(s.blocked[i].vids, g)
	}
}

// untouched returns the vids without children of a generalization's node. A single child
// only gets another name.
func (s *survey) untouched(vids []vid, g generalization) []vid {
	c := s.columns[g.column]
	left := vids[:0]
	for _, v := range vids {
		if c.tree.Parent(int(v[g.column])) != int(g.node) {
			left = append(left, v)
		} else if c.children[g.node] == 1 {
			left = append(left, v.with(g))
		}
	}
	return left
}
