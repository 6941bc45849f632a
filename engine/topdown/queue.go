package topdown

import "container/heap"

// candidate is a value that can be refined.
type candidate struct {
	column int // attribute
	node   int // the column's number for it
	order  int // among the column's candidates, for ties
	group  int32
	over   uint64 // what was put into the queue's overs of it at most
}

// noGroup is the group of a candidate that is not in the queue.
const noGroup int32 = -1

// group is candidates of one column that have equal scores as long as nothing that is known of them changes: of a
// refined column each is alone, of a suppressed one those are together whose classes and losses are equal. Of
// very many values there are few such groups, and what a step changes for all values costs as much as they are.
type group struct {
	column  int
	kind    int // of its candidates, −1: they have none
	gain    float64
	score   float64
	loss    float64 // that scores and bounds go by
	isLeast bool    // it may yet turn out to be more
	bound   float64 // upper limit of the score, times the column's unit; of columns with bounds
	known   int     // after how many disclosures the gain was computed that the bound goes by
	members members // some may have left
	place   int     // in the column's heap, plus one; 0: not there
}

// queue has the candidates (TDS, section 5.2; TDR, section 4.2): of every column a heap of groups,
// the best one on top.
type queue struct {
	candidates []candidate   // by value of the view
	groups     []group       // of which those without members are not used again
	columns    []columnQueue // by attribute
	overs      overs
	isDead     func(value int32) bool
}

// columnQueue is a heap of the groups of a column: by their scores, or by their bounds where the column has them. Then
// only gain and score of its best group are known.
type columnQueue struct {
	*queue
	groups  []int32
	best    int32 // group
	bounded bool
	known   map[string]int32 // groups of a suppressed column, by what makes their members equal
}

// before reports whether the candidates of a group are performed rather than those of another.
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
	return q.candidates[a.members.list[0]].order < q.candidates[b.members.list[0]].order
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

// list is what heaps of container/heap are made of.
type list[T any] []T

func (l list[T]) Len() int      { return len(l) }
func (l list[T]) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
func (l *list[T]) Push(x any)   { *l = append(*l, x.(T)) }

func (l *list[T]) Pop() any {
	last := len(*l) - 1
	x := (*l)[last]
	*l = (*l)[:last]
	return x
}

// members is the heap of a group's values, in their order, which is that of their numbers.
type members struct{ list[int32] }

func (m members) Less(i, j int) bool { return m.list[i] < m.list[j] }

// over is how many outliers refining a candidate would make at most.
type over struct {
	more  uint64
	value int32
}

// overs is a heap, the most on top.
type overs struct{ list[over] }

func (o overs) Less(i, j int) bool { return o.list[i].more > o.list[j].more }

// newQueue returns the queue of so many columns without candidates.
func newQueue(columns int, isDead func(int32) bool) *queue {
	q := &queue{columns: make([]columnQueue, columns), isDead: isDead}
	for i := range q.columns {
		q.columns[i].queue = q
	}
	return q
}

// group returns the group of a column that has a key, or a new one without a key if that is nil.
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

// move makes a candidate a member of a group, or of none. Where both groups belong then is to be settled.
func (q *queue) move(value, g int32) {
	q.candidates[value].group = g
	if g != noGroup {
		heap.Push(&q.groups[g].members, value)
	}
}

// settle puts a group where it belongs in its column after members joined or left it, or its score changed, and
// takes it out when there is none left.
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

// first returns the first member of a group, those before it that have left or are dead being forgotten, or -1.
func (q *queue) first(g int32) int32 {
	of := &q.groups[g]
	for of.members.Len() > 0 {
		value := of.members.list[0]
		if q.candidates[value].group == g && !q.isDead(value) {
			return value
		}
		heap.Pop(&of.members)
	}
	return -1
}

// rebuild places all groups of a column and puts them in order; those without members are left out.
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
	return q.groups[best].members.list[0], true
}
