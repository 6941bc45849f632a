package topdown

import "container/heap"

// candidate is a value that can be refined.
type candidate struct {
	column int // attribute
	node   int // the column's number for it
	order  int // among the column's candidates, for ties
	gain   float64
	score  float64
	place  int // in the heap, plus one; 0: not there
}

// before reports whether candidate c is performed rather than d.
func (c *candidate) before(d *candidate) bool {
	switch {
	case c.score != d.score:
		return c.score > d.score
	case c.gain != d.gain:
		return c.gain > d.gain
	case c.column != d.column:
		return c.column < d.column
	}
	return c.order < d.order
}

// queue is a heap of candidates, the best on top (TDS, section 5.2; TDR, section 4.2). Candidates
// are known by their value's number and remember their place.
type queue struct {
	candidates []candidate // by value of the view
	values     []int32
}

func (q *queue) at(i int) *candidate { return &q.candidates[q.values[i]] }

func (q *queue) Len() int { return len(q.values) }

func (q *queue) Less(i, j int) bool { return q.at(i).before(q.at(j)) }

func (q *queue) Swap(i, j int) {
	q.values[i], q.values[j] = q.values[j], q.values[i]
	q.at(i).place, q.at(j).place = i+1, j+1
}

// Push is not used: values are appended.
func (q *queue) Push(any) {}

func (q *queue) Pop() any {
	last := len(q.values) - 1
	q.at(last).place = 0
	q.values = q.values[:last]
	return nil
}

// append inserts a value, if it is not there, anywhere: the order is to be restored.
func (q *queue) append(value int32) *candidate {
	c := &q.candidates[value]
	if c.place == 0 {
		q.values = append(q.values, value)
		c.place = len(q.values)
	}
	return c
}

// remove takes a value out, if it is there.
func (q *queue) remove(value int32) {
	if place := q.candidates[value].place; place > 0 {
		heap.Remove(q, place-1)
	}
}
