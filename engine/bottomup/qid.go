package bottomup

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/kcut/kcut/partition"
)

// maxWitnesses is how many anonymity vids are kept. There may be more, but these few last
// for most of a search, and what they cannot tell is counted.
const maxWitnesses = 4096

// qid is a quasi-identifier set: its equivalence classes under a recent cut, and what is
// known of those under the current one.
type qid struct {
	index   []int // attributes
	columns []*column
	k       uint64

	table *partition.Table
	nodes [][]int32 // by column and code of the table: the node, in the cut when it was counted
	stale bool      // the cut has changed since

	limit     int     // of witnesses
	anonymity uint64  // A(QID), as long as there are witnesses
	witnesses []vid   // some that have so many records
	blocked   []block // by column
	judged    bool    // examined is what the current cut has
	examined  []gain
}

// vid is a combination of nodes of the current cut that records have, by column. It is
// not written to once it is made.
type vid []int32

// generalization replaces the children of a node of a column by the node.
type generalization struct {
	column int // of the set
	node   int32
}

// gain is a generalization, and A(QID) after it.
type gain struct {
	generalization
	after uint64
}

// block shows that the generalization to a node is not critical: it merges some anonymity
// vids with no other. It is none without a vid.
type block struct {
	node int32
	vids []vid
}

// newQID returns a set at the start, when the table's codes are the attributes' own.
func newQID(table *partition.Table, index []int, columns []*column, k uint64, limit int) *qid {
	q := &qid{index: index, k: k, table: table, limit: limit, blocked: make([]block, len(index))}
	for _, a := range index {
		q.columns = append(q.columns, columns[a])
		q.nodes = append(q.nodes, columns[a].leaves)
		q.stale = q.stale || columns[a].tree.Len() == 1 // a root that is never split has a null's records too
	}
	return q
}

func (q *qid) isOpen() bool { return q.anonymity < q.k }

// settle brings A(QID) up to date.
func (q *qid) settle(ctx context.Context, space partition.Space) error {
	if len(q.witnesses) > 0 {
		return nil
	}
	clear(q.blocked)
	return q.recount(ctx, space)
}

// recount counts the equivalence classes of the current cut, and looks for witnesses.
func (q *qid) recount(ctx context.Context, space partition.Space) error {
	if q.stale {
		maps, domains, nodes := q.recoding()
		table, err := q.table.Aggregate(ctx, maps, domains, space)
		if err == nil {
			err = q.table.Discard(space)
		}
		if err != nil {
			return err
		}
		q.table, q.nodes, q.stale = table, nodes, false
	}
	return q.survey(ctx, space)
}

// recoding maps the table's codes to the nodes of the current cut, numbered by column.
func (q *qid) recoding() (maps [][]uint32, domains []int, nodes [][]int32) {
	for i, c := range q.columns {
		cut := c.cut()
		number := make([]uint32, c.tree.Len())
		for n, node := range cut {
			number[node] = uint32(n)
		}
		codes := make([]uint32, len(q.nodes[i]))
		for code, node := range q.nodes[i] {
			if node >= 0 {
				codes[code] = number[c.above(node)]
			}
		}
		maps, domains, nodes = append(maps, codes), append(domains, len(cut)), append(nodes, cut)
	}
	return maps, domains, nodes
}

// survey finds A(QID) and its vids in the table, which is not stale.
func (q *qid) survey(ctx context.Context, space partition.Space) error {
	q.anonymity, q.witnesses = math.MaxUint64, nil
	return q.table.Scan(ctx, space, func(t *partition.Table) error {
		for i, n := range t.Counts {
			if uint64(n) < q.anonymity {
				q.anonymity, q.witnesses = uint64(n), q.witnesses[:0]
			}
			if uint64(n) == q.anonymity && len(q.witnesses) < q.limit {
				q.witnesses = append(q.witnesses, q.vid(t.Layout, t.Keys[i*t.Layout.Words:][:t.Layout.Words]))
			}
		}
		return nil
	})
}

// vid returns the nodes of a key of the table's codes.
func (q *qid) vid(layout partition.Layout, key []uint64) vid {
	v := make(vid, len(q.columns))
	for i, f := range layout.Fields {
		v[i] = q.nodes[i][f.Code(key)]
	}
	return v
}

