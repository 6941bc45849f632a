package draft

import (
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/text"
)

// dropConstants drops columns that have the same value, or none, in all rows but fewer than k:
// nobody learns anything from what a release shows of these, but that they are rare. A treatment
// stays.
func (d *draft) dropConstants() {
	for _, p := range d.profiles {
		if p.role.masked() && d.isNearlyConstant(p) && !treatments.has(p.words) {
			p.role = drop("all but %s of %s rows have the same value, or all none: too few to show",
				text.Grouped(p.others()), text.Grouped(p.Rows))
		}
	}
}

// isNearlyConstant reports whether a column has the same value, or none, in all rows but fewer than
// k, also of those that were not read.
func (d *draft) isNearlyConstant(p *Profile) bool {
	others := float64(p.others())
	return others*float64(d.rows)/float64(p.Rows) < float64(d.K) &&
		others <= (1-most)*float64(p.Rows)
}

// others returns the number of rows outside the most frequent value of a column, or outside null.
func (p *Profile) others() int64 {
	return p.Rows - max(p.Field.Most, p.Rows-p.Field.Rows)
}

// mayBecomeClass reports whether a column may be the class of a table without one.
func (d *draft) mayBecomeClass(p *Profile) bool { return d.class == nil && d.mayBeOutcome(p) }

// leastUnmarked is the least share of rows without a value in a column whose only value marks the
// others.
const leastUnmarked = 0.01

// marks reports whether the only value of a column marks rows, as a ticked box does, so that a null
// says no: if few have it, or it is yes or the like, or nobody else must have a value. It does not
// in a column such as country, unless its name is a sentence, and neither does 0 in most rows.
func (p *Profile) marks() bool {
	if p.Field.Rows*2 < p.Rows {
		return true
	}
	if p.typ.Ordered() && p.least == 0 {
		return false
	}
	return float64(p.Rows-p.Field.Rows) >= leastUnmarked*float64(p.Rows) &&
		(p.isTick() || !p.isBasic() || len(p.words) > mostWords)
}

// isTick reports whether all values of a column are yes, as ticks in a box are.
func (p *Profile) isTick() bool {
	return p.share(tick) == 1 || p.typ.Kind == formats.Boolean || p.typ.Ordered() && p.least == 1
}

// dropMarks drops columns with one value, which is no tick, in the rows in which another one has
// values: the nulls of that say as much.
func (d *draft) dropMarks() {
	for _, p := range d.profiles {
		if !p.role.masked() || p.Field.Distinct > 1 || p.isTick() {
			continue
		}
		at := slices.IndexFunc(d.profiles, func(of *Profile) bool {
			return of != p && of.role.masked() && of.Field.Rows == p.Field.Rows &&
				d.determines(of, p)
		})
		if at >= 0 {
			p.role = dropBy(d.profiles[at], "has values in the same rows")
		}
	}
}
