package bottomup

import (
	"context"
	"errors"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// qid is a quasi-identifier set, and its equivalence classes under the current cut: a survey
// of them, until they are few enough for an index.
type qid struct {
	engine.Set
	columns []*column
	limits  limits

	survey    *survey // nil: the index has them
	tea       *tea
	anonymity uint64 // A(QID), when updated
	judged    bool   // examined is what the current cut has
	examined  []gain
}

// limits are of what is kept in memory of a set.
type limits struct {
	witnesses, indexed int
	index              int64 // bytes
}

// shareOfIndexes is the part of the memory that the indexes of all sets may take: what is left
// must do for counting the sets that have none.
const shareOfIndexes = 4

// generalization replaces the children of a node of a column by the node.
type generalization struct {
	column int // of the set
	node   int32
}

var noGeneralization = generalization{column: -1}

// gain is a generalization, and A(QID) after it.
type gain struct {
	generalization
	after uint64
}

// newQID returns a set at the start, when the table's codes are the attributes' own.
func newQID(table *partition.Table, set engine.Set, columns []*column, limits limits) *qid {
	q := &qid{Set: set, limits: limits}
	for _, a := range set.Columns {
		q.columns = append(q.columns, columns[a])
	}
	q.survey = newSurvey(table, q.columns, limits.witnesses)
	return q
}

// isOpen reports whether some class of the set does not hold yet.
func (q *qid) isOpen() bool { return !q.Holds(engine.Stats{Size: q.anonymity}) }

// bytes returns the memory that the classes take.
func (q *qid) bytes() int64 {
	if q.tea != nil {
		return q.tea.drawn
	}
	return q.survey.table.Bytes()
}

// discard returns what the classes take.
func (q *qid) discard(space partition.Space) error {
	if q.tea != nil {
		q.tea.release(space)
		return nil
	}
	return q.survey.table.Discard(space)
}

// update brings A(QID) up to date.
func (q *qid) update(ctx context.Context, space partition.Space) error {
	if q.tea == nil && len(q.survey.witnesses) == 0 {
		if err := q.recount(ctx, space); err != nil {
			return err
		}
	}
	if q.tea != nil {
		q.anonymity = q.tea.anonymity
	} else {
		q.anonymity = q.survey.anonymity
	}
	return nil
}

// recount counts the classes of the current cut. When they are few enough, and there is room,
// an index of them takes the survey's place.
func (q *qid) recount(ctx context.Context, space partition.Space) error {
	if err := q.survey.recount(ctx, space); err != nil {
		return err
	}
	if q.survey.table.Len() > q.limits.indexed {
		return q.survey.find(ctx, space)
	}
	room := space
	room.Share = min(space.Share, q.limits.index)
	index, err := newTEA(ctx, q.survey, room)
	if errors.Is(err, spill.ErrBudget) {
		return q.survey.find(ctx, space)
	}
	if err != nil {
		return err
	}
	table := q.survey.table
	q.tea, q.survey = index, nil
	return table.Discard(space)
}

// generalized notes a generalization that was performed.
func (q *qid) generalized(g generalization) {
	q.judged = false
	if q.tea != nil {
		q.tea.apply(g)
	} else {
		q.survey.generalized(g)
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
	if q.tea == nil && q.survey.stale && len(q.survey.candidates()) > 0 {
		err = q.recount(ctx, space)
	}
	switch {
	case err != nil:
		return nil, err
	case q.tea != nil:
		q.examined = q.tea.examine()
	default:
		if q.examined, err = q.survey.examine(ctx, space); err != nil {
			return nil, err
		}
	}
	q.judged = true
	return q.examined, nil
}
