package bottomup

import (
	"context"
	"errors"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// qid is a quasi-identifier set, and its equivalence classes under the current cut: a census
// of them, until they are few enough for an index.
type qid struct {
	engine.Set
	columns []*column
	k       uint64 // of the set
	limits  limits

	census    *census // nil: the index has them
	tea       *tea
	anonymity uint64 // A(QID), when updated
	judged    bool   // examined is what the current cut has
	examined  []gain
}

// limits are of what is kept in memory of a set.
type limits struct {
	witnesses, indexed int
	index              int64 // bytes, with what it is made of
}

// shareOfIndexes is the part of the memory that the indexes of all sets may take: what is left
// must do for counting the sets that have none.
const shareOfIndexes = 4

// generalization replaces the children of a node of a column by the node.
type generalization struct {
	column int // of the set
	node   int32
}

// gain is a generalization, and A(QID) after it, or k if that is less.
type gain struct {
	generalization
	after uint64
}

// newQID returns a set at the start, when the table's codes are the attributes' own.
func newQID(table *partition.Table, set engine.Set, columns []*column, limits limits) *qid {
	q := &qid{Set: set, k: set.K.Records(), limits: limits}
	for _, a := range set.Columns {
		q.columns = append(q.columns, columns[a])
	}
	q.census = newCensus(table, q.columns, limits.witnesses)
	return q
}

// isOpen reports whether some class of the set does not hold yet.
func (q *qid) isOpen() bool { return !q.Holds(engine.Stats{Records: q.anonymity}) }

// bytes returns the memory that the classes take.
func (q *qid) bytes() int64 {
	if q.tea != nil {
		return q.tea.drawn
	}
	return q.census.table.Bytes()
}

// discard returns what the classes take.
func (q *qid) discard(space partition.Space) error {
	if q.tea != nil {
		q.tea.release(space)
		return nil
	}
	return q.census.table.Discard(space)
}

// update brings A(QID) up to date.
func (q *qid) update(ctx context.Context, space partition.Space) error {
	if q.tea == nil && len(q.census.witnesses) == 0 {
		if err := q.recount(ctx, space); err != nil {
			return err
		}
	}
	if q.tea != nil {
		q.anonymity = q.tea.anonymity()
	} else {
		q.anonymity = q.census.anonymity
	}
	return nil
}

// recount counts the classes of the current cut. When they are few enough, and there is
// room, they are indexed.
func (q *qid) recount(ctx context.Context, space partition.Space) error {
	if err := q.census.recount(ctx, space); err != nil {
		return err
	}
	if q.census.table.Len() <= q.limits.indexed {
		if err := q.buildIndex(ctx, space); !errors.Is(err, spill.ErrBudget) {
			return err
		}
	}
	return q.census.survey(ctx, space)
}

// buildIndex makes the index, which takes the place of the census.
func (q *qid) buildIndex(ctx context.Context, space partition.Space) error {
	room := space
	room.Share = min(space.Share, q.limits.index)
	x, err := newTEA(ctx, q.census, q.k, room)
	if err != nil {
		return err
	}
	table := q.census.table
	q.tea, q.census = x, nil
	return table.Discard(space)
}

// generalized notes a generalization that was performed.
func (q *qid) generalized(g generalization) {
	q.judged = false
	if q.tea != nil {
		q.tea.apply(g)
	} else {
		q.census.generalized(g)
	}
}

// examine returns A(QID) after those generalizations that may be critical, at most one a
// column (Theorem 1). Any other one is not.
func (q *qid) examine(ctx context.Context, space partition.Space) (gains []gain, err error) {
	if !q.isOpen() {
		return nil, nil
	}
	if q.judged {
		return q.examined, nil
	}
	if q.tea == nil && q.census.stale && len(q.census.candidates()) > 0 {
		err = q.recount(ctx, space)
	}
	switch {
	case err != nil:
		return nil, err
	case q.tea != nil:
		q.examined = q.tea.examine()
	default:
		if q.examined, err = q.census.examine(ctx, space); err != nil {
			return nil, err
		}
	}
	q.judged = true
	return q.examined, nil
}
