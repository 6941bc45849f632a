package draft

import "cmp"

// k counts an identifier that repeats if it has this many values, several for each unit of k, and
// no more rows for each on average: the search ignores entities with very many rows, in larger
// tables sooner.
const (
	fewestEntities    = 200
	entitiesByK       = 20
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

// chooseEntity finds the column that k counts: among the identifiers that repeat, one whose name is
// that of an identifier, else any other, and among these the one with the fewest values. People
// share telephones.
func (d *draft) chooseEntity() {
	if d.rows > mostEntityRows {
		return
	}
	isCalled := func(p *Profile) int {
		if directMeaning(wordsOf(p.name)).meaning == identifiers {
			return 1
		}
		return 0
	}
	for _, p := range d.profiles {
		n := p.Field.Distinct
		counts := p.repeats() && n >= max(fewestEntities, int64(entitiesByK*d.K)) &&
			n*mostRowsPerEntity >= p.Rows
		if counts && (d.entity == nil ||
			cmp.Or(isCalled(d.entity)-isCalled(p), cmp.Compare(n, d.entity.Field.Distinct)) < 0) {
			d.entity = p
		}
	}
}
