package topdown

// queue is a binary heap of candidates, the best on top. Candidates are known by their
// value's number and remember their place.
type queue struct {
	candidates *[]candidate
	values     []int32
}

func (q *queue) at(i int) *candidate { return &(*q.candidates)[q.values[i]] }

// append inserts a value, if it is not there, anywhere: the order is restored by rebuild.
func (q *queue) append(value int32) *candidate {
	c := &(*q.candidates)[value]
	if c.place == 0 {
		q.values = append(q.values, value)
		c.place = len(q.values)
	}
	return c
}

// put inserts a value, or moves it to where its candidate's score belongs.
func (q *queue) put(value int32) {
	c := q.append(value)
	if i := c.place - 1; !q.up(i) {
		q.down(i)
	}
}

// remove takes a value out, if it is there.
func (q *queue) remove(value int32) {
	c := &(*q.candidates)[value]
	if c.place == 0 {
		return
	}
	i, last := c.place-1, len(q.values)-1
	q.swap(i, last)
	q.values = q.values[:last]
	c.place = 0
	if i < last && !q.up(i) {
		q.down(i)
	}
}

// best returns the best value without removing it (TDS, section 5.2; TDR, section 4.2).
func (q *queue) best() (value int32, ok bool) {
	if len(q.values) == 0 {
		return 0, false
	}
	return q.values[0], true
}

// rebuild restores the order after many scores changed.
func (q *queue) rebuild() {
	for i := len(q.values)/2 - 1; i >= 0; i-- {
		q.down(i)
	}
}

func (q *queue) up(i int) (moved bool) {
	for i > 0 {
		parent := (i - 1) / 2
		if !q.at(i).before(q.at(parent)) {
			break
		}
		q.swap(i, parent)
		i, moved = parent, true
	}
	return moved
}

func (q *queue) down(i int) {
	for {
		first := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(q.values); child++ {
			if q.at(child).before(q.at(first)) {
				first = child
			}
		}
		if first == i {
			return
		}
		q.swap(i, first)
		i = first
	}
}

func (q *queue) swap(i, j int) {
	q.values[i], q.values[j] = q.values[j], q.values[i]
	q.at(i).place, q.at(j).place = i+1, j+1
}
