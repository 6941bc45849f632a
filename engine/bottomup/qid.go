package bottomup

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/kcut/kcut/partition"
)

const (
	// maxWitnesses is how many anonymity vids are kept: when there are more, these are enough.
	maxWitnesses = 4096
	// maxProbed is how many of them a candidate is tried on before all tuples are merged.
	maxProbed = 64
)

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
	judged    bool    // gains are known
	gains     []gain
}

// vid is a combination of nodes of the current cut that records have, by column.
type vid []int32

// generalization replaces the children of a node of a column by the node.
type generalization struct {
	column int // of the set
	node   int32
}

// gain is a critical generalization, and A(QID) after it.
type gain struct {
	generalization
	after uint64
}

// block shows that the generalization to a node is not critical: it merges an anonymity
// vid with no other. It is none without a vid.
type block struct {
	node int32
	vid  vid
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
				q.witnesses = append(q.witnesses, q.vid(t.Keys[i*t.Layout.Words:][:t.Layout.Words]))
			}
		}
		return nil
	})
}

// vid returns the nodes of a key of the table.
func (q *qid) vid(key []uint64) vid {
	v := make(vid, len(q.columns))
	for i, f := range q.table.Layout.Fields {
		v[i] = q.nodes[i][f.Code(key)]
	}
	return v
}

// generalized notes a generalization that was performed. Witnesses that it may have merged
// with others are none any more.
func (q *qid) generalized(g generalization) {
	q.stale, q.judged = true, false
	c := q.columns[g.column]
	if b := q.blocked[g.column]; b.vid != nil && b.node == g.node { // known to be merged with nothing
		b.vid[g.column] = g.node
		q.witnesses = append(q.witnesses, b.vid)
		q.blocked[g.column] = block{}
	}
	touched := func(v vid) bool {
		if c.tree.Parent(int(v[g.column])) != int(g.node) {
			return false
		}
		v[g.column] = g.node
		return c.children[g.node] > 1 // a single child only gets another name
	}
	q.witnesses = slices.DeleteFunc(q.witnesses, touched)
	for i, b := range q.blocked {
		if b.vid != nil && touched(b.vid) {
			q.blocked[i] = block{}
		}
	}
}

// block notes that a generalization merges a vid of A(QID) records with no other.
func (q *qid) block(g generalization, v vid) {
	q.blocked[g.column] = block{node: g.node, vid: v}
	q.witnesses = append(q.witnesses, slices.Clone(v))
}

// critical returns the critical generalizations, at most one a column (Theorem 1).
func (q *qid) critical(ctx context.Context, space partition.Space) ([]gain, error) {
	if !q.isOpen() {
		return nil, nil
	}
	if q.judged {
		return q.gains, nil
	}
	q.gains = q.gains[:0]
	candidates := q.candidates()
	if len(candidates) == 0 {
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
		if after > q.anonymity {
			q.gains = append(q.gains, gain{generalization: g, after: after})
		}
	}
	q.judged = true
	return q.gains, nil
}

// candidates returns the valid generalizations that all witnesses have in common and that
// are not known to be not critical.
func (q *qid) candidates() (list []generalization) {
	for i, c := range q.columns {
		node := c.up(q.witnesses[0][i])
		if node < 0 || c.children[node] == 1 || q.blocked[i].vid != nil && q.blocked[i].node == node {
			continue
		}
		other := func(v vid) bool { return c.up(v[i]) != node }
		if !slices.ContainsFunc(q.witnesses, other) {
			list = append(list, generalization{column: i, node: node})
		}
	}
	return list
}

// after returns A(QID) after a generalization, of which it takes note when that is what it was.
func (q *qid) after(ctx context.Context, space partition.Space, g generalization) (anonymity uint64, err error) {
	maps, domains, child := q.merging(g)
	merged, err := q.table.Aggregate(ctx, maps, domains, space)
	if err != nil {
		return 0, err
	}
	anonymity = math.MaxUint64
	field := q.table.Layout.Fields[g.column]
	err = merged.Scan(ctx, space, func(t *partition.Table) error {
		for i, n := range t.Counts {
			anonymity = min(anonymity, uint64(n))
			key := t.Keys[i*t.Layout.Words:][:t.Layout.Words]
			if uint64(n) == q.anonymity && field.Code(key) == child && q.blocked[g.column].vid == nil {
				q.block(g, q.vid(key))
			}
		}
		return nil
	})
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
