package tips

// None is the value of a code that nothing can refine further.
const None int32 = -1

// View is where a search stands, as all sets see it: the value that every code of every
// column is masked to. Values are numbered by Add and never reused.
type View struct {
	Columns []Column
	values  []value
}

// Column is the view of one column.
//
// In a refined column (a taxonomy, intervals) all codes of a leaf partition have the same value,
// and refining that value sends each code to its child. Codes of a value are adjacent. In a
// Suppressed column every code that is not disclosed is a value of its own, masked like all the
// others; disclosing it parts its records from the rest. A disclosed code has None.
type Column struct {
	Value      []int32  // by code
	Child      []uint32 // by code: the child of Value it belongs to; its own code when Suppressed
	Suppressed bool
	Records    []uint64 // by code, in every table with the column

	alive int // values that can still be refined
}

// NewColumn returns a column of the given domain in which nothing can be refined.
func NewColumn(domain int) Column {
	c := Column{Value: make([]int32, domain), Child: make([]uint32, domain)}
	for i := range c.Value {
		c.Value[i] = None
	}
	return c
}

type value struct {
	column   int
	children int
	dead     bool
}

// Add returns the number of a new value of a column: how many children refining it makes.
func (v *View) Add(column, children int) int32 {
	v.values = append(v.values, value{column: column, children: children})
	v.Columns[column].alive++
	return int32(len(v.values) - 1)
}

// Kill notes that a value will not be refined any more: it is, or it never can be.
func (v *View) Kill(x int32) {
	if !v.values[x].dead {
		v.values[x].dead = true
		v.Columns[v.values[x].column].alive--
	}
}

// Dead reports whether Kill was called for a value.
func (v *View) Dead(x int32) bool { return v.values[x].dead }