// generalized notes a generalization that was performed. Witnesses that it may have merged
// with others are none any more.
func (q *qid) generalized(g generalization) {
	q.stale, q.judged = true, false
	var same []vid // known to be merged with nothing
	if b := q.blocked[g.column]; b.node == g.node {
		same = b.vids
		q.blocked[g.column] = block{}
	}
	q.witnesses = q.untouched(q.witnesses, g)
	for _, v := range same {
		q.witnesses = append(q.witnesses, v.with(g))
	}
	for i := range q.blocked {
		q.blocked[i].vids = q.untouched(q.blocked[i].vids, g)
	}
}

// untouched returns the vids without children of a generalization's node. A single child
// only gets another name.
func (q *qid) untouched(vids []vid, g generalization) []vid {
	c := q.columns[g.column]
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

// with returns the vid after a generalization of its node.
func (v vid) with(g generalization) vid {
	v = slices.Clone(v)
	v[g.column] = g.node
	return v
}

// examine returns A(QID) after those generalizations that may be critical, at most one a
// column (Theorem 1). Any other one is not.
func (q *qid) examine(ctx context.Context, space partition.Space) ([]gain, error) {
	if !q.isOpen() {
		return nil, nil
	}
	if q.judged {
		return q.examined, nil
	}
	q.examined = q.examined[:0]
	if len(q.candidates()) == 0 {
		return nil, nil
	}
	if q.stale {
		if err := q.recount(ctx, space); err != nil {
			return nil, err
		}
	}
	if err := q.probe(ctx, space, q.candidates()); err != nil {
		return nil, err
	}
	for _, g := range q.candidates() {
		after, err := q.after(ctx, space, g)
		if err != nil {
			return nil, err
		}
		q.examined = append(q.examined, gain{generalization: g, after: after})
	}
	q.judged = true
	return q.examined, nil
}

// candidates returns the valid generalizations that all witnesses have in common and that
// are not known to be not critical.
func (q *qid) candidates() (list []generalization) {
	for i, c := range q.columns {
		node := c.up(q.witnesses[0][i])
		if node < 0 || c.children[node] == 1 || q.isBlocked(i, node) {
			continue
		}
		other := func(v vid) bool { return c.up(v[i]) != node }
		if !slices.ContainsFunc(q.witnesses, other) {
			list = append(list, generalization{column: i, node: node})
		}
	}
	return list
}

// isBlocked reports whether the generalization of a column to a node is known to be not critical.
func (q *qid) isBlocked(column int, node int32) bool {
	return len(q.blocked[column].vids) > 0 && q.blocked[column].node == node
}

// after returns A(QID) after a generalization, of which it takes note when that is what it was.
func (q *qid) after(ctx context.Context, space partition.Space, g generalization) (anonymity uint64, err error) {
	maps, domains, child := q.merging(g)
	merged, err := q.table.Aggregate(ctx, maps, domains, space)
	if err != nil {
		return 0, err
	}
	var alone []vid
	anonymity = math.MaxUint64
	err = merged.Scan(ctx, space, func(t *partition.Table) error {
		for i, n := range t.Counts {
			anonymity = min(anonymity, uint64(n))
			key := t.Keys[i*t.Layout.Words:][:t.Layout.Words]
			if uint64(n) == q.anonymity && t.Layout.Fields[g.column].Code(key) == child && len(alone) < q.limit {
				alone = append(alone, q.vid(t.Layout, key))
			}
		}
		return nil
	})
	q.blocked[g.column] = block{node: g.node, vids: alone}
	return anonymity, errors.Join(err, merged.Discard(space))
}

// merging maps the table's codes to themselves, but for the children of a generalization,
// which become the first of them.
func (q *qid) merging(g generalization) (maps [][]uint32, domains []int, child uint32) {
	for _, nodes := range q.nodes {
		codes := make([]uint32, len(nodes))
		for code := range codes {
			codes[code] = uint32(code)
		}
		maps, domains = append(maps, codes), append(domains, len(nodes))
	}
	under := q.under(g)
	child = uint32(slices.Index(under, true))
	for code, is := range under {
		if is {
			maps[g.column][code] = child
		}
	}
	return maps, domains, child
}

// under tells which codes of a generalization's column are children of its node.
func (q *qid) under(g generalization) []bool {
	tree, nodes := q.columns[g.column].tree, q.nodes[g.column]
	under := make([]bool, len(nodes))
	for code, node := range nodes {
		under[code] = node >= 0 && tree.Parent(int(node)) == int(g.node)
	}
	return under
}
