package draft

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/job"
)

// set is a drafted set of quasi-identifiers.
type set struct {
	knownTo  string
	columns  []*Profile
	doubted  []*Profile // those whose names say neither that they are known nor that not
	aside    []*Profile // those in doubt that are not in the set
	unique   float64    // share of the rows read whose values no other row has
	all      bool       // it has all masked columns
	empty    int64      // rows without a value in any of these
	isNobody bool       // no name says that somebody may know one: its k is at most nobodysK
	cutFirst []*Profile // those that a search cuts before others
}

// mostKnown is the largest number of facts that an acquaintance knows or may know with which those
// in doubt are in the set, too: of more columns a search leaves little.
const mostKnown = 12

// acquaintance is the person who knows a set.
const acquaintance = "what an acquaintance, a neighbour or a colleague knows"

// nobodysK is the k of a set of columns that nobody is said to know, unless one is asked for.
const nobodysK = 2

// chooseSet puts the columns that an acquaintance knows or may know into one set. If no name says
// that one is known, they are those in doubt, or all masked columns if there are none of these.
func (d *draft) chooseSet() {
	all := d.masked()
	if len(all) == 0 {
		return
	}
	known, doubted := d.knownOf(all)
	knownTo, isNobody := acquaintance, false
	isMark := func(p *Profile) bool { return p.typ.Ordered() && p.Field.Distinct == 2 }
	switch {
	case len(known) == 0 && (len(doubted) == 0 || numberOf(doubted, isMark) >= manyItems):
		doubted = nil
		known, knownTo, isNobody = all, "all masked columns", !d.headless
	case len(known) == 0:
		known, doubted, knownTo = doubted, nil, "what somebody may know"
	}
	isOfDays := func(p *Profile) bool { return p.hasPartsOfDays() || d.isOnlyPeriod(p) }
	aside := d.asideOf(known, doubted, isOfDays)
	if len(aside) > 0 || d.mostInDoubt < len(doubted) {
		for _, p := range doubted {
			if isOfDays(p) {
				known = append(known, p)
			}
		}
		doubted = slices.DeleteFunc(doubted, isOfDays)
	}
	for _, p := range doubted {
		if !slices.Contains(aside, p) {
			known = append(known, p)
		}
	}
	slices.SortStableFunc(known, func(a, b *Profile) int { return rank(a) - rank(b) })
	unique := d.sample.Figures(placesOf(known), 1).Unique
	d.known = &set{knownTo: knownTo, columns: known, doubted: doubted, aside: aside,
		unique: unique, all: len(known) == len(all), empty: d.sample.Lacking(placesOf(all)),
		isNobody: isNobody, cutFirst: d.toCutFirst(known, doubted)}
}

// masked returns the masked columns.
func (d *draft) masked() (all []*Profile) {
	for _, p := range d.profiles {
		if p.role.masked() {
			all = append(all, p)
		}
	}
	return all
}

// mostCutFirst is the largest number of values of a column that a search cuts before others, unless
// it is a sex or a race, and partCutFirst the largest part of the information that all groups can
// have which such columns take.
const mostCutFirst, partCutFirst = 30, 0.85

// toCutFirst returns the columns of the first set that a search cuts before others: the sex and the
// race, areas that stay without finer ones, and those of few values without an order, of which an
// origin, family, schooling, work and areas come before others, and those with the least
// information first, but none in doubt or null in most rows, as long as others are cut, too, or
// later few rows keep one value of them; and the age and a level that stays for the pay, if too
// little was kept of one.
func (d *draft) toCutFirst(known, doubted []*Profile) (cut []*Profile) {
	race := d.race()
	isAsked := func(p *Profile) bool { return p == race || d.isAsked(p) }
	var asked, ages, areas, others []*Profile
	takes := make(map[*Profile]float64)
	for _, p := range known {
		if d.ageFirst && d.isCutFirst(p) {
			ages = append(ages, p)
		}
		if p.role.Mask != job.MaskSuppress && !p.isMostlyLeast() || p.Field.Distinct < 2 ||
			2*p.Field.Rows < p.Rows || slices.Contains(doubted, p) {
			continue
		}
		switch takes[p] = d.entropy(p); {
		case isAsked(p) && p.Field.Distinct <= fewCodes:
			asked = append(asked, p)
		case p.Field.Distinct <= mostCutFirst && d.holdsBlurred(p):
			areas = append(areas, p)
		case p.Field.Distinct <= mostCutFirst:
			others = append(others, p)
		}
	}
	least := func(a, b *Profile) int { return cmp.Compare(takes[a], takes[b]) }
	slices.SortStableFunc(asked, least)
	slices.SortStableFunc(others, func(a, b *Profile) int {
		return cmp.Or(d.afterNext(a)-d.afterNext(b), least(a, b))
	})
	asked = append(asked, areas...)
	left := partCutFirst * math.Log(float64(d.people())/float64(d.k()))
	for _, p := range asked {
		left -= takes[p]
	}
	cut = append(asked, ages...) // a search cuts numbers after texts
	for _, p := range others {
		if takes[p] <= left {
			left -= takes[p]
			cut = append(cut, p)
		}
	}
	return append(cut, d.lateOf(cut)...)
}

