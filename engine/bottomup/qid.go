package bottomup

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// qid is a quasi-identifier set: its equivalence classes, counted in a table under a recent cut,
// with A(QID) and its witnesses under the current one.
type qid struct {
	engine.Set
	columns []*column
	table   *partition.Table
	// by column and code of the table: the node, which was in the cut when it was counted
	nodes [][]int32
	stale bool // the cut has changed since then

	limit     int     // largest number of witnesses
	anonymity uint64  // A(QID), while there are witnesses
	witnesses []vid   // some vids with that number of records
	blocked   []block // by column

	judged   bool // examined is valid for the current cut
	examined []gain
}

// maxWitnesses is the largest number of anonymity vids that are kept. There may be more, but these
// few last for most of a search, and the search counts when they do not decide.
const maxWitnesses = 4096

// generalization replaces the children of a node of a column by the node.
type generalization struct {
	column int // position in the set
	node   int32
}

// gain is a generalization with the A(QID) after it.
type gain struct {
	generalization
	after uint64
}

// vid is a combination of nodes of the current cut that records have, by column. It is immutable.
type vid []int32

// with returns the vid after a generalization of one of its nodes.
func (v vid) with(g generalization) vid {
	v = slices.Clone(v)
	v[g.column] = g.node
	return v
}

// block shows that the generalization to a node is not critical: it merges some anonymity vids with
// no other. Without vids it blocks nothing.
type block struct {
	node int32
	vids []vid
}

// newQID returns a set at the start, when the table's codes are those of the attributes.
func newQID(table *partition.Table, set engine.Set, columns []*column, witnesses int) *qid {
	q := &qid{Set: set, table: table, limit: witnesses, blocked: make([]block, len(set.Columns))}
	for _, a := range set.Columns {
		c := columns[a]
		q.columns, q.nodes = append(q.columns, c), append(q.nodes, c.leaves)
		// a root that is never split also has the records of the null
		q.stale = q.stale || c.tree.Len() == 1
	}
	return q
}

// isOpen reports whether some class of the set does not hold yet.
func (q *qid) isOpen() bool { return !q.Holds(engine.Stats{Size: q.anonymity}) }

// update computes A(QID) if it is not known.
func (q *qid) update(ctx context.Context, space partition.Space) error {
	if len(q.witnesses) > 0 {
		return nil
	}
	return q.recount(ctx, space)
}

// recount counts the equivalence classes of the current cut, and finds A(QID) and its witnesses.
func (q *qid) recount(ctx context.Context, space partition.Space) error {
	if q.stale {
		if err := q.count(ctx, space); err != nil {
			return err
		}
	}
	return q.find(ctx, space)
}

// count counts the equivalence classes of the current cut.
func (q *qid) count(ctx context.Context, space partition.Space) error {
	// from the table's codes to the nodes of the current cut, numbered by column
	var maps [][]uint32
	var domains []int
	var nodes [][]int32
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
	table, err := q.table.Aggregate(ctx, maps, domains, space)
	if err == nil {
		err = q.table.Discard(space)
	}
	if err != nil {
		return err
	}
	q.table, q.nodes, q.stale = table, nodes, false
	return nil
}

// find finds A(QID) and its vids in the table, which is not stale.
func (q *qid) find(ctx context.Context, space partition.Space) error {
	before := q.anonymity
	q.anonymity, q.witnesses = math.MaxUint64, nil
	fields := q.table.Layout.Fields
	err := q.table.Each(ctx, space, func(key []uint64, n uint64) {
		if n < q.anonymity {
			q.anonymity, q.witnesses = n, q.witnesses[:0]
		}
		if n == q.anonymity && len(q.witnesses) < q.limit {
			q.witnesses = append(q.witnesses, q.vid(fields, key))
		}
	})
	if q.anonymity != before {
		clear(q.blocked)
	}
	return err
}

// vid returns the nodes of a key in the table's codes.
func (q *qid) vid(fields []partition.Field, key []uint64) vid {
	v := make(vid, len(q.columns))
	for i, f := range fields {
		v[i] = q.nodes[i][f.Code(key)]
	}
	return v
}

// candidates returns the valid generalizations that affect all witnesses and that no block
// excludes.
func (q *qid) candidates() (list []generalization) {
	for i, c := range q.columns {
		node, b := c.up(q.witnesses[0][i]), q.blocked[i]
		if node < 0 || c.children[node] == 1 || len(b.vids) > 0 && b.node == node {
			continue
		}
		other := func(v vid) bool { return c.up(v[i]) != node }
		if !slices.ContainsFunc(q.witnesses, other) {
			list = append(list, generalization{column: i, node: node})
		}
	}
	return list
}

// examine returns A(QID) after each generalization that may be critical, at most one for each
// column (Theorem 1). All others are not critical.
func (q *qid) examine(ctx context.Context, space partition.Space) ([]gain, error) {
	if !q.isOpen() {
		return nil, nil
	}
	if q.judged {
		return q.examined, nil
	}
	if q.stale && len(q.candidates()) > 0 {
		if err := q.recount(ctx, space); err != nil {
			return nil, err
		}
	}
	q.examined = nil
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

// after returns A(QID) after a generalization. Vids that it does not change become its block.
func (q *qid) after(ctx context.Context, space partition.Space, g generalization) (anonymity uint64,
	err error) {
	maps, domains, child := q.merging(g)
	merged, err := q.table.Aggregate(ctx, maps, domains, space)
	if err != nil {
		return 0, err
	}
	var alone []vid
	anonymity = math.MaxUint64
	fields := merged.Layout.Fields
	err = merged.Each(ctx, space, func(key []uint64, n uint64) {
		anonymity = min(anonymity, n)
		if n == q.anonymity && fields[g.column].Code(key) == child && len(alone) < q.limit {
			alone = append(alone, q.vid(fields, key))
		}
	})
	q.blocked[g.column] = block{node: g.node, vids: alone}
	return anonymity, errors.Join(err, merged.Discard(space))
}

// merging maps the table's codes to themselves, except the children of a generalization, which it
// maps to the first of them.
func (q *qid) merging(g generalization) (maps [][]uint32, domains []int, child uint32) {
	for _, nodes := range q.nodes {
		c := engine.Identity(len(nodes))
		maps, domains = append(maps, c.Codes), append(domains, c.Domain)
	}
	under := func(node int32) bool {
		return node >= 0 && q.columns[g.column].tree.Parent(int(node)) == int(g.node)
	}
	child = uint32(slices.IndexFunc(q.nodes[g.column], under))
	for code, node := range q.nodes[g.column] {
		if under(node) {
			maps[g.column][code] = child
		}
	}
	return maps, domains, child
}

// generalized notes a generalization that was performed. It drops the witnesses that may have been
// merged with others.
func (q *qid) generalized(g generalization) {
	q.stale, q.judged = true, false
	var same []vid // vids that were merged with nothing
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

// untouched returns the vids without children of a generalization's node. A single child is only
// renamed.
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
