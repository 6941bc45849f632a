package engine

import (
	"fmt"
	"slices"
)

// Set is one quasi-identifier set: attributes by position, and what must hold of its
// equivalence classes.
type Set struct {
	Columns []int
	K       KAnonymity   // the first protection, which the sizes of classes tell alone
	Others  []Protection // all others
}

// Requirement is the list of sets that a release must meet, all at once (TDS, Definition 1).
type Requirement struct {
	Sets []Set
}

// Reduce leaves out the sets that others imply: a set within another whose protections imply
// its own. Of equal sets the first is kept. It returns the sets kept, in order, and the
// positions of those dropped.
func (r Requirement) Reduce() (kept Requirement, dropped []int) {
	for i, set := range r.Sets {
		implied := false
		for j, other := range r.Sets { // of two that imply each other, the first stays
			implied = implied || j != i && other.implies(&set) && (j < i || !set.implies(&other))
		}
		if implied {
			dropped = append(dropped, i)
		} else {
			kept.Sets = append(kept.Sets, set)
		}
	}
	return kept, dropped
}

// implies reports whether meeting s meets other, too.
func (s *Set) implies(other *Set) bool {
	missing := func(c int) bool { return !slices.Contains(s.Columns, c) }
	lacks := func(p Protection) bool {
		return !slices.ContainsFunc(s.protections(), func(own Protection) bool { return own.Implies(p) })
	}
	return !slices.ContainsFunc(other.Columns, missing) && !slices.ContainsFunc(other.protections(), lacks)
}

// protections returns all protections of the set, k first.
func (s *Set) protections() []Protection { return append([]Protection{s.K}, s.Others...) }

// Ordered returns the requirement reduced, with the columns of every set ascending.
func (r Requirement) Ordered() Requirement {
	kept, _ := r.Reduce()
	for i := range kept.Sets {
		kept.Sets[i].Columns = slices.Sorted(slices.Values(kept.Sets[i].Columns))
	}
	return kept
}

// United returns one set that implies all: of the columns of all sets, ascending, with all
// their protections.
func (r Requirement) United() (united Set) {
	for _, set := range r.Sets {
		united.add(set)
		united.Columns = append(united.Columns, set.Columns...)
	}
	slices.Sort(united.Columns)
	united.Columns = slices.Compact(united.Columns)
	return united
}

// UnitedOver returns the united set of engines that make regions of all attributes: each must
// be in a set. It returns an error wrapping ErrInfeasible when not even all records together
// hold. Regions have a record at least.
func (r Requirement) UnitedOver(table *Table) (Set, error) {
	set := r.United()
	set.K = max(1, set.K)
	if len(set.Columns) != len(table.Attributes) {
		return set, fmt.Errorf("unite quasi-identifier sets: %d of %d attributes are in one", len(set.Columns), len(table.Attributes))
	}
	if !set.Holds(Stats{Records: table.Rows}) {
		return set, fmt.Errorf("make groups of %d records: %w", set.K, ErrInfeasible)
	}
	return set, nil
}

// Of returns the protections of all sets with an attribute, as a set of it alone, and whether
// there is such a set.
func (r Requirement) Of(attribute int) (of Set, ok bool) {
	of.Columns = []int{attribute}
	for _, set := range r.Sets {
		if slices.Contains(set.Columns, attribute) {
			of.add(set)
			ok = true
		}
	}
	return of, ok
}

// add takes over the protections of another set.
func (s *Set) add(other Set) {
	s.K = max(s.K, other.K)
	s.Others = append(s.Others, other.Others...)
}

// Grouping returns the tuples that the set's equivalence classes are counted from.
func (s *Set) Grouping() Grouping {
	g := Grouping{Columns: s.Columns}
	for _, p := range s.Others {
		g.Class = g.Class || p.Needs().Class
	}
	return g
}

// Groupings returns those of every set.
func (r Requirement) Groupings() (groupings []Grouping) {
	for i := range r.Sets {
		groupings = append(groupings, r.Sets[i].Grouping())
	}
	return groupings
}

// CheckReach returns an error that wraps ErrInfeasible when a set does not hold with everything
// masked, all records being one class.
func (r Requirement) CheckReach(all Stats) error {
	for i := range r.Sets {
		if !r.Sets[i].Holds(all) {
			return fmt.Errorf("search quasi-identifier set %d: %w", i+1, ErrInfeasible)
		}
	}
	return nil
}