// mostRoles is the largest number of values of a role at work that is cut before other facts, and
// mostQuick that of any fact: it takes little, and is lost behind others.
const mostRoles, mostQuick = 10, 3

// afterNext is 0 for a column with a role at work or of hardly any values, 1 for one with an
// origin, family, schooling, other work or areas, 2 for others, such as a language, a home or a
// fact of an employer, and 3 for numbers, which are cut after texts.
func (d *draft) afterNext(p *Profile) int {
	switch {
	case p.role.Mask != job.MaskSuppress:
		return 3
	case ofEmployers.has(p.words):
		return 2
	case roles.has(p.words) && p.Field.Distinct <= mostRoles, p.Field.Distinct <= mostQuick:
		return 0
	case p.isAskedNext() || d.isArea(p):
		return 1
	}
	return 2
}

// isMostlyLeast reports whether two thirds of the numbers of a column are the least one, as those
// of cigarettes a day: these rows keep it if a search cuts them off before others.
func (p *Profile) isMostlyLeast() bool {
	n := len(p.quantiles)
	return p.role.Mask == job.MaskDiscretize && !p.isTime() && n > 0 &&
		p.quantiles[2*n/3] == p.least
}

// lateOf returns the columns outside the first set that a search cut too late, and cuts behind some
// then: those with the least information, as long as all take at most half of that of groups of 2.
func (d *draft) lateOf(cut []*Profile) (late []*Profile) {
	left := math.Log(float64(d.people())/2) / 2
	for _, p := range cut {
		left -= d.entropy(p)
	}
	for _, p := range d.masked() {
		if slices.Contains(d.late, p.name) && !slices.Contains(cut, p) {
			late = append(late, p)
		}
	}
	slices.SortStableFunc(late, func(a, b *Profile) int {
		return cmp.Compare(d.entropy(a), d.entropy(b))
	})
	for i, p := range late {
		if left -= d.entropy(p); left < 0 {
			return late[:i]
		}
	}
	return late
}

// isCutFirst reports whether a column is a number that a search cuts first if it keeps too little
// of it: an age, or a level that stays for a pay.
func (d *draft) isCutFirst(p *Profile) bool {
	isPay := func(p *Profile) bool { return pay.has(p.words) }
	return p.role.Mask == job.MaskDiscretize && (d.isAsked(p) || d.standsFor(p, isPay))
}

// knownOf returns those of some columns that an acquaintance knows, by their names, and those that
// determine one of these or are determined by one, or are changes between two of them: in another
// set they would disclose more than that set does. Rows of the same person show that once: those of
// few people show it by chance. Others are doubted if somebody may know them, too.
func (d *draft) knownOf(all []*Profile) (known, doubted []*Profile) {
	var others []*Profile
	for _, p := range all {
		if d.isKnown(p) || d.standsFor(p, d.isKnown) || d.datesDeath(p) || p.isGiven() {
			known = append(known, p)
		} else {
			others = append(others, p)
		}
	}
	known, others = d.withSiblings(known, others)
	person := d.person()
	for i, n := 0, len(known); i < n; i++ {
		giving := make(map[*Profile]bool)
		for _, p := range others {
			if p.Field.Distinct > 1 && // others determine a mark of rows anyway
				d.sample.ReliablyDetermines(p.place, known[i].place, person) {
				giving[p] = true
			}
		}
		others = slices.DeleteFunc(others, func(p *Profile) bool {
			tied := p.Field.Distinct > 1 &&
				(giving[p] && d.discloses(p, known[i], len(giving)) ||
					d.sample.ReliablyDetermines(known[i].place, p.place, person) ||
					d.repeats(p, known[i]) || p.isNearly(known[i]))
			if tied {
				known = append(known, p)
			}
			return tied
		})
	}
	others = slices.DeleteFunc(others, func(p *Profile) bool {
		isUnknown := func(of *Profile) bool { return !slices.Contains(known, of) }
		joins := len(p.role.changes) > 0 && !slices.ContainsFunc(p.role.changes, isUnknown)
		if joins {
			known = append(known, p)
		}
		return joins
	})
	return known, d.doubtedOf(known, others, person)
}

