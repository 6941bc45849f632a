package draft

import (
	"cmp"
	"slices"
	"strings"
)

// basics are names of facts that people know about others, first those that distinguish most
// people: the date of birth, sex and place (Sweeney, Simple Demographics Often Identify People
// Uniquely, 2000).
var (
	sexes = words{alone: []string{"sex", "sx", "gender", "mf"},
		whole: []string{"male", "female", "woman", "man", "ismale", "isfemale"}}
	first = []words{
		{alone: append(births.alone, "age")},
		sexes,
		{alone: slices.Concat(postal.alone, places.alone,
			[]string{"city", "town", "county", "residence"}),
			whole: places.whole, last: places.last},
	}
	basics = words{
		whole: slices.Concat(places.whole, sexes.whole, strings.Fields("black white hispan asian "+
			"nonwhite nation kids selfemp employed unemployed south north east west northeast "+
			"northwest southeast southwest midwest ht hgt ed student position department housing "+
			"tenant league squad team teamname teamposition foot hand bats throws positions fml "+
			"graduated wrkstat workstat ne nc sibs sport noc teamabbreviation teamabbr teamid "+
			"teamcode locationcode servicetime son pet alco "+
			"famsize hhsize fmsize empl employ child kid major yedu centcity outercity innercity")),
		last: append([]string{"title"}, places.last...),
		alone: slices.Concat(first[0].alone, first[1].alone, first[2].alone, []string{
			"state", "country", "region", "district", "municipality", "province", "race",
			"ethnicity", "ethnic", "eth", "hispanic", "nationality", "citizenship",
			"citizen", "native", "foreign", "marital", "maritl", "marstat", "married",
			"relationship", "household", "partner", "dependents", "marriage", "marr", "hisp",
			"nwhite", "neighbourhood", "neighborhood", "geography", "agea",
			"family", "children", "religion", "language", "height",
			"education", "educ", "schooling", "school", "graduation", "gradyear", "degree",
			"university", "college",
			"qualification", "qualifications", "diploma",
			"occupation", "job", "profession", "employer", "workclass", "industry",
			"occ", "bluecol", "whitecol", "union", "hired", "hire", "club",
			"emplength", "employmentlength", "yearsemployed", "yearswith", "yearsat", "jobtenure",
			"emptenure", "seniority", "experience", "exper", "workexp", "empexp",
			"homeown", "homeowner", "homeownership", "ownhome", "ownshome", "houseown",
			"houseowner", "ownhouse", "renter", "smoke", "smokes", "smoked", "smoker", "smokers",
			"smoking", "cigs", "cigarettes", "tobacco", "sibling", "siblings",
			"preferredfoot", "preferredhand", "handed", "handedness",
			"employment", "hobby", "hobbies", "drinker", "suburb", "suburban",
			"smsa", "urban", "rural", "metro", "metropolitan",
		}),
		not: strings.Fields("satisfaction satisfied opinion rating feedback score ban charge " +
			"languages cheating election primary"),
	}
	// shortened are endings of a word that says the same in groups, as a code, or in short.
	shortened = strings.Fields("grp group gr cat cl code cd abb abbr")
	// aged are words for things that have an age, unless somebody has them.
	aged = words{
		alone: strings.Fields("car auto vehicle house housing home building property dwelling " +
			"apartment machine device equipment account policy loan store company firm"),
		not: slices.Concat(people, staff),
	}
	// formerly are words for columns about the past.
	formerly = words{alone: []string{"previous"}}
	// relatives are what names have in front of a fact about a relative, as in mage, feduc.
	relatives = strings.Fields("m f d mo fa ma pa mom dad mum sp wife")
	// ofRelatives are names of columns about a relative.
	ofRelatives = words{alone: strings.Fields("mother father parent spouse husband wife partner " +
		"mom dad mum")}
	// behind are such words behind a fact, as in whitemom.
	behind = strings.Fields("mom dad mother father")
)

// set is a drafted set of quasi-identifiers.
type set struct {
	knownTo string
	columns []*Profile
	unique  float64 // share of the rows read whose values no other row has
	all     bool    // it has all masked columns
}

