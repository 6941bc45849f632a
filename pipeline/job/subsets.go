package job

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/kcut/kcut/internal/text"
)

// MostSubsets is the largest number of sets that entries with subsets may stand for in a job: a
// run counts the combinations of values of each.
const MostSubsets = 1000

// Names returns the columns that the entry names.
func (s *Set) Names() []string {
	if s.Subsets > 0 {
		return s.Of
	}
	return s.Columns
}

// Number returns the number of sets for which the entry stands, before any is left out; most+1
// stands for all larger numbers.
func (s *Set) Number(most int) int {
	number, n, m := 1, len(s.Of), s.Subsets
	for i := range min(m, n-m) { // C(n, i+1) grows up to half of n
		if number = number * (n - i) / (i + 1); number > most {
			return most + 1
		}
	}
	return number
}

// EverySet returns the sets of the job, each with its columns: an entry with subsets stands for
// all sets of that number of its columns, in the order in which it names them. It leaves out such
// a set if another set contains it and has a k that is not smaller.
func (j *Job) EverySet() (sets []Set) {
	for i, entry := range j.Sets {
		if entry.Subsets == 0 {
			sets = append(sets, entry)
			continue
		}
		for columns := range subsetsOf(entry.Of, entry.Subsets) {
			set := entry
			set.Subsets, set.Of, set.Columns = 0, nil, columns
			if !j.implied(&set, i) {
				set.Columns = slices.Clone(columns)
				sets = append(sets, set)
			}
		}
	}
	return sets
}

// implied reports whether an entry other than the set's own implies a set: its sets hold only if
// the set holds. The first of two entries that imply each other keeps the set.
func (j *Job) implied(set *Set, own int) bool {
	for i := range j.Sets {
		e := &j.Sets[i]
		within := func(column string) bool { return slices.Contains(e.Names(), column) }
		if i == own || !e.asks(set) || !all(set.Columns, within) {
			continue
		}
		same := set.asks(e) && e.Subsets == len(set.Columns)
		if e.Subsets == 0 || e.Subsets >= len(set.Columns) && (!same || i < own) {
			return true
		}
	}
	return false
}

// asks reports whether the entry asks for all that another one asks for of every class.
func (s *Set) asks(other *Set) bool {
	return s.K >= other.K && s.OfPopulation().Implies(other.OfPopulation())
}

func all(names []string, is func(string) bool) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !is(name) })
}

// subsetsOf yields all lists of n of some names, in their order. The next list overwrites the one
// before it.
func subsetsOf(names []string, n int) func(func([]string) bool) {
	return func(yield func([]string) bool) {
		list := make([]string, n)
		var choose func(at, from int) bool
		choose = func(at, from int) bool {
			if at == n {
				return yield(list)
			}
			for i := from; i <= len(names)-(n-at); i++ {
				list[at] = names[i]
				if !choose(at+1, i+1) {
					return false
				}
			}
			return true
		}
		choose(0, 0)
	}
}

// subsetRules checks the entries that stand for several sets.
func (r *reader) subsetRules() {
	room := MostSubsets
	for i := range r.Sets {
		s, path := &r.Sets[i], itemPath("quasi_identifiers", i)
		given := s.Subsets > 0 && !r.rejected(path+".of")
		switch n, m := len(s.Of), s.Subsets; {
		case m == 0 && n > 0 && !r.rejected(path+".subsets"):
			r.add(path+".of", "as in: {subsets: 2, of: [age, sex, zip], k: 5}",
				"of is given without subsets")
		case given && len(s.Columns) > 0:
			r.add(path+".columns", "give columns an entry of its own",
				"a set has either columns, or subsets and of")
		case given && n == 0:
			r.add(path+".subsets", "as in: {subsets: 2, of: [age, sex, zip], k: 5}",
				"subsets is given without of")
		case given && m > n:
			r.add(path+".subsets", "", "subsets of %d columns, and of has %d", m, n)
		case given:
			number := s.Number(room)
			if number > room {
				r.add(path+".subsets", s.fewerSubsets(room),
					"every %d of %d columns are %s sets, the most in a job are %d%s", m, n,
					s.numberText(), MostSubsets, others(room))
				continue
			}
			room -= number
		}
	}
}

// others says which part of the sets other entries stand for.
func others(room int) string {
	if room == MostSubsets {
		return ""
	}
	return ", of which other entries have " + strconv.Itoa(MostSubsets-room)
}

// numberText returns the number of sets, also if it is very large.
func (s *Set) numberText() string {
	const mostNamed = 1_000_000_000
	if number := s.Number(mostNamed); number <= mostNamed {
		return strconv.Itoa(number)
	}
	return "more than " + strconv.Itoa(mostNamed)
}

// fewerSubsets returns the hint with the largest smaller number of columns whose sets fit.
func (s *Set) fewerSubsets(room int) string {
	const whole = "; one set of all these columns implies every other"
	for fewer := *s; fewer.Subsets > 1; {
		fewer.Subsets--
		if number := fewer.Number(room); number <= room {
			return fmt.Sprintf("subsets: %d is the largest that works here, with %s%s",
				fewer.Subsets, text.Count(number, "set"), whole)
		}
	}
	return "name fewer columns" + whole
}