// person returns the place of the column whose rows of equal values are of one person; -1: none is.
func (d *draft) person() int {
	if p := cmp.Or(d.entity, d.uncounted); p != nil {
		return p.place
	}
	return -1
}

// fewKnown is the largest number of values of a column that many answers show, as the language of
// a questionnaire, and manyShowing the least number of such columns.
const fewKnown, manyShowing = 3, 5

// discloses reports whether a column that determines one which people know belongs to it, as one of
// a number of columns: not if it has far more information, and is one of many, or a measurement or
// a cost, whose intervals hardly say the other one, or a claim or the like. Other whole numbers may
// be codes.
func (d *draft) discloses(p, known *Profile, columns int) bool {
	isNumber := p.role.Mask == job.MaskDiscretize && !p.isTime()
	isHidden := isNumber && (hidden.has(p.words) || amounts.has(p.words) && p.hasMany())
	isMeasure := isHidden ||
		isNumber && (p.isFractional() || amounts.has(p.words) || unknown.has(p.words))
	return !isMeasure && (known.Field.Distinct > fewKnown || columns < manyShowing) ||
		!isHidden && 2*d.entropy(known) >= d.entropy(p)
}

var (
	// published are words for events whose day records name that are published.
	published = words{alone: append(strings.Fields("arrest arrests arrested stop stops killing "+
		"killings killed shooting shootings suicide suicides homicide homicides murders death "+
		"deaths fatal fatalities overdose useofforce armed lawenforcement lawenforcementagency"),
		pairs([]string{"perceived"}, raced.alone)...)}
	// events are words for events that people see, with a row for each in tables with only one
	// time.
	events = words{alone: append(slices.Clone(published.alone), strings.Fields("released "+
		"admission admissions admitted claim claims accident accidents crash crashes offence "+
		"offense offences offenses visit visits citation citations")...)}
	// happening are words for the day of such an event.
	happening = words{alone: strings.Fields("reported event occurred occurrence incident death")}
)

// isOfEvent reports whether a column has the day or the time of the death, the stop or the like
// that a row is about, by its name, or the only day, by the name of the file or of a column of
// texts.
func (d *draft) isOfEvent(p *Profile) bool {
	isDay := func(p *Profile) bool {
		return p.isDated() && p.typ.Kind != formats.Time && p.role.masked() &&
			!births.has(p.words) && !slices.Contains(p.words, "submitted")
	}
	isPublished := func(p *Profile) bool {
		return p.typ.Kind == formats.String && p.Field.Distinct > 2 && isCalled(published)(p)
	}
	return (p.isDated() && happening.has(p.words) ||
		isDay(p) && numberOf(d.profiles, isDay) == 1) &&
		(published.has(withoutEnds(wordsOf(stemOf(d.Input[0])))) ||
			slices.ContainsFunc(d.profiles, isPublished))
}

// isOnlyPeriod reports whether a column has the year, the month or the day of the event that a row
// is about, by the names of other columns or of the file, and the only time is the one of which it
// is a part.
func (d *draft) isOnlyPeriod(p *Profile) bool {
	parts := words{whole: strings.Fields("year yr month date day")}
	isOther := func(p *Profile) bool {
		return !parts.has(p.words) &&
			(p.isDated() || periods.has(p.words) || slices.Contains(p.words, "date"))
	}
	isSame := func(of *Profile) bool { return slices.Equal(of.words, p.words) }
	return parts.has(p.words) && !d.endsWithClass(p) && numberOf(d.profiles, isSame) == 1 &&
		!slices.ContainsFunc(d.profiles, isOther) &&
		(events.has(wordsOf(stemOf(d.Input[0]))) ||
			slices.ContainsFunc(d.profiles, isCalled(events)))
}

// isKnown reports whether an acquaintance knows a column, by its name and its values, or by the
// areas in it that were dropped.
func (d *draft) isKnown(p *Profile) bool {
	return !d.isOfOthers(p) &&
		(p.isBasic() || p.isOfStay() || d.isOfCase(p) || d.isOfEvent(p) ||
			d.isWeightOfHeight(p) || d.isContextual(p) || d.holdsBlurred(p))
}

