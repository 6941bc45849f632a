package tips

// None is the value of a code that nothing can refine further.
const None int32 = -1

// View is the state of a search for all sets: the masked value of every code of every column. Add
// numbers values; numbers are never reused.
type View struct {
	Columns []Column
	values  []value
}

// Column is the view of one column.
//
// In a refined column (a taxonomy, intervals) all codes of a leaf partition have the same value,
// and refining that value moves each code to its child. Codes of a value are adjacent. In a
// Suppressed column every code that is not disclosed is a value of its own, masked like all the
// others; disclosing it parts its records from the rest. A disclosed code has None.
type Column struct {
	Value []int32 // by code
	// by code: the child of Value that contains it; its own code when Suppressed
	Child      []uint32
	Suppressed bool
	Records    []uint64 // by code: number of records, in every table with the column

	alive int // number of values that can still be refined
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

// Add returns the number of a new value of a column, given the number of its children.
func (v *View) Add(column, children int) int32 {
	v.values = append(v.values, value{column: column, children: children})
	v.Columns[column].alive++
	return int32(len(v.values) - 1)
}

// Kill notes that a value will not be refined any more: it has been refined, or it can never be.
func (v *View) Kill(x int32) {
	if !v.values[x].dead {
		v.values[x].dead = true
		v.Columns[v.values[x].column].alive--
	}
}

// Dead reports whether Kill was called for a value.
func (v *View) Dead(x int32) bool { return v.values[x].dead }
