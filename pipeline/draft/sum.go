package draft

import (
	"math"

	"github.com/kcut/kcut/pipeline/job"
)

// mostAdded is the largest number of columns among which sums are looked for.
const mostAdded = 24

// dropSums drops numbers of many values that are the sum of two others, or the difference between
// them, but not those that everybody knows.
func (d *draft) dropSums() {
	var terms []*Profile
	for _, p := range d.profiles {
		if p.role.masked() && p.typ.Ordered() && !p.isTime() && !p.isCode() &&
			p.Field.Distinct > 2 {
			terms = append(terms, p)
		}
	}
	if len(terms) > mostAdded {
		return
	}
	for _, sum := range terms {
		for i, a := range terms {
			for _, b := range terms[:i] {
				if a != sum && b != sum {
					dropSum(sum, a, b)
				}
			}
		}
	}
}

// dropSum drops one of three numbers of which one is the sum of the others in each row with all
// three: the sum or, if only one part may be below 0, this part, which is the difference between
// two measurements. It has a number only in rows in which the others have theirs.
func dropSum(sum, a, b *Profile) {
	goes, why := sum, "the sum of %s and %s"
	from, minus := b, a
	if sum.least >= 0 && min(a.least, b.least) < 0 && max(a.least, b.least) >= 0 {
		goes, from, minus, why = a, sum, b, "the difference between %s and %s"
		if b.least < 0 {
			goes, minus = b, a
		}
	}
	if goes.Field.Distinct > fewCodes && !goes.isBasic() && sum.role.masked() &&
		a.role.masked() && b.role.masked() && isSum(sum, a, b) && goes.onlyWith(from, minus) {
		goes.role = drop(why, job.Quoted(from.name), job.Quoted(minus.name))
	}
}

// onlyWith reports whether a number is null in each row in which one of two others is.
func (p *Profile) onlyWith(a, b *Profile) bool {
	for row, x := range p.numbers {
		if !math.IsNaN(x) && (math.IsNaN(a.numbers[row]) || math.IsNaN(b.numbers[row])) {
			return false
		}
	}
	return true
}

// isSum reports whether numbers are the sums of two others, apart from rounding, in all rows that
// have all three, which are at least half.
func isSum(sum, a, b *Profile) bool {
	rows := 0
	for row, sum := range sum.numbers {
		a, b := a.numbers[row], b.numbers[row]
		if math.IsNaN(a+b) || math.IsNaN(sum) {
			continue
		}
		if math.Abs(a+b-sum) > 1e-9*(math.Abs(a)+math.Abs(b)) {
			return false
		}
		rows++
	}
	return 2*rows >= len(sum.numbers)
}
