package risk

import (
	"fmt"
	"math"

	"github.com/kcut/kcut/internal/text"
)

// Register is what a table of the population shows about the classes of a table.
//
// The number of people of the union of two classes is the sum of theirs, and so is the number of
// rows: so the union of classes with at least k people has at least k, and the share of the people
// of a union who are in the table is between the shares of its parts. Parts without rows have the
// share 0, as in the definition (Nergiz, Atzori, Clifton: Hiding the presence of individuals from
// shared databases, SIGMOD 2007, section 3). So a coarser table of a table that meets these limits
// meets them, too.
type Register struct {
	People int64 `json:"people"` // of the population
	KMap   int64 `json:"k_map"`  // people of the population in the class that has the fewest
	// MinPresence and MaxPresence are the smallest and the largest number of rows, or people, of a
	// class of the population for every one of its people: 0 for a class without rows.
	MinPresence float64 `json:"min_presence"`
	MaxPresence float64 `json:"max_presence"`

	lacking int64 // rows of classes without people of the population
	classes bool  // some class has rows
}

// NewRegister returns a register without classes.
func NewRegister() *Register {
	return &Register{KMap: math.MaxInt64, MinPresence: math.MaxFloat64}
}

// Add adds a class with some rows. Its size is their number, or that of their people in the table.
// It returns the share of its people of the population who are in the table, 0 if it has none.
func (r *Register) Add(rows, size, people int64) (share float64) {
	r.classes = r.classes || rows > 0
	switch r.People += people; {
	case size == 0 && people > 0:
		r.MinPresence = 0
	case people == 0:
		r.lacking += rows
	default:
		share = float64(size) / float64(people)
		r.KMap = min(r.KMap, people)
		r.MinPresence, r.MaxPresence = min(r.MinPresence, share), max(r.MaxPresence, share)
	}
	return share
}

// End ends the classes. It returns the number of rows of classes without people of the population:
// then the other figures say nothing.
func (r *Register) End() (lacking int64) {
	if !r.classes {
		r.KMap, r.MinPresence = 0, 0
	}
	return r.lacking
}

// Broken says which limits the classes break. A largest presence of 0 limits nothing.
func (r *Register) Broken(kMap int64, minPresence, maxPresence float64) (broken []string) {
	if r.KMap < kMap {
		broken = append(broken, fmt.Sprintf("a class has %d people of the population, fewer "+
			"than %d", r.KMap, kMap))
	}
	if r.MinPresence < minPresence {
		broken = append(broken, fmt.Sprintf("the smallest presence %s is below %s",
			text.Percent(r.MinPresence), text.Percent(minPresence)))
	}
	if maxPresence > 0 && r.MaxPresence > maxPresence {
		broken = append(broken, fmt.Sprintf("the largest presence %s is above %s",
			text.Percent(r.MaxPresence), text.Percent(maxPresence)))
	}
	return broken
}
