package engine

import (
	"fmt"
	"slices"
)

// Set is one quasi-identifier set: attributes by position, and the protections of its equivalence
// classes.
type Set struct {
	Columns    []int
	K          KAnonymity   // the first protection, which needs only the sizes of classes
	Entities   bool         // K counts entities, each of which may have several records
	Population Population   // what the people of a population in every class must be
	Others     []Protection // the other protections
}

// Requirement is the list of sets that a release must meet, all at once (TDS, Definition 1). Either
// all sets count entities, or none does.
type Requirement struct {
	Sets []Set

	// MaxSuppressed is the largest number of records that may be suppressed or dropped so that the
	// others meet all sets: the outliers, whose classes are too small. Suppressed records are
	// released with marks only, and so form their own class.
	MaxSuppressed uint64
	Drop          bool

	// AverageRisk is the largest average risk of a record in each set: the number of classes,
	// divided by the number of records. 0: any. Searches that cannot bound the number of classes
	// may exceed it, and so the release is counted.
	AverageRisk float64

	// PeopleOfRecord is a known number of people of the population, or fewer, that every class of
	// every set with limits on them has for each of its records. 0: none is known.
	PeopleOfRecord uint64
}

// BoundsRisk reports whether the number of classes must be bounded: no k bounds it enough, and no
// records may be suppressed or dropped, which lowers it.
func (r *Requirement) BoundsRisk() bool {
	return r.AverageRisk > 0 && r.Suppressible() == 0 &&
		slices.ContainsFunc(r.Sets, func(s Set) bool { return float64(s.K)*r.AverageRisk < 1 })
}

// MostClasses returns the largest number of classes of some records with at most an average risk.
func MostClasses(averageRisk float64, records uint64) uint64 {
	return uint64((averageRisk + Slack) * float64(records))
}

// Suppressible returns how many records may be suppressed or dropped. It is 0 when so few records
// could not form a class of marks.
func (r *Requirement) Suppressible() uint64 {
	tooFew := func(set Set) bool { return r.MaxSuppressed < set.K.Size() }
	if !r.Drop && slices.ContainsFunc(r.Sets, tooFew) {
		return 0
	}
	return r.MaxSuppressed
}

// Reduce leaves out the sets that others imply: a set within another set whose protections imply
// its own. The first of equal sets is kept. It returns the sets kept, in order, and the positions
// of those left out.
func (r Requirement) Reduce() (kept Requirement, dropped []int) {
	kept = r
	kept.Sets = nil
	with := make(map[int][]int) // by column: the sets that contain it
	ascending := make([]Set, len(r.Sets))
	for i, set := range r.Sets {
		ascending[i] = set
		ascending[i].Columns = slices.Sorted(slices.Values(set.Columns))
		for _, c := range slices.Compact(slices.Clone(ascending[i].Columns)) {
			with[c] = append(with[c], i)
		}
	}
	for i, set := range r.Sets {
		implied := func(j int) bool { // of two sets that imply each other, the first stays
			return j != i && ascending[j].implies(&ascending[i]) &&
				(j < i || !ascending[i].implies(&ascending[j]))
		}
		if slices.ContainsFunc(rarest(set.Columns, with), implied) {
			dropped = append(dropped, i)
		} else {
			kept.Sets = append(kept.Sets, set)
		}
	}
	return kept, dropped
}

// rarest returns the sets that contain the column which the fewest sets contain.
func rarest(columns []int, with map[int][]int) (sets []int) {
	for i, c := range columns {
		if i == 0 || len(with[c]) < len(sets) {
			sets = with[c]
		}
	}
	return sets
}

// implies reports whether a release that meets s also meets other. The columns of both ascend.
func (s *Set) implies(other *Set) bool {
	columns := s.Columns
	for _, c := range other.Columns {
		at, found := slices.BinarySearch(columns, c)
		if !found {
			return false
		}
		columns = columns[at:]
	}
	lacks := func(p Protection) bool {
		return !slices.ContainsFunc(s.protections(), func(own Protection) bool {
			return own.Implies(p)
		})
	}
	return s.Population.Implies(other.Population) &&
		!slices.ContainsFunc(other.protections(), lacks)
}

// protections returns all protections of the set, k first.
func (s *Set) protections() []Protection { return append([]Protection{s.K}, s.Others...) }

// Ordered returns the reduced requirement with the columns of every set ascending.
func (r Requirement) Ordered() Requirement {
	kept, _ := r.Reduce()
	for i := range kept.Sets {
		kept.Sets[i].Columns = slices.Sorted(slices.Values(kept.Sets[i].Columns))
	}
	return kept
}

// United returns one set that implies all: it has the columns of all sets, ascending, and all their
// protections.
func (r Requirement) United() (united Set) {
	for _, set := range r.Sets {
		united.add(set)
		united.Columns = append(united.Columns, set.Columns...)
	}
	slices.Sort(united.Columns)
	united.Columns = slices.Compact(united.Columns)
	return united
}

