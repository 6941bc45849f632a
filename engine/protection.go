package engine

import "slices"

// Protection is one thing that a release promises of every equivalence class of a set: of the
// records that share all their released values of the set's attributes.
//
// Every protection is monotone: classes that hold, joined, hold. So a coarser cut of one that
// holds holds, and a refinement that breaks a class breaks it for ever. What is not monotone,
// alone or beside another option, the job must refuse.
type Protection interface {
	// Needs says what Stats must tell of a class beside its records, and so what the groupings
	// that it is counted from must tell apart beside the set's columns.
	Needs() Needs
	// Holds reports whether an equivalence class is protected.
	Holds(class Stats) bool
	// Prunable reports whether records, however they are divided into classes, leave some class
	// that does not hold. A value with such a child is never refined, whatever else is.
	Prunable(records Stats) bool
	// Implies reports whether classes that hold hold for another protection, too.
	Implies(other Protection) bool
}

// Needs are the counts that some protections need beside those of tuples.
type Needs struct {
	Class bool // the records of every class
}

// Stats are what protections are asked of: an equivalence class, or other records.
type Stats struct {
	Records uint64
}

// KAnonymity asks for so many records in every equivalence class; of 0 or less, for nothing.
type KAnonymity int

// Records returns k as a number of records.
func (k KAnonymity) Records() uint64 { return uint64(max(k, 0)) }

// Needs returns nothing.
func (KAnonymity) Needs() Needs { return Needs{} }

// Holds reports whether a class has k records.
func (k KAnonymity) Holds(class Stats) bool { return class.Records >= k.Records() }

// Prunable reports whether there are fewer than k records.
func (k KAnonymity) Prunable(records Stats) bool { return !k.Holds(records) }

// Implies reports whether the other one is a k that is not larger.
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

// Prunable reports whether records, however they are divided, break a protection of the set.
func (s *Set) Prunable(records Stats) bool {
	return s.K.Prunable(records) || slices.ContainsFunc(s.Others, func(p Protection) bool { return p.Prunable(records) })
}
