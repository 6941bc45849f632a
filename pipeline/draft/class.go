package draft

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/guard"
	"github.com/kcut/kcut/pipeline/job"
)

// mostClasses is the largest number of values of a class that is asked for, and usualClasses of one
// that is proposed.
const (
	mostClasses  = 1000
	usualClasses = 20
)

// predicted are the names of columns that models are usually trained to predict, the likeliest
// first; perhaps are names that often mean something else, unless a column is at an end of the
// table; marking are last words that say only that a column has yes and no.
var (
	predicted = strings.Fields("class label target outcome y churn churned default defaulted " +
		"survived readmitted fraud attrition recid recidivism approved converted exited " +
		"subscribed canceled cancelled expire expired deceased delinquent noshow termd " +
		"terminated turnover loanstatus actiontaken defaultpaymentnextmonth seriousdlqin2yrs")
	perhaps = strings.Fields("income response deposit salary result diagnosis status")
	marking = strings.Fields("flag fl ind indicator yn binary")
)

// chooseClass finds the column that models predict: the one that is asked for, or one of few values
// that has one of the likeliest names, or a name that ends like one or, in the last or the first
// column, has such a word.
func (d *draft) chooseClass() error {
	if d.Class != "" {
		return d.takeClass()
	}
	for _, p := range d.profiles {
		rank := d.classRank(p)
		better := d.class == nil || rank < d.classRank(d.class) ||
			rank == d.classRank(d.class) && d.isAtEnd(p)
		if rank >= 0 && better {
			d.class = p
		}
	}
	if d.class == nil && (d.For == ForClassify || d.For == ForBoth) {
		return d.noClass("draft for %s: no column looks like the class", d.For)
	}
	return nil
}

// takeClass takes the column that is asked for.
func (d *draft) takeClass() error {
	cause := ""
	i := slices.IndexFunc(d.profiles, func(p *Profile) bool { return p.name == d.Class })
	switch {
	case i < 0:
		cause = "the input has no such column"
	case d.profiles[i].typ.Kind == formats.Nested:
		cause = "it is nested"
	case d.profiles[i].Field.Distinct > mostClasses:
		cause = fmt.Sprintf("it has more than %d distinct values", mostClasses)
	default:
		d.class = d.profiles[i]
		d.classFound = guard.FoundOnClass(d.sample.Figures([]int{d.class.place}, 1), "rows",
			job.Quoted(d.class.name), d.class.typ)
		return nil
	}
	return d.noClass("take column %s as class: %s", job.Quoted(d.Class), cause)
}

// noClass returns an error with a hint that names columns that could be the class.
func (d *draft) noClass(format string, args ...any) error {
	hint := "name a column with few distinct values with --class"
	var names []string
	for _, name := range d.classCandidates() {
		names = append(names, job.Quoted(name))
	}
	if len(names) > 0 {
		hint += ", as " + strings.Join(names, ", ")
	}
	return fault.Errorf(fault.Usage, hint, format, args...)
}

// classRank returns a rank for how much a column looks like the class, 0 for the most; −1: it does
// not. First are the names that are predicted; then, those of two values first, the ones that end
// with such a word; then the ones that have one at an end of the table; then the last column if it
// has two values and is called by what was done, as transported.
func (d *draft) classRank(p *Profile) int {
	words := wordsOf(p.name)
	if n := len(words); n > 0 && slices.Contains(marking, words[n-1]) {
		words = words[:n-1]
	}
	isPredicted := func(word string) bool { return slices.Contains(predicted, word) }
	mayBe := func(word string) bool { return isPredicted(word) || slices.Contains(perhaps, word) }
	switch n, whole := len(words), slices.Index(predicted, strings.Join(words, "")); {
	case n == 0 || !p.couldBeClass():
	case whole >= 0:
		return whole
	case isPredicted(words[n-1]):
		return len(predicted) + int(p.Field.Distinct)
	case d.isAtEnd(p) && slices.ContainsFunc(words, mayBe):
		return len(predicted) + usualClasses + int(p.Field.Distinct)
	case p == d.profiles[len(d.profiles)-1] && p.Field.Distinct == 2 && n == 1 &&
		strings.HasSuffix(words[0], "ed") && !p.isBasic():
		return len(predicted) + 2*usualClasses + 1
	}
	return -1
}

// isAtEnd reports whether a column is the last, or the first behind those whose values are unique.
func (d *draft) isAtEnd(p *Profile) bool {
	first := slices.IndexFunc(d.profiles, func(p *Profile) bool {
		return p.distinctShare() < uniqueShare[formats.String]
	})
	return p == d.profiles[len(d.profiles)-1] || first >= 0 && p == d.profiles[first]
}

// couldBeClass reports whether a column has few values, with several rows each, and so few rows
// have a value of their own that a run takes it as class.
func (p *Profile) couldBeClass() bool {
	switch p.typ.Kind {
	case formats.String, formats.Boolean, formats.Int, formats.Uint:
		return p.Field.Distinct >= 2 && p.Field.Distinct <= usualClasses &&
			p.Field.Distinct*2 <= p.Field.Rows && p.alone <= guard.MostUnique &&
			p.texts.broken == 0
	}
	return false
}

// mostCandidates is the largest number of columns that are named if none looks like the class.
const mostCandidates = 6

// classCandidates names columns that could be the class: the last one first, since most tables have
// it there, then those with the fewest values.
func (d *draft) classCandidates() (names []string) {
	last := d.profiles[len(d.profiles)-1]
	var could []*Profile
	for _, p := range d.profiles {
		if p.couldBeClass() {
			could = append(could, p)
		}
	}
	slices.SortStableFunc(could, func(a, b *Profile) int {
		switch {
		case a == last || b == last:
			return map[bool]int{true: -1, false: 1}[a == last]
		}
		return int(a.Field.Distinct - b.Field.Distinct)
	})
	for _, p := range could[:min(mostCandidates, len(could))] {
		names = append(names, p.name)
	}
	return names
}

// findTellers finds the masked columns that determine the class.
func (d *draft) findTellers() {
	for _, p := range d.profiles {
		if d.class != nil && p.role.masked() && d.determinesReliably(p, d.class) {
			d.classTellers = append(d.classTellers, p.name)
		}
	}
}
