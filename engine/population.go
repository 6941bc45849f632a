package engine

// Population is what a set demands of the people of a population in every class: the people from
// whom those of the table come, each with a value in every column of the set. The zero value
// demands nothing.
//
// The limits are monotone. The people of a union of classes are the sum of those of its classes,
// and so are its records. So the union of classes with k people has k people, and the share of the
// people of a union who have a record is between the shares of its classes. This is true of
// MinPresence only if a class without records counts, too, with the share 0 (Nergiz, Atzori,
// Clifton: Hiding the presence of individuals from shared databases, SIGMOD 2007, section 3).
type Population struct {
	KMap uint64 // the fewest people; 0: any number
	// MinPresence and MaxPresence are the smallest and the largest number of records for every
	// person; 0: any.
	MinPresence, MaxPresence float64
}

// Asked reports whether the population matters.
func (p Population) Asked() bool { return p != Population{} }

// Holds reports whether a class with some records and people meets the limits. A class that has
// only people is none of the release, and only MinPresence judges it.
func (p Population) Holds(records, people uint64) bool {
	if records == 0 {
		return p.MinPresence == 0 || people == 0
	}
	return people >= p.KMap && p.presenceHolds(float64(records)/float64(people))
}

func (p Population) presenceHolds(presence float64) bool {
	return presence >= p.MinPresence && (p.MaxPresence == 0 || presence <= p.MaxPresence)
}

// MetBy reports whether every class of some records or more meets the limits where every class has
// at least some people for each of its records.
func (p Population) MetBy(records, people uint64) bool {
	return people > 0 && (p.KMap == 0 || records > (p.KMap-1)/people) && p.MinPresence == 0 &&
		(p.MaxPresence == 0 || 1/float64(people) <= p.MaxPresence)
}

// Implies reports whether every class that meets these limits meets the others.
func (p Population) Implies(other Population) bool { return p.With(other) == p }

// With returns limits that imply both.
func (p Population) With(other Population) Population {
	p.KMap = max(p.KMap, other.KMap)
	p.MinPresence = max(p.MinPresence, other.MinPresence)
	if p.MaxPresence == 0 || other.MaxPresence > 0 && other.MaxPresence < p.MaxPresence {
		p.MaxPresence = other.MaxPresence
	}
	return p
}
