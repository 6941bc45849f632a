package topdown

import (
	"container/heap"

	"github.com/kcut/kcut/engine"
)

// candidate is a value that can be refined.
type candidate struct {
	column int // the attribute
	node   int // the column's number for the candidate
	order  int // position among the column's candidates, for ties
	group  int32
	over   uint64 // the largest number of its outliers in the queue's overs
}

// noGroup is the group of a candidate that is not in the queue.
const noGroup int32 = -1

// group is the candidates of one column that have equal scores with the present knowledge. In a
// refined column each candidate is alone; in a suppressed one those with equal classes and losses
// are together. Very many values form few such groups, and the cost of a step that changes all
// values depends on the number of groups.
type group struct {
	column  int
	kind    int // kind of its candidates; −1: they have none
	gain    float64
	score   float64
	loss    float64 // the loss used for its score and its bound
	isLeast bool    // the loss is a lower bound that an inspection may raise
	// upper bound of the score, times the column's unit; only in columns with bounds
	bound   float64
	known   int     // number of disclosures before the gain was computed that the bound uses
	members members // some may have left
	place   int     // position in the column's heap, plus one; 0: it is not there
}

// queue holds the candidates (TDS, section 5.2; TDR, section 4.2): a heap of groups for every
// column, the best one on top.
type queue struct {
	candidates []candidate   // by value of the view
	groups     []group       // one that has lost its members is not used again
	columns    []columnQueue // by attribute
	overs      overs
	isDead     func(value int32) bool
}

// columnQueue is a heap of the groups of a column: ordered by their scores, or by their bounds
// where the column has them. Then only the gain and the score of its best group are known.
type columnQueue struct {
	*queue
	groups  []int32
	best    int32 // the best group
	bounded bool
	// groups of a suppressed column, by the properties that their members share
	known map[string]int32
}

// before reports whether the candidates of a group are performed before those of another.
func (q *queue) before(g, h int32) bool {
	a, b := &q.groups[g], &q.groups[h]
	switch {
	case a.score != b.score:
		return a.score > b.score
	case a.gain != b.gain:
		return a.gain > b.gain
	case a.column != b.column:
		return a.column < b.column
	}
	return q.candidates[a.members.List[0]].order < q.candidates[b.members.List[0]].order
}

func (c *columnQueue) Len() int { return len(c.groups) }

func (c *columnQueue) Less(i, j int) bool {
	if c.bounded {
		return c.queue.groups[c.groups[i]].bound > c.queue.groups[c.groups[j]].bound
	}
	return c.before(c.groups[i], c.groups[j])
}

func (c *columnQueue) Swap(i, j int) {
	c.groups[i], c.groups[j] = c.groups[j], c.groups[i]
	c.queue.groups[c.groups[i]].place, c.queue.groups[c.groups[j]].place = i+1, j+1
}

func (c *columnQueue) Push(g any) {
	c.groups = append(c.groups, g.(int32))
	c.queue.groups[g.(int32)].place = len(c.groups)
}

func (c *columnQueue) Pop() any {
	last := len(c.groups) - 1
	g := c.groups[last]
	c.queue.groups[g].place = 0
	c.groups = c.groups[:last]
	return g
}

// members is the heap of a group's values. Their numbers are in the order of the candidates.
type members struct{ engine.List[int32] }

func (m members) Less(i, j int) bool { return m.List[i] < m.List[j] }

// over is the largest number of outliers that refining a candidate would make.
type over struct {
	more  uint64
	value int32
}

// overs is a heap, the largest number on top.
type overs struct{ engine.List[over] }

func (o overs) Less(i, j int) bool { return o.List[i].more > o.List[j].more }

// newQueue returns a queue for a number of columns, without candidates.
func newQueue(columns int, isDead func(int32) bool) *queue {
	q := &queue{columns: make([]columnQueue, columns), isDead: isDead}
	for i := range q.columns {
		q.columns[i].queue = q
	}
	return q
}

// group returns the group of a column that has a key, or a new group if the key is nil.
func (q *queue) group(column, kind int, key []byte) (g int32) {
	c := &q.columns[column]
	if g, ok := c.known[string(key)]; ok && key != nil {
		return g
	}
	g = int32(len(q.groups))
	q.groups = append(q.groups, group{column: column, kind: kind})
	if key != nil {
		if c.known == nil {
			c.known = make(map[string]int32)
		}
		c.known[string(key)] = g
	}
	return g
}

// move makes a candidate a member of a group, or of none. The caller then settles both groups.
func (q *queue) move(value, g int32) {
	q.candidates[value].group = g
	if g != noGroup {
		heap.Push(&q.groups[g].members, value)
	}
}

// settle moves a group to its place in its column after members joined or left it, or its score
// changed. It removes a group without members.
func (q *queue) settle(g int32) {
	of := &q.groups[g]
	column := &q.columns[of.column]
	switch first := q.first(g); {
	case first < 0 && of.place > 0:
		heap.Remove(column, of.place-1)
	case first < 0:
	case of.place == 0:
		heap.Push(column, g)
	default:
		heap.Fix(column, of.place-1)
	}
}

// first returns the first member of a group, or -1. It removes the members before it that have left
// or are dead.
func (q *queue) first(g int32) int32 {
	of := &q.groups[g]
	for of.members.Len() > 0 {
		value := of.members.List[0]
		if q.candidates[value].group == g && !q.isDead(value) {
			return value
		}
		heap.Pop(&of.members)
	}
	return -1
}

// rebuild computes the places of all groups of a column and orders them; it leaves out groups
// without members.
func (q *queue) rebuild(column int, place func(g int32)) {
	c := &q.columns[column]
	all := c.groups
	c.groups = c.groups[:0]
	for _, g := range all {
		q.groups[g].place = 0
		if q.groups[g].members.Len() > 0 {
			place(g)
			c.Push(g)
		}
	}
	heap.Init(c)
}

// best returns the best candidate, if there is one.
func (q *queue) best() (value int32, ok bool) {
	best := noGroup
	for i := range q.columns {
		c := &q.columns[i]
		if len(c.groups) > 0 && (best == noGroup || q.before(c.best, best)) {
			best = c.best
		}
	}
	if best == noGroup {
		return 0, false
	}
	return q.groups[best].members.List[0], true
}
