package draft

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
)

// mostClasses is the largest number of values of a class that is asked for, and usualClasses of one
// that is proposed.
const (
	mostClasses  = 1000
	usualClasses = 20
)

// predicted are the names of columns that models are usually trained to predict, the likeliest
// first.
var predicted = []string{
	"class", "label", "target", "outcome", "income", "response", "y", "churn", "churned", "default",
	"defaulted", "survived", "readmitted", "fraud",
	"attrition", "recid", "recidivism", "approved", "converted", "exited", "subscribed", "deposit",
}

// chooseClass finds the column that models predict: the one that is asked for, or one of few values
// that has one of the likeliest names, or a name that ends like one or, in the last or the first
// column, has such a word.
func (d *draft) chooseClass() error {
	if d.Class != "" {
		return d.takeClass()
	}
	for _, p := range d.profiles {
		if rank := d.classRank(p); rank >= 0 && (d.class == nil || rank < d.classRank(d.class)) {
			d.class = p
		}
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
		return nil
	}
	hint := "name a column with few distinct values with --class"
	if names := d.classCandidates(); len(names) > 0 {
		hint += ", as " + strings.Join(names, ", ")
	}
	return fault.Errorf(fault.Usage, hint, "take column %s as class: %s", d.Class, cause)
}

// classRank returns a rank for how much a column looks like the class, 0 for the most; −1: it does
// not.
func (d *draft) classRank(p *Profile) int {
	if !p.couldBeClass() {
		return -1
	}
	if i := slices.Index(predicted, strings.ToLower(p.name)); i >= 0 {
		return i
	}
	words := wordsOf(p.name)
	isPredicted := func(word string) bool { return slices.Contains(predicted, word) }
	switch {
	case len(words) > 1 && isPredicted(words[len(words)-1]):
		return len(predicted)
	case (p == d.profiles[len(d.profiles)-1] || p == d.profiles[0]) &&
		slices.ContainsFunc(words, isPredicted):
		return len(predicted) + 1
	}
	return -1
}

// couldBeClass reports whether a column has few values, with several rows each.
func (p *Profile) couldBeClass() bool {
	switch p.typ.Kind {
	case formats.String, formats.Boolean, formats.Int, formats.Uint:
		return p.Field.Distinct >= 2 && p.Field.Distinct <= usualClasses &&
			p.Field.Distinct*2 <= p.Field.Rows && p.texts.broken == 0
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