// chooseSet puts the columns that an acquaintance knows into one set, or all masked columns if no
// two have such names.
func (d *draft) chooseSet() {
	var all []*Profile
	for _, p := range d.profiles {
		if p.role.masked() {
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		return
	}
	known, knownTo := d.knownOf(all), acquaintance
	if len(known) < leastKnown {
		known, knownTo = all, "all masked columns"
	}
	slices.SortStableFunc(known, func(a, b *Profile) int { return rank(a) - rank(b) })
	unique := d.sample.Figures(placesOf(known), 1).Unique
	d.known = &set{knownTo: knownTo, columns: known, unique: unique, all: len(known) == len(all)}
}

// acquaintance is the person who knows a set, and leastKnown the least number of its columns.
const (
	acquaintance = "what an acquaintance, a neighbour or a colleague knows"
	leastKnown   = 2
)

// knownOf returns those of some columns that an acquaintance knows, by their names, and those that
// determine one of these or are determined by one: in another set they would disclose more than
// that set does. Rows of the same person show that once: those of few people show it by chance.
func (d *draft) knownOf(all []*Profile) (known []*Profile) {
	var others []*Profile
	for _, p := range all {
		if p.isBasic() || d.isWeightOfHeight(p) || d.isOfPupil(p) || p.isOfStay() {
			known = append(known, p)
		} else {
			others = append(others, p)
		}
	}
	person := -1
	if p := cmp.Or(d.entity, d.uncounted); p != nil {
		person = p.place
	}
	for i, n := 0, len(known); i < n; i++ {
		others = slices.DeleteFunc(others, func(p *Profile) bool {
			tied := d.sample.ReliablyDetermines(p.place, known[i].place, person) ||
				d.sample.ReliablyDetermines(known[i].place, p.place, person)
			if tied {
				known = append(known, p)
			}
			return tied
		})
	}
	return known
}

// stays are words for days on which somebody came to a place that others see.
var stays = words{alone: strings.Fields("admitted admission admit arrested arrest booked booking " +
	"incarcerated")}

// isOfStay reports whether a column has the days on which people came to a hospital or a jail.
func (p *Profile) isOfStay() bool {
	return (p.isTime() || p.dateForm() != "") && stays.has(wordsOf(p.name))
}

// weights and heights are words for somebody's weight and height, with units in which they are.
var (
	weights = strings.Fields("weight wgt wt bmi")
	heights = strings.Fields("height hgt ht")
	units   = strings.Fields("kg kgs lb lbs pounds cm m in inches")
)

// isWeightOfHeight reports whether a column has the weight, or the body mass index, of somebody
// whose height another one has, by their names: weight_kg with height_cm, but not the weight of a
// row or of a newborn.
func (d *draft) isWeightOfHeight(p *Profile) bool {
	without := func(name, measured []string) (rest []string, found bool) {
		rest = slices.DeleteFunc(slices.Clone(name), func(word string) bool {
			found = found || slices.Contains(measured, word)
			return slices.Contains(measured, word) || slices.Contains(units, word)
		})
		return rest, found
	}
	rest, found := without(wordsOf(p.name), weights)
	return found && p.typ.Ordered() && slices.ContainsFunc(d.profiles, func(of *Profile) bool {
		other, found := without(wordsOf(of.name), heights)
		return found && of.typ.Ordered() && slices.Equal(rest, other)
	})
}

// schooled are words of tables of pupils, stages those of columns with where a pupil is in school.
var (
	schooled = words{
		alone: strings.Fields("student students pupil pupils school classroom teacher"),
		whole: strings.Fields("schid schoolid"),
	}
	stages = words{whole: append(pairs(strings.Fields("grade stage section class classroom"),
		[]string{"id", "level", "lvl", "cd", "code"}), strings.Fields("grade stage section "+
		"classroom schoolyear yeargroup homeroom")...)}
)

// isOfPupil reports whether a column has the stage, the grade or the section of a pupil, by its
// name and by those of other columns. Alone such a name may mean marks or tumors.
func (d *draft) isOfPupil(p *Profile) bool {
	return p.Field.Distinct <= mostStages && stages.has(wordsOf(p.name)) &&
		slices.ContainsFunc(d.profiles, func(of *Profile) bool {
			return of != p && schooled.has(wordsOf(of.name))
		})
}

// mostStages is the largest number of stages of a school.
const mostStages = 20

// isBasic reports whether a column has a fact that people know about others, by its name; the sex,
// by its values, too.
func (p *Profile) isBasic() bool {
	name := wordsOf(p.name)
	return (called(&basics, name) || p.share(sex) >= most) && !formerly.has(name) &&
		!p.countsSex() && !isAgeOfThing(name)
}

// called reports whether a column's name has a meaning, also with digits or a usual ending behind
// its words, or a relative in front of them: race4, agegrp, stateabb, educat, mage, fathereduc.
func called(w *words, name []string) bool {
	plain := make([]string, len(name))
	for i, word := range name {
		plain[i] = strings.TrimRight(word, "0123456789")
		for _, end := range shortened {
			if begin, found := strings.CutSuffix(plain[i], end); found && w.has([]string{begin}) {
				plain[i] = begin
			}
		}
		for _, relative := range relatives {
			fact, found := strings.CutPrefix(plain[i], relative)
			if found && len(fact) >= 3 && fact != "eth" &&
				(w.has([]string{fact}) || isEducation(fact)) {
				plain[i] = fact
			}
		}
		for _, relative := range behind {
			plain[i] = cmp.Or(strings.TrimSuffix(plain[i], relative), plain[i])
		}
		if isEducation(plain[i]) {
			plain[i] = "educ"
		}
	}
	return w.has(name) || w.has(plain)
}

// isEducation reports whether a word is about schooling, also in short.
func isEducation(word string) bool { return strings.HasPrefix(word, "edu") }

// isAgeOfThing reports whether a column has the age of a thing, by its name.
func isAgeOfThing(name []string) bool { return slices.Contains(name, "age") && aged.has(name) }

// mostSexes is the largest number of codes for the sex.
const mostSexes = 10

// countsSex reports whether a column has more numbers than there are codes for the sex: it counts
// something that is called so.
func (p *Profile) countsSex() bool {
	return p.typ.Ordered() && p.Field.Distinct > mostSexes && sexes.has(wordsOf(p.name))
}

// rank decides which columns come first.
func rank(p *Profile) int {
	name := wordsOf(p.name)
	for i := range first {
		if called(&first[i], name) || i == 1 && p.share(sex) >= most {
			return i
		}
	}
	return len(first)
}

func placesOf(columns []*Profile) []int {
	in := make([]int, len(columns))
	for i, p := range columns {
		in[i] = p.place
	}
	return in
}
