package draft

import (
	"cmp"
	"slices"

	"github.com/kcut/kcut/formats"
)

// k counts an identifier that repeats if it has this many values, several for each unit of k, and
// no more rows for each on average: the search ignores entities with very many rows, in larger
// tables sooner.
const (
	fewestEntities    = 100
	entitiesByK       = 10
	mostRowsPerEntity = 20
	mostEntityRows    = 5_000_000
)

// mostOnce is the largest ratio of values to rows of an identifier that repeats, and not by
// mistake.
const mostOnce = 0.98

// repeats reports whether a dropped column has values that belong to one person each, and repeat.
func (p *Profile) repeats() bool {
	return p.role.owned && p.Field.Distinct >= 2 && p.distinctShare() <= mostOnce
}

// chooseEntity finds the column that k counts: among the identifiers that repeat, the one that
// looks most like that of people, and of equals the one with the fewest values.
func (d *draft) chooseEntity() {
	if d.rows > mostEntityRows {
		return
	}
	for _, p := range d.profiles {
		n := p.Field.Distinct
		counts := p.entityRank() >= 0 && n >= max(fewestEntities, int64(entitiesByK*d.K)) &&
			n*mostRowsPerEntity >= p.Rows
		if counts && (d.entity == nil || cmp.Or(p.entityRank()-d.entity.entityRank(),
			cmp.Compare(n, d.entity.Field.Distinct)) < 0) {
			d.entity = p
		}
	}
}

// mostUnknown is the largest share of rows that are of nobody.
const mostUnknown = 0.05

// persons and others are words of identifiers of those whom a table is about, and of others and of
// things.
var (
	persons = words{alone: slices.Concat(people, pairs(people, numbered), []string{"mrn"})}
	others  = words{alone: slices.Concat(staff, things, pairs(things, numbered), regions)}
)

// entityRank returns a rank for how much a column looks like the number of a person, 0 for the
// most; −1: it does not. Amounts are no numbers of people, and these share telephones and accounts.
func (p *Profile) entityRank() int {
	name := wordsOf(p.name)
	meaning := directMeaning(name).meaning
	switch {
	case !p.repeats() || others.has(name) || p.typ.Kind == formats.Float ||
		p.typ.Kind == formats.Decimal || float64(p.Rows-p.Field.Rows) > mostUnknown*float64(p.Rows):
		return -1
	case persons.has(name):
		return 0
	case p.role.names || meaning == identifiers:
		return 1
	case meaning == numbersOfPeople || p.typ.Kind == formats.UUID || p.share(uuid) > 0 ||
		p.share(email) > 0:
		return 2
	}
	return -1
}
