package draft

import "cmp"

// An identifier that repeats is what k counts when this many are there, several for each that k asks for, and
// of no more rows on average: the search takes who has very many rows for nobody, in larger tables sooner.
const (
	fewestEntities    = 200
	entitiesByK       = 20
	mostRowsPerEntity = 20
	mostEntityRows    = 5_000_000
)

// mostOnce is the part of the rows up to which values of an identifier repeat, and not by mistake.
const mostOnce = 0.98

// repeats reports whether a column that is dropped has values that belong to one person each, and repeat.
func (p *Profile) repeats() bool {
	return p.role.owned && p.Field.Distinct >= 2 && p.distinctShare() <= mostOnce
}

// chooseEntity finds what k is to count: of the identifiers that repeat, one that is called an identifier, else any other, and of
// these the one with the fewest values. People share telephones.
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
		counts := p.repeats() && n >= max(fewestEntities, int64(entitiesByK*d.K)) && n*mostRowsPerEntity >= p.Rows
		if counts && (d.entity == nil || cmp.Or(isCalled(d.entity)-isCalled(p), cmp.Compare(n, d.entity.Field.Distinct)) < 0) {
			d.entity = p
		}
	}
}