// standsFor reports whether a column is left instead of one with a property, which it determines.
func (d *draft) standsFor(p *Profile, has func(of *Profile) bool) bool {
	return slices.ContainsFunc(d.profiles, func(of *Profile) bool {
		return of.role.Mask == job.MaskDrop && of.role.by == p && has(of)
	})
}

// stays are words for days on which somebody came to a place that others see, left it, or died.
var stays = words{alone: strings.Fields("admitted admission admit hosp hospitalized hospitalised " +
	"hospitalization hospitalisation surgery operation arrival outcome discharge discharged " +
	"visit vdate arrested arrest booked booking incarcerated jail death died deceased dod " +
	"deathdate dthdtc execution executed"),
	whole: []string{"doa", "dod"}}

// dayOfStay is the form of names of such days that tables may have as whole numbers, of days since
// some day, as sadmdte, dthdte and death.
var dayOfStay = matches(`(adm|dsch|disch|dth|death)[a-z]*(dte|dt|date)$|^death$`)

// isOfStay reports whether a column has the days on which people came to a hospital or a jail, left
// it, or died, or parts of such days.
func (p *Profile) isOfStay() bool {
	return stays.has(p.words) && (p.isDated() || slices.ContainsFunc(p.words, p.isPartOfDay)) ||
		dayOfStay(strings.Join(p.words, "")) && (p.isDated() ||
			p.typ.Ordered() && !p.broken && p.Field.Distinct > fewCodes)
}

// partsOfDays are the words for parts of days and times, with their least and greatest numbers.
var partsOfDays = map[string][2]float64{"weekday": {0, 7}, "wday": {0, 7}, "dow": {0, 7},
	"dayofweek": {0, 7}, "hour": {0, 24}, "hr": {0, 24}, "month": {1, 12}, "mon": {1, 12},
	"day": {1, 31}, "quarter": {1, 4}, "year": {firstYear, lastYear}, "yr": {firstYear, lastYear}}

// isPartOfDay reports whether a column has values of a part of days that a word is for: texts are
// as many as its numbers at most.
func (p *Profile) isPartOfDay(word string) bool {
	limits, found := partsOfDays[strings.TrimSuffix(word, "local")]
	return found && !p.broken && float64(p.Field.Distinct) <= limits[1]-limits[0]+1 &&
		(!p.typ.Ordered() || p.least >= limits[0] && p.greatest <= limits[1])
}

// hasPartsOfDays reports whether a column has parts of the day of an event, as MonthClaimed and
// WeekOfMonth, by its name and its values.
func (p *Profile) hasPartsOfDays() bool {
	return len(p.words) <= mostInAnswer && !p.isBasic() &&
		slices.ContainsFunc(p.words, p.isPartOfDay)
}

// isDated reports whether a column has dates or times, also as text.
func (p *Profile) isDated() bool {
	return p.isTime() || p.dateForm() != "" || p.share(someDate) >= most
}

var (
	// cases are words for days on which an illness began, became known or was over.
	cases = words{alone: strings.Fields("confirmed confirmation released release onset isolated " +
		"isolation quarantine quarantined recovered recovery reporting reported exposure " +
		"infected diagnosed diagnosis")}
	// livedIn are words for the places in which people live.
	livedIn = words{alone: append(slices.Clone(first[2].alone), regions...)}
)

// isOfCase reports whether a column has the days on which people became ill, or were known to be,
// or well again, in a table of patients that has their places: there news name the days.
func (d *draft) isOfCase(p *Profile) bool {
	return p.isDated() && cases.has(p.words) && d.isClinical() &&
		slices.ContainsFunc(d.profiles, func(of *Profile) bool {
			return of != p && of.role.masked() && livedIn.has(of.words)
		})
}

// weights and heights are words for somebody's weight and height, with units in which they are.
var (
	weights = strings.Fields("weight weights wgt wt bmi mass")
	heights = strings.Fields("height heights hgt ht")
	inUnits = strings.Fields("kg kgs lb lbs pounds cm m in inches ft feet")
	// leastWeight and mostWeight are the limits of the weights, and indices, of most people, in any
	// unit: others say how many people a row stands for
	leastWeight, mostWeight = 2.0, 1500.0
)

