package draft

import "github.com/kcut/kcut/internal/text"

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
