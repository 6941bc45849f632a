package draft

import (
	"math"
	"slices"
	"strings"

	"github.com/kcut/kcut/pipeline/job"
)

// mostAdded is the largest number of columns among which sums are looked for.
const mostAdded = 40

// dropSums drops numbers of many values that are the sum of two or three others, or the difference
// between two, but not those that everybody knows.
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
				dropSum(sum, a, b)
			}
		}
	}
	for _, sum := range terms {
		for i, a := range terms {
			for j, b := range terms[:i] {
				for _, c := range terms[:j] {
					sum.dropAs("the sum of", sum, c, b, a)
				}
			}
		}
	}
}

// dropSum drops one of three numbers of which one is the sum of the others: the sum or, if only one
// part may be below 0, this part, which is the difference between two measurements. Between those
// of one thing at two times it is the change, of which their intervals say little: it stays.
func dropSum(sum, a, b *Profile) {
	if sum.least < 0 || min(a.least, b.least) >= 0 || max(a.least, b.least) < 0 {
		sum.dropAs("the sum of", sum, b, a)
		return
	}
	if b.least < 0 {
		a, b = b, a
	}
	if areTwoTimes(sum, b) {
		if isSum(sum, []*Profile{a, b}) {
			a.role.changes = []*Profile{sum, b}
		}
		return
	}
	a.dropAs("the difference between", sum, a, b)
}

// moments are words for one of two times at which something is measured.
var moments = strings.Fields("pre post before after baseline base followup endline initial final " +
	"first last start end prior prev previous current now new old then t")

// areTwoTimes reports whether two columns have the same at two times, by their names: wt71 and
// wt82, pretest and posttest.
func areTwoTimes(a, b *Profile) bool {
	stem := func(p *Profile) (stem string) {
		for _, word := range withoutEnds(p.words) {
			for _, moment := range []string{"pre", "post"} {
				word = strings.TrimPrefix(word, moment)
			}
			if !slices.Contains(moments, word) {
				stem += word
			}
		}
		return stem
	}
	return stem(a) == stem(b)
}

// dropAs drops a number of a sum, for a reason with the names of the others, which are all masked.
// It has a value only in rows in which they have theirs.
func (p *Profile) dropAs(why string, sum *Profile, parts ...*Profile) {
	all := append([]*Profile{sum}, parts...)
	if p.Field.Distinct <= fewCodes || slices.Contains(parts, sum) ||
		slices.ContainsFunc(all, func(p *Profile) bool { return !p.role.masked() }) ||
		!isSum(sum, parts) || p.isBasic() {
		return
	}
	var names []string
	others := slices.DeleteFunc(all, func(other *Profile) bool { return other == p })
	for _, other := range others {
		names = append(names, job.Quoted(other.name))
	}
	if last := len(names) - 1; p.onlyWith(others) {
		p.role = drop("%s %s and %s", why, strings.Join(names[:last], ", "), names[last])
	}
}

// onlyWith reports whether a number is null in each row in which one of others is.
func (p *Profile) onlyWith(others []*Profile) bool {
	for _, other := range others {
		for row, x := range p.numbers {
			if !math.IsNaN(x) && math.IsNaN(other.numbers[row]) {
				return false
			}
		}
	}
	return true
}

// isSum reports whether numbers are the sums of others, apart from rounding, in all rows that have
// all of them, which are at least half.
func isSum(sum *Profile, parts []*Profile) bool {
	rows := 0
	for row, whole := range sum.numbers {
		added, size := 0.0, 0.0
		for _, p := range parts {
			added, size = added+p.numbers[row], size+math.Abs(p.numbers[row])
		}
		if math.IsNaN(added) || math.IsNaN(whole) {
			continue
		}
		if math.Abs(added-whole) > 1e-9*size {
			return false
		}
		rows++
	}
	return 2*rows >= len(sum.numbers)
}
