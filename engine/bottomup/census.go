package bottomup

import (
	"context"
	"math"

	"github.com/kcut/kcut/partition"
)

// census is the equivalence classes of a set, counted in a table under a recent cut, and what
// is known of those under the current one: A(QID), and witnesses of it.
type census struct {
	columns []*column
	table   *partition.Table
	nodes   [][]int32 // by column and code of the table: the node, in the cut when it was counted
	stale   bool      // the cut has changed since

	limit     int     // of witnesses
	anonymity uint64  // A(QID), as long as there are witnesses
	witnesses []vid   // some that have so many records
	blocked   []block // by column
}

// newCensus returns the census at the start, when the table's codes are the attributes' own.
func newCensus(table *partition.Table, columns []*column, limit int) *census {
	s := &census{columns: columns, table: table, limit: limit, blocked: make([]block, len(columns))}
	for _, c := range columns {
		s.nodes = append(s.nodes, c.leaves)
		s.stale = s.stale || c.tree.Len() == 1 // a root that is never split has a null's records too
	}
	return s
}

// recount counts the equivalence classes of the current cut. A survey tells what they are.
func (s *census) recount(ctx context.Context, space partition.Space) error {
	if !s.stale {
		return nil
	}
	maps, domains, nodes := s.recoding()
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

// recoding maps the table's codes to the nodes of the current cut, numbered by column.
func (s *census) recoding() (maps [][]uint32, domains []int, nodes [][]int32) {
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
	return maps, domains, nodes
}

// survey finds A(QID) and its vids in the table, which is not stale.
func (s *census) survey(ctx context.Context, space partition.Space) error {
	before := s.anonymity
	s.anonymity, s.witnesses = math.MaxUint64, nil
	err := s.table.Scan(ctx, space, func(t *partition.Table) error {
		for i, n := range t.Counts {
			if uint64(n) < s.anonymity {
				s.anonymity, s.witnesses = uint64(n), s.witnesses[:0]
			}
			if uint64(n) == s.anonymity && len(s.witnesses) < s.limit {
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
func (s *census) vid(layout partition.Layout, key []uint64) vid {
	v := make(vid, len(s.columns))
	for i, f := range layout.Fields {
		v[i] = s.nodes[i][f.Code(key)]
	}
	return v
}
