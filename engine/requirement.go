package engine

import "slices"

// Set is one quasi-identifier set: attributes by position, and the smallest number of
// records that must share every combination of their released values.
type Set struct {
	Columns []int
	K       int
}

// Requirement is the list of sets that a release must meet, all at once (TDS, Definition 1).
type Requirement struct {
	Sets []Set
}

// Reduce leaves out the sets that others imply: a set within another whose K is not
// smaller. Of equal sets the first is kept. It returns the sets kept, in order, and the
// positions of those dropped.
func (r Requirement) Reduce() (kept Requirement, dropped []int) {
	for i, set := range r.Sets {
		if r.implies(i) {
			dropped = append(dropped, i)
		} else {
			kept.Sets = append(kept.Sets, set)
		}
	}
	return kept, dropped
}

// implies reports whether the other sets imply set i. Of two that imply each other, the
// first stays.
func (r Requirement) implies(i int) bool {
	for j, other := range r.Sets {
		if j != i && r.Sets[i].within(other) && (j < i || !other.within(r.Sets[i])) {
			return true
		}
	}
	return false
}

// within reports whether meeting other meets s too.
func (s Set) within(other Set) bool {
	if s.K > other.K {
		return false
	}
	for _, c := range s.Columns {
		if !slices.Contains(other.Columns, c) {
			return false
		}
	}
	return true
}

// Union returns the columns of all sets, ascending, and their largest K, at least 1. A
// release in which every combination of these has so many records meets all sets.
func (r Requirement) Union() (columns []int, k uint64) {
	k = 1
	for _, set := range r.Sets {
		columns = append(columns, set.Columns...)
		k = max(k, uint64(max(set.K, 0)))
	}
	slices.Sort(columns)
	return slices.Compact(columns), k
}

// LargestK returns the largest K of the sets with an attribute, and whether there is one.
func (r Requirement) LargestK(attribute int) (k uint64, ok bool) {
	for _, set := range r.Sets {
		if slices.Contains(set.Columns, attribute) {
			k, ok = max(k, uint64(max(set.K, 0))), true
		}
	}
	return k, ok
}
