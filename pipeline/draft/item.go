package draft

import (
	"maps"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats"
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
	d.findSeries()
	for _, p := range d.profiles {
		if p.isItem = p.amongItems && isOnScale(p) && !called(&asked, p.words); p.isItem {
			p.fact = false
		}
	}
}

// findSeries finds columns with the same values that have the same name but for its end, and that
// with their stem ask the same about different things, as Frequency [Country] and Frequency [Pop]
// ask about music: none is a fact if the stem is none.
func (d *draft) findSeries() {
	series := make(map[string][]*Profile)
	for _, p := range d.profiles {
		if stem := p.stemOfSeries(); stem != "" && !isFact(wordsOf(stem)) {
			values := slices.Sorted(maps.Keys(p.texts.few))
			key := strings.Join(append(values, stem), "\n")
			series[key] = append(series[key], p)
		}
	}
	for _, of := range series {
		for _, p := range of {
			p.fact = p.fact && len(of) < fewestAsked
		}
	}
}

// fewestAsked is the least number of columns of such a series.
const fewestAsked = 3

// stemOfSeries returns the name of a column of few texts up to a bracket or its last word, or "".
func (p *Profile) stemOfSeries() string {
	if p.typ.Kind != formats.String || p.Field.Distinct <= 2 || p.Field.Distinct > longestScale {
		return ""
	}
	at := strings.IndexAny(p.name, "[(")
	if at < 0 {
		at = strings.LastIndexAny(p.name, "_. ")
	}
	return strings.TrimSpace(p.name[:max(0, at)])
}
