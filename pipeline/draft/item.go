package draft

import (
	"slices"
	"strings"
)

// answers are the few whole numbers of answers to a question.
type answers struct {
	least, greatest float64
	distinct        int64
}

const (
	// longestScale is the largest number of answers of a scale.
	longestScale = 11
	// nearItems is the number of columns before an item, and behind it, one of which is an item.
	nearItems = 2
)

// scaleOf returns the scale of a column; one without values: it has none.
func (p *Profile) scaleOf() answers {
	if !p.typ.Ordered() || p.isDated() || p.broken || p.Field.Distinct <= 2 ||
		p.Field.Distinct > longestScale {
		return answers{}
	}
	return answers{p.least, p.greatest, p.Field.Distinct}
}

// asked are names of columns of what nearly every questionnaire asks about people, in numbers that
// may be those of its items.
var asked = words{alone: strings.Fields("age sex gender education educ marital race ethnicity " +
	"ethnic employment employed occupation")}

// findItems finds columns in the midst of a questionnaire's items, which are those on a scale that
// more than twelve columns have. One of these on the scale is an item, and no fact, as religion
// behind art exhibitions.
func (d *draft) findItems() {
	columns := make(map[answers]int)
	for _, p := range d.profiles {
		if s := p.scaleOf(); s.distinct > 0 {
			columns[s]++
		}
	}
	isOnScale := func(p *Profile) bool { return columns[p.scaleOf()] > manyItems }
	inMidst := func(i int) bool {
		isNear := func(near []*Profile) bool {
			return slices.ContainsFunc(near, func(p *Profile) bool {
				return isOnScale(p) && !p.fact
			})
		}
		return isNear(d.profiles[max(0, i-nearItems):i]) &&
			isNear(d.profiles[i+1:min(len(d.profiles), i+1+nearItems)])
	}
	for i, p := range d.profiles {
		p.amongItems = inMidst(i)
	}
	for _, p := range d.profiles {
		if p.isItem = p.amongItems && isOnScale(p) && !called(&asked, p.words); p.isItem {
			p.fact = false
		}
	}
}
