package draft

import (
	"slices"
	"strings"

	"github.com/kcut/kcut/formats"
)

// numberEnds are ends of names of columns that number somebody or something, as newid.
var numberEnds = []string{"id", "no", "nr"}

// dropNumbersOfFacts drops the column of the most texts, whole numbers or moments that repeat and
// have the facts about one person each, in a table without another number of people: it numbers
// them, whatever its name. Other columns differ in the rows of each.
func (d *draft) dropNumbersOfFacts() {
	var found *Profile
	for _, p := range d.profiles {
		if p.entityRank() >= 0 && 2*p.Field.Distinct <= p.Field.Rows {
			return
		}
		if d.numbersByFacts(p) && (found == nil || p.Field.Distinct > found.Field.Distinct) {
			found = p
		}
	}
	if found != nil {
		found.role = drop("facts about one person go with each of %s", distinctValues(found))
		found.role.owned, found.role.names = true, true
	}
}

// numbersByFacts reports whether a masked column has the facts about one person for each of its
// values, the sex among them and, if its name says nothing, the age, and several people have the
// same facts: else it says these.
func (d *draft) numbersByFacts(id *Profile) bool {
	isNumber := id.typ.Kind == formats.Int || id.typ.Kind == formats.Uint ||
		id.typ.Kind == formats.String || id.hasHours()
	if !isNumber || !id.role.masked() || id.place < 0 || id.fact || id.isItem ||
		id.Field.Distinct < fewestPeople || 2*id.Field.Distinct > id.Field.Rows ||
		float64(id.Rows-id.Field.Rows) > mostUnknown*float64(id.Rows) ||
		amounts.has(id.words) {
		return false
	}
	isSex := func(p *Profile) bool { return called(&sexes, p.words) || p.hasSexes() }
	facts := slices.DeleteFunc(slices.Clone(d.profiles), func(p *Profile) bool {
		return !p.fact || p.place < 0 || p.Field.Distinct < 2 || ofRelatives.has(p.words)
	})
	if !slices.ContainsFunc(facts, isSex) || slices.ContainsFunc(facts, func(p *Profile) bool {
		return isSex(p) && !d.determines(id, p)
	}) {
		return false
	}
	var places []int
	hasSex, hasAge := false, false
	for _, p := range facts {
		if d.sample.ReliablyDetermines(id.place, p.place, -1) {
			places = append(places, p.place)
			hasSex = hasSex || isSex(p)
			hasAge = hasAge || called(&first[0], p.words) && p.Field.Distinct > 2
		}
	}
	if !hasSex || persons.has(id.words) {
		return hasSex
	}
	if d.sample.Tuples(places).Distinct >= id.Field.Distinct {
		return false
	}
	return hasAge || !others.has(id.words) && slices.ContainsFunc(numberEnds,
		func(end string) bool { return strings.HasSuffix(strings.Join(id.words, ""), end) })
}
