package verify

import "slices"

// ends are a masked column of which several columns, or fields of structs, are released: which of their values stand together.
type ends struct {
	column string
	digits []int // of the set's key
	known  map[[3]uint32]bool
}

// endsOf returns the columns of a set that are released as their ends.
func (r *rules) endsOf(set int) (all []ends) {
	for _, name := range r.cut.Sets[set].Columns {
		checks := r.first[name]
		if len(checks) < 2 {
			continue
		}
		e := ends{column: name, known: make(map[[3]uint32]bool)}
		for _, check := range checks {
			e.digits = append(e.digits, slices.Index(r.keys[set].columns, check))
		}
		for label := range r.checks[checks[0]].labels {
			e.known[e.together(func(i int) uint32 { return r.checks[checks[i]].numberOf(uint32(label)) })] = true
		}
		all = append(all, e)
	}
	return all
}

// together returns numbers of all columns, or fields.
func (e *ends) together(number func(i int) uint32) (numbers [3]uint32) {
	for i := range e.digits {
		numbers[i] = number(i)
	}
	return numbers
}

// checkEnds looks for ends in a group of a set that no label of the cut has together.
func (j *judge) checkEnds(set int, group []uint64) {
	for i := range j.ends[set] {
		e := &j.ends[set][i]
		if !e.known[e.together(func(i int) uint32 { return j.keys[set].digit(group, e.digits[i]) })] {
			j.find("column %s: ends that no label of its cut has together", e.column)
		}
	}
}
