package draft

import (
	"slices"
	"strings"
)

// withSiblings returns known columns and those of others that are siblings of one: another of a
// series, another part of the same day, or another value of the same kind as dummies, as divorced
// is of married. Columns that determine a dropped one that people know are known like it.
func (d *draft) withSiblings(known, others []*Profile) (all, rest []*Profile) {
	all = slices.Clone(known)
	var dummies []*Profile
	for _, of := range d.kinds {
		if slices.ContainsFunc(of, func(p *Profile) bool { return slices.Contains(known, p) }) {
			dummies = append(dummies, of...)
		}
	}
	for _, p := range others {
		isOfSeries := slices.ContainsFunc(known, func(of *Profile) bool {
			return isSibling(p, of) || areOfOneDay(p, of)
		})
		if isOfSeries && !d.isOfOthers(p) || slices.Contains(dummies, p) || d.standsForFact(p) {
			all = append(all, p)
		} else {
			rest = append(rest, p)
		}
	}
	return all, rest
}

// longestOfSeries is the largest number of letters or digits by which the names in a series differ
// at their ends.
const longestOfSeries = 2

// isSibling reports whether a column has the name of another one that people know, but for a number
// or a few letters behind the fact: schoolk and school1, asian_cl and asian. Marks are none.
func isSibling(p, of *Profile) bool {
	a, b := strings.ToLower(p.name), strings.ToLower(of.name)
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	stem := wordsOf(a[:n])
	isShort := func(end string) bool {
		return len(strings.TrimLeft(end, "_. -")) <= longestOfSeries
	}
	return p.typ.Kind == of.typ.Kind && !p.isItem && isShort(a[n:]) && isShort(b[n:]) &&
		isFact(stem) && !slices.ContainsFunc(p.words, func(word string) bool {
		return slices.Contains(marks, word)
	})
}

// partsOfDates are words for parts of a day that columns have in front of its name or behind it.
var partsOfDates = strings.Fields("weekday day month mon year yr")

// areOfOneDay reports whether columns have two parts of one day, by the same rest of their names,
// as admission_year and admission_day. A code for unknown, as 99, is no day.
func areOfOneDay(p, of *Profile) bool {
	part, day := dayOf(p.words)
	partOfOther, other := dayOf(of.words)
	return part != "" && partOfOther != "" && part != partOfOther && day == other
}

// dayOf returns the part of a day that a column has by its name, and the name of that day; "": it
// has none.
func dayOf(name []string) (part, day string) {
	all := strings.Join(name, "")
	for _, part := range partsOfDates {
		if day, found := strings.CutSuffix(all, part); found {
			return part, day
		}
		if day, found := strings.CutPrefix(all, part); found {
			return part, strings.TrimPrefix(day, "of")
		}
	}
	return "", ""
}

// standsForFact reports whether a column determines a dropped one that people know, as a code does
// the city of which it is.
func (d *draft) standsForFact(p *Profile) bool {
	return slices.ContainsFunc(d.profiles, func(of *Profile) bool {
		return !of.role.masked() && of != d.class && of.place >= 0 && of.Field.Distinct >= 2 &&
			of.isBasic() && d.sample.ReliablyDetermines(p.place, of.place, d.person())
	})
}

const (
	// fewestDummies is the least number of dummies of one kind, coverOfDummies the least share of
	// the rows that have one of them, and chanceOfDummies the least number of rows with two of
	// them if these were independent: then no chance keeps them apart.
	fewestDummies   = 3
	coverOfDummies  = 0.5
	chanceOfDummies = 7
)

// kindsOfDummies returns lists of columns next to each other that are dummies of one kind, such as
// a region or an industry: at most one of them is 1 in each row, and no chance keeps them apart, or
// each row has one.
func (d *draft) kindsOfDummies() (kinds [][]*Profile) {
	for begin := range d.profiles {
		var set []bool // rows in which one of the columns from begin on is 1
		end, ones, values, isChance := begin, 0, 0, false
		for at := begin; at < len(d.profiles) && d.profiles[at].isDummy(); at++ {
			p := d.profiles[at]
			if set == nil {
				set, values = make([]bool, len(p.numbers)), int(p.Field.Rows)
			}
			mine, both := 0, 0
			for row, x := range p.numbers {
				if x == 1 {
					mine++
					if set[row] {
						both++
					}
					set[row] = true
				}
			}
			if both > 0 {
				break
			}
			expected := float64(mine) * float64(ones) / float64(max(1, len(set)))
			isChance = isChance || at > begin && expected < chanceOfDummies
			ones += mine
			if !isChance && float64(ones) >= coverOfDummies*float64(len(set)) || ones == values {
				end = at + 1 // nor is it chance that each row with a value has one of them
			}
		}
		if end-begin >= fewestDummies {
			kinds = append(kinds, d.profiles[begin:end])
		}
	}
	return kinds
}

// numberOfFacts returns the number of columns, of which the dummies of one kind say one fact.
func (d *draft) numberOfFacts(columns []*Profile) int {
	n := len(columns)
	for _, of := range d.kinds {
		isOfKind := func(p *Profile) bool { return slices.Contains(of, p) }
		n -= max(0, numberOf(columns, isOfKind)-1)
	}
	return n
}

// kindOf returns the dummies of the kind of a column; nil: it has none.
func (d *draft) kindOf(p *Profile) []*Profile {
	for _, of := range d.kinds {
		if slices.Contains(of, p) {
			return of
		}
	}
	return nil
}

// isDummy reports whether a column has no numbers but 0 and 1.
func (p *Profile) isDummy() bool {
	return p.typ.Ordered() && p.Field.Distinct == 2 && p.least == 0 &&
		!slices.ContainsFunc(p.numbers, func(x float64) bool { return x > 0 && x != 1 })
}
