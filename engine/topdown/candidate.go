package topdown

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