// isWeightOfHeight reports whether a column has the weight, or the body mass index, of somebody
// whose height another one has.
func (d *draft) isWeightOfHeight(p *Profile) bool { return d.heightOf(p) != nil }

// heightOf returns the column with the height, also as text, of those whose weight, or body mass
// index, a column has, by their names, apart from the numbers of years: weight_kg with height_cm,
// wt71 with ht, but not the weight of a row or of a newborn; nil: there is none.
func (d *draft) heightOf(p *Profile) *Profile {
	rest, found := p.without(weights)
	isOfPeople := p.typ.Ordered() && p.low >= leastWeight && p.high <= mostWeight
	at := slices.IndexFunc(d.profiles, func(of *Profile) bool {
		other, found := of.without(heights)
		return found && slices.Equal(rest, other)
	})
	if !found || !isOfPeople || at < 0 {
		return nil
	}
	return d.profiles[at]
}

// without returns the words of a name but those for a measure, its unit and the number of a year,
// and whether there is one for the measure.
func (p *Profile) without(measured []string) (rest []string, found bool) {
	rest = slices.DeleteFunc(withoutEnds(p.words), func(word string) bool {
		isMeasure := slices.Contains(measured, word)
		found = found || isMeasure
		return isMeasure || slices.Contains(inUnits, word) ||
			slices.Contains(strings.Fields("body index total"), word) || word == ""
	})
	return rest, found
}

// isHeightOf reports whether two columns have the same height, in several units, by their names.
func (p *Profile) isHeightOf(of *Profile) bool {
	mine, isHeight := p.without(heights)
	other, areHeights := of.without(heights)
	return isHeight && areHeights && slices.Equal(mine, other)
}

// isBasic reports whether a column has a fact that people know about others, by its name, or by its
// values: a sex, a marital status, a kind of place or work, a religion or an origin.
func (p *Profile) isBasic() bool {
	byValues := p.hasSexes() || p.isCluster() || p.share(marital)+p.share(common) >= most
	return (p.fact || byValues && !formerly.has(p.words)) && !p.countsKind() && !p.isNoSize() &&
		!p.isNoDate()
}

// hasSexes reports whether a column has both sexes, by its texts: f alone may be false.
func (p *Profile) hasSexes() bool {
	return p.share(sex) >= most && 0 < p.share(female) && p.share(female) < p.share(sex)
}

// mostSexes is the largest number of codes for the sex, and mostMarks that for a mark.
const mostSexes, mostMarks = 10, 3

// believers are words for groups of people that have few codes: more are opinions on them. treating
// are the names of columns of institutions, which counts of stays have from 0 on.
var (
	believers = words{alone: strings.Fields("catholic catholics protestant protestants jewish " +
		"muslim muslims hindu hindus christian christians immigrant immigrants aboriginal")}
	treating = words{whole: []string{"hospital", "clinic"}}
)

// fewKinds are names of columns of marks, few codes or counts, which have a score, a share, hours,
// a pay or the number of people of a place in others.
var fewKinds = words{
	alone: append(pairs([]string{"num"}, []string{"children", "kids"}), "overtime"),
	whole: strings.Fields("lang black white asian nonwhite hispanic latino")}

// countsKind reports whether a column has more numbers than there are codes for the sex, for an
// origin or a language in short, or than a family has children, or counts of stays: it counts
// something that is called so, or is a score.
func (p *Profile) countsKind() bool {
	return p.typ.Ordered() && (p.Field.Distinct > mostSexes && sexes.has(p.words) ||
		p.Field.Distinct > mostMarks && believers.has(withoutEnds(p.words)) ||
		p.least == 0 && treating.has(p.words) ||
		p.Field.Distinct > fewCodes && fewKinds.has(p.words))
}

// isNoSize reports whether a column that is called like a person's size has only two values, as ht
// for hypertension.
func (p *Profile) isNoSize() bool { return p.Field.Distinct == 2 && called(&bodies, p.words) }

// isNoDate reports whether a column that is called like the date of a turn of life has yes and no,
// or numbers too small for one: years since it.
func (p *Profile) isNoDate() bool {
	dates := words{alone: []string{"date", "dt", "doj"}}
	isSmall := p.typ.Ordered() && !p.isTime() && p.greatest < firstYear
	return (isSmall || p.share(answer) >= most) && isDayOfTurn(p.words) && dates.has(p.words)
}

// rank decides which columns come first.
func rank(p *Profile) int {
	name := p.words
	for i := range first {
		if called(&first[i], name) || i == 1 && p.hasSexes() {
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
