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
	// manyItems is the number of columns with the same scale that are a questionnaire.
	manyItems = 12
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

// findSeries finds columns with the same values that ask the same about different things: those
// that have the same name but for its end, as Frequency [Country] and Frequency [Pop] ask about
// music, if their stem is no fact, or more of any names. None of them is a fact, unless most are.
func (d *draft) findSeries() {
	type key struct{ values, stem string }
	series := make(map[key][]*Profile)
	for _, p := range d.profiles {
		if p.typ.Kind != formats.String || p.Field.Distinct <= 2 ||
			p.Field.Distinct > longestScale {
			continue
		}
		values := strings.Join(slices.Sorted(maps.Keys(p.texts.few)), "\n")
		if p.share(answer) < most && p.Field.Distinct > 3 {
			series[key{values, ""}] = append(series[key{values, ""}], p)
		}
		if stem := p.stemOfSeries(); stem != "" && !isFact(wordsOf(stem)) {
			series[key{values, stem}] = append(series[key{values, stem}], p)
		}
	}
	var asked []*Profile
	for by, of := range series {
		facts := numberOf(of, func(p *Profile) bool { return p.fact })
		asks := len(of) >= fewestAsked
		if by.stem == "" {
			asks = len(of) >= fewestAlike && 2*facts <= len(of)
		}
		if asks {
			asked = append(asked, of...)
		}
	}
	for _, p := range asked {
		p.fact = false
	}
}

// fewestAsked is the least number of columns of a series with a stem, and fewestAlike of one with
// any names.
const fewestAsked, fewestAlike = 3, 5

// numberOfQuestion is the form of a first word of names with the number of a question.
var numberOfQuestion = matches(`^[a-z]\d+$`)

// findOptions finds yes and no for each option of a question that several may answer, by names with
// the option in brackets, or behind the number of the question: Drinks (Tea), Drinks (Milk);
// q3_tea, q3_milk.
func (d *draft) findOptions() {
	options := make(map[string][]*Profile) // by question
	for _, p := range d.profiles {
		if !p.isYesOrNo() {
			continue
		}
		at, words := strings.IndexAny(p.name, "[("), wordsOf(p.name)
		switch {
		case len(words) > 1 && numberOfQuestion(words[0]):
			options[words[0]] = append(options[words[0]], p)
		case at > 0:
			question := strings.TrimSpace(p.name[:at])
			options[question] = append(options[question], p)
		}
	}
	for _, of := range options {
		for _, p := range of {
			p.isOption = len(of) >= fewestAsked
		}
	}
}

// stemOfSeries returns the name of a column up to a bracket or its last word, or "".
func (p *Profile) stemOfSeries() string {
	at := strings.IndexAny(p.name, "[(")
	if at < 0 {
		at = strings.LastIndexAny(p.name, "_. ")
	}
	return strings.TrimSpace(p.name[:max(0, at)])
}
