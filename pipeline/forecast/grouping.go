package forecast

import "math/bits"

// Column is one column of the input, and what is known of it.
type Column struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Mask     string `json:"mask"`
	Distinct Range  `json:"distinct_values"` // nulls left out
}

// Grouping is a list of columns whose tuples a run counts together.
type Grouping struct {
	Columns []string `json:"columns"`
	Tuples  Range    `json:"distinct_tuples"`

	words int64 // of a packed tuple
}

// Group bounds the number of tuples of some of the columns, by their values and by the rows.
func Group(columns []Column, of []int, rows int64) Grouping {
	g := Grouping{Tuples: Exactly(min(rows, 1))}
	width := 0
	for _, i := range of {
		c := columns[i]
		g.Columns = append(g.Columns, c.Name)
		values := Range{c.Distinct.AtLeast, add(c.Distinct.AtMost, 1)} // perhaps nulls
		g.Tuples.AtLeast = max(g.Tuples.AtLeast, values.AtLeast)
		g.Tuples.AtMost = min(rows, multiply(g.Tuples.AtMost, values.AtMost))
		width += bits.Len64(uint64(values.AtMost))
	}
	g.words = int64(max(1, (width+63)/64))
	return g
}
