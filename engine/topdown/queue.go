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
	members []int32 // a heap, in their order, which is that of their numbers; some may have left
	place   int     // in the column's heap, plus one; 0: not there
}

// queue has the candidates, the best one on top (TDS, section 5.2; TDR, section 4.2): a heap of columns,
// each a heap of groups.
type queue struct {
	candidates []candidate   // by value of the view
	groups     []group       // of which those without members are not used again
	columns    []columnQueue // by attribute
	order      []int         // a heap of the columns that have groups
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
	place   int              // in the queue, plus one; 0: not there
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
	return q.candidates[a.members[0]].order < q.candidates[b.members[0]].order
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

func (q *queue) Len() int { return len(q.order) }

func (q *queue) Less(i, j int) bool {
	return q.before(q.columns[q.order[i]].best, q.columns[q.order[j]].best)
}

func (q *queue) Swap(i, j int) {
	q.order[i], q.order[j] = q.order[j], q.order[i]
	q.columns[q.order[i]].place, q.columns[q.order[j]].place = i+1, j+1
}

func (q *queue) Push(column any) {
	q.order = append(q.order, column.(int))
	q.columns[column.(int)].place = len(q.order)
}

func (q *queue) Pop() any {
	last := len(q.order) - 1
	column := q.order[last]
	q.columns[column].place = 0
	q.order = q.order[:last]
	return column
}

// members is the heap of a group.
type members struct {
	*queue
	of *group
}

func (m members) Len() int { return len(m.of.members) }

func (m members) Less(i, j int) bool {
	return m.of.members[i] < m.of.members[j]
}

func (m members) Swap(i, j int) {
	m.of.members[i], m.of.members[j] = m.of.members[j], m.of.members[i]
}

func (m members) Push(value any) { m.of.members = append(m.of.members, value.(int32)) }

func (m members) Pop() any {
	last := len(m.of.members) - 1
	value := m.of.members[last]
	m.of.members = m.of.members[:last]
	return value
}

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
		heap.Push(members{q, &q.groups[g]}, value)
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
	for len(of.members) > 0 {
		value := of.members[0]
		if q.candidates[value].group == g && !q.isDead(value) {
			return value
		}
		heap.Pop(members{q, of})
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
		if len(q.groups[g].members) > 0 {
			place(g)
			c.Push(g)
		}
	}
	heap.Init(c)
}

// rise puts a column where it belongs after its groups, or its best one, changed.
func (q *queue) rise(column int) {
	c := &q.columns[column]
	switch {
	case len(c.groups) == 0 && c.place > 0:
		heap.Remove(q, c.place-1)
	case len(c.groups) == 0:
	case c.place == 0:
		heap.Push(q, column)
	default:
		heap.Fix(q, c.place-1)
	}
}

// best returns the best candidate, if there is one.
func (q *queue) best() (value int32, ok bool) {
	if len(q.order) == 0 {
		return 0, false
	}
	return q.groups[q.columns[q.order[0]].best].members[0], true
}

// over is how many outliers refining a candidate would make at most.
type over struct {
	more  uint64
	value int32
}

// overs is a heap, the most on top.
type overs []over

func (o overs) Len() int           { return len(o) }
func (o overs) Less(i, j int) bool { return o[i].more > o[j].more }
func (o overs) Swap(i, j int)      { o[i], o[j] = o[j], o[i] }
func (o *overs) Push(x any)        { *o = append(*o, x.(over)) }

func (o *overs) Pop() any {
	last := len(*o) - 1
	x := (*o)[last]
	*o = (*o)[:last]
	return x
}