// UnitedOver returns the united set for engines that make regions over all attributes: each
// attribute must be in a set. It returns an error that wraps ErrInfeasible when even all records
// together break a protection. K is at least 1, since a region has a record.
func (r Requirement) UnitedOver(table *Table) (Set, error) {
	set := r.United()
	set.K = max(1, set.K)
	if len(set.Columns) != len(table.Attributes) {
		return set, fmt.Errorf("unite quasi-identifier sets: %d of %d attributes are in one",
			len(set.Columns), len(table.Attributes))
	}
	if !set.Holds(table.Stats()) {
		return set, fmt.Errorf("make groups of %d records: %w", set.K, ErrInfeasible)
	}
	return set, nil
}

// ByAttribute returns, for each attribute, a set with the protections of all sets that contain it.
// It has no columns where no set contains the attribute.
func (r Requirement) ByAttribute(attributes int) []Set {
	of := make([]Set, attributes)
	for i := range r.Sets {
		for _, a := range r.Sets[i].Columns {
			of[a].Columns = []int{a}
			of[a].add(r.Sets[i])
		}
	}
	return of
}

// add adds the protections of another set.
func (s *Set) add(other Set) {
	s.K, s.Population = max(s.K, other.K), s.Population.With(other.Population)
	s.Entities = s.Entities || other.Entities
	for _, p := range other.Others {
		if !slices.ContainsFunc(s.Others, func(own Protection) bool { return own.Implies(p) }) {
			s.Others = append(s.Others, p)
		}
	}
}

// Grouping returns the tuples from which the set's equivalence classes are counted.
func (s *Set) Grouping() Grouping {
	return Grouping{Columns: s.Columns, Kind: s.Entities || s.NeedsKinds()}
}

// NeedsKinds reports whether a protection needs the kinds of records: all except K do.
func (s *Set) NeedsKinds() bool { return len(s.Others) > 0 }

// Groupings returns the groupings of all sets.
func (r Requirement) Groupings() (groupings []Grouping) {
	for i := range r.Sets {
		groupings = append(groupings, r.Sets[i].Grouping())
	}
	return groupings
}

// CheckReach returns an error that wraps ErrInfeasible when a set does not hold even with
// everything masked, when all records are one class, or when the risk of that class is too high.
func (r Requirement) CheckReach(all Stats) error {
	if r.AverageRisk > 0 && MostClasses(r.AverageRisk, all.Size) == 0 {
		return fmt.Errorf("search classes of %d records: %w", all.Size, ErrRisk)
	}
	for i := range r.Sets {
		if !r.Sets[i].Holds(all) {
			return fmt.Errorf("search quasi-identifier set %d: %w", i+1, ErrInfeasible)
		}
	}
	return nil
}

// Protection is one property that a release promises of every equivalence class of a set: of the
// records that share all their released values of the set's attributes.
//
// Every protection is monotone: if two classes hold, their union holds. So a coarser cut of a cut
// that holds also holds, and a refinement that breaks a class breaks it for ever. The job must
// refuse a property that is not monotone, alone or in combination with another option.
type Protection interface {
	// Holds reports whether an equivalence class is protected.
	Holds(class Stats) bool
	// Implies reports whether every class that holds also holds for the other protection.
	Implies(other Protection) bool
}

// Stats are the figures of an equivalence class, or of other records, that protections judge.
type Stats struct {
	// the number that k counts: records or, for entities, a lower bound of their number
	Size uint64
	// by sensitive column and code: number of records; nil when no protection asks
	Values [][]uint64
}

// KAnonymity asks for k records in every equivalence class. With 0 or less it asks for nothing.
type KAnonymity int

// Size returns k as a size.
func (k KAnonymity) Size() uint64 { return uint64(max(k, 0)) }

// Holds reports whether a class has k records.
func (k KAnonymity) Holds(class Stats) bool { return class.Size >= k.Size() }

// Implies reports whether the other protection is a k that is not larger.
func (k KAnonymity) Implies(other Protection) bool {
	o, ok := other.(KAnonymity)
	return ok && o <= k
}

// Holds reports whether an equivalence class of the set meets all its protections.
func (s *Set) Holds(class Stats) bool {
	return s.K.Holds(class) && (len(s.Others) == 0 || s.othersHold(class))
}

func (s *Set) othersHold(class Stats) bool {
	return !slices.ContainsFunc(s.Others, func(p Protection) bool { return !p.Holds(class) })
}

// Prunable reports whether this number of records, however it is divided into classes, leaves a
// class that does not hold. A value with such a child is never refined, whatever else is refined.
func (s *Set) Prunable(size uint64) bool { return size < s.K.Size() }
