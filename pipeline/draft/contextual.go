package draft

import (
	"slices"
	"strings"

	"github.com/kcut/kcut/pipeline/job"
)

// contextual are facts that people know only in a table with another column, by its name:
// alone a grade may mean marks or tumors, a location shops, and a tenure the time of a customer.
// Their columns have no more than a number of values, if it is not 0.
var contextual = []struct {
	facts  words
	others func(p *Profile) bool
	most   int64
	unless words // no column is called so
	files  words // or the file is called so
}{{ // where pupils are in school
	facts: words{whole: append(pairs(strings.Fields("grade stage section class classroom"),
		strings.Fields("id level lvl cd code label name")), strings.Fields("grade stage section "+
		"classroom schoolyear yeargroup homeroom learningdisability learningdisabilities "+
		"learningdifficulties")...)},
	others: isCalled(words{
		alone: strings.Fields("student students pupil pupils school classroom teacher fgrade " +
			"mgrade"),
		whole: strings.Fields("schid schoolid"),
	}),
	most: 20,
}, { // the car of somebody, which others see
	facts: words{whole: strings.Fields("company make model manufacturer brand bodystyle body " +
		"color colour")},
	others: isCalled(words{alone: strings.Fields("transmission engine bodystyle drivetrain")}),
}, { // the grade of pupils, by their ages
	facts: words{whole: []string{"grade"}},
	others: func(p *Profile) bool {
		return called(&first[0], p.words) && p.typ.Ordered() && p.least >= 4 && p.high <= 19
	},
	most: 13,
}, { // the school grade of who may be a pupil
	facts:  words{whole: []string{"schoolgrade"}},
	others: (*Profile).isBasic,
	most:   20,
}, { // the kind of their school, and their programme, next to marks
	facts: words{whole: strings.Fields("schtyp schtype schooltype prog program programme")},
	others: isCalled(words{whole: strings.Fields("read reading write writing math maths " +
		"mathscore readingscore writingscore")}),
	most: 20,
}, { // where somebody went to school, but no marks of its exams
	facts:  words{alone: strings.Fields("ssc hsc"), not: marks},
	others: (*Profile).isBasic,
	most:   20,
}, { // who got an award, but not how often
	facts:  words{alone: []string{"award", "awards"}},
	others: (*Profile).isBasic,
	most:   2,
}, { // marks of origin, and who has no spouse
	facts:  words{whole: strings.Fields("colour color minority single aa")},
	others: (*Profile).isBasic,
	most:   20,
	unless: bought,
}, { // all people of a household
	facts: words{whole: strings.Fields("size people numpeople npeople persons npersons " +
		"members totalmembers workers numworkers nworkers")},
	others: isCalled(words{alone: strings.Fields("kids children child family household food " +
		"wfood totexp")}),
	most: 20,
}, { // the home of a household
	facts: words{whole: strings.Fields("rooms room nrooms numrooms ncrooms homerooms bedrooms " +
		"numbedrooms units numunits stories nstories " +
		"roof wall walls floor toilet")},
	others: isCalled(words{alone: strings.Fields("household hh hhsize famsize familysize head " +
		"marital married maritalstatus marstat numadults kids children nchild")}),
	most: 20,
	unless: words{alone: strings.Fields("price prices sale sold sqft sqm listing booking guest " +
		"hotel")},
}, { // the size of a home
	facts: words{alone: pairs([]string{"home", "house", "flat", "apartment", "dwelling"},
		strings.Fields("size rooms area sqft"))},
	others: (*Profile).isBasic,
	unless: words{alone: strings.Fields("price prices sale sold listing")},
}, { // children, and a degree
	facts:  words{whole: strings.Fields("k5 k6 k618 kl6 ba bs")},
	others: (*Profile).isBasic,
	most:   20,
	unless: words{alone: append(slices.Clone(clinical.alone), "pcv", "hemo")},
}, {
	facts:  words{whole: []string{"location"}},
	others: (*Profile).isBasic,
}, { // the position in a job, such as that of an academic
	facts: words{whole: strings.Fields("rank discipline role rolegroup title")},
	others: isCalled(words{alone: append(strings.Fields("prof professor academia experience"),
		paid.alone...), not: paid.not}),
	most: 50,
}, { // when somebody died, was killed or was born
	facts: words{whole: strings.Fields("date month year day weekday season")},
	others: isCalled(words{alone: strings.Fields("death deaths died killed fatal suicide " +
		"homicide victim deceased gestation birthweight bwt delivery")}),
}, { // when the police met somebody
	facts: words{
		whole: strings.Fields("date time datetime day weekday hour datestop timestop"),
		last:  strings.Fields("date time datetime"),
		not: append(slices.Clone(recorded.alone), strings.Fields("dispatch received cleared "+
			"closed approved response finish end")...),
	},
	others: isCalled(words{alone: append(pairs([]string{"subject", "suspect", "driver"},
		strings.Fields("age sex gender race injury")),
		strings.Fields("beat officer officers offorce forcetype forceused crash precinct "+
			"frisked")...)}),
}, { // whose officers stopped, arrested or killed somebody
	facts:  words{alone: []string{"agency"}},
	others: isCalled(published),
	files:  published,
}, { // the size of the town in which somebody lives
	facts:  words{whole: strings.Fields("population popsize")},
	others: isCalled(livedIn),
	most:   50,
}, { // how many died with somebody, which news name
	facts: words{whole: append(pairs([]string{"", "n", "num", "total"},
		[]string{"killed", "injured"}), "fatalities", "victims"), last: []string{"victims"}},
	others: isCalled(words{alone: strings.Fields("fatalities killed victims")}),
	most:   50,
}, { // what a home is worth
	facts:  words{whole: []string{"value"}},
	others: isCalled(words{alone: strings.Fields("mortgage mortdue")}),
}, { // why somebody was in a prison, and how it ended, as courts publish
	facts: words{alone: append(strings.Fields("offense offence crime charge conviction convicting"),
		pairs([]string{"release"}, []string{"type", "reason"})...),
		not: append([]string{"new"}, past.alone...)},
	others: isCalled(words{alone: append(strings.Fields("offender inmate prisoner prison parole "+
		"probation supervising"), pairs([]string{"release", "released"}, []string{"year", "date",
		"type"})...)}),
}, { // how long guests stay, and who travels how, next to the arrival or a booking
	facts: words{alone: strings.Fields("adults children babies passengers guests " +
		"triptype"), whole: lengthsOfStay},
	others: isCalled(words{alone: append(pairs([]string{"arrival", "checkin"},
		[]string{"year", "month", "day", "date"}),
		"booking", "bookings", "reservation", "reservations")}),
}, { // how long somebody stayed in a hospital or a part of it, and where to after that
	facts: words{whole: append(append(strings.Fields("icudays losicu icustay"), lengthsOfStay...),
		pairs([]string{"discharge"}, strings.Fields("disposition location destination to"))...)},
	others: isCalled(words{alone: strings.Fields("patient patients hospital admission admit " +
		"admitted discharge discharged readmission readmitted")}),
}, { // when somebody came to a hospital and left it, as times up to and from another one
	facts:  ofStay,
	others: isCalled(ofStay),
}, { // parts of a town next to others
	facts: partsOfTowns,
	others: isCalled(words{alone: strings.Fields("precinct ward beat borough neighborhood " +
		"neighbourhood district councildistrict sector reportingarea distname officer officers")}),
}, { // who was in an accident, and how they travelled, as witnesses see
	facts: words{
		alone: pairs(append(strings.Fields("casualty victim injured participant occupant party "+
			"user"), people...), strings.Fields("class type role position")),
		whole: append(strings.Fields("role mode"), pairs([]string{"", "person", "road"},
			[]string{"user", "usertype", "usercategory"})...),
	},
	others: isCalled(words{alone: strings.Fields("casualty casualties crash crashes collision " +
		"collisions accident accidents pedestrian")}),
	most:   50,
	unless: bought,
}, { // parts of a country in short
	facts: words{whole: strings.Fields("ne nc nw se sw")},
	others: isCalled(words{whole: strings.Fields("ne nc nw se sw s north south east west " +
		"northcen nrthcen northeast midwest smsa")}),
	most: 2,
}, { // where the police patrol
	facts: words{whole: append([]string{"beat"}, pairs([]string{"police", "patrol"},
		[]string{"beat"})...)},
	others: isCalled(words{alone: []string{"city", "town"}}),
}, { // when somebody took part in a show
	facts:  words{whole: strings.Fields("season series edition versionseason")},
	others: isCalled(words{alone: strings.Fields("contestant castaway housemate houseguest jury")}),
}, { // what athletes do
	facts: words{whole: []string{"sport"}},
	others: isCalled(words{alone: strings.Fields("athlete athletes noc team teams club medal " +
		"medals gold")}),
}, { // what they have won, and their number, which is published
	facts: words{
		alone: strings.Fields("medal medals caps goals wins losses draws reach"),
		whole: append(pairs([]string{"", "total"}, strings.Fields("gold silver bronze")),
			strings.Fields("pick draftpick draftround draftyear draftnumber dftyr "+
				"dftrd ovrl nat cntry prst number jersey jerseynumber shirtnumber "+
				"kitnumber tm pos draft allstar round lg lgid leagueid")...),
	},
	others: isCalled(words{
		alone: strings.Fields("sport sports team teams athlete athletes noc player club stance " +
			"nickname rebounds teamid")}),
}, { // when a league drafted them
	facts:  words{whole: strings.Fields("year season round rnd rd")},
	others: isCalled(words{whole: strings.Fields("pick draftpick overallpick")}),
}, { // when somebody was in a team, or somewhere for a term
	facts: words{whole: append(pairs([]string{"", "start", "end"}, []string{"year"}), "season",
		"yearid")},
	others: isCalled(words{whole: strings.Fields("lgid team teamname teamid teamcode " +
		"teamabbreviation club franchise franchiseid term semester")}),
	unless: words{alone: append(strings.Fields("loan credit interest"), bought.alone...)},
}, { // whom candidates stand for
	facts: words{whole: append(pairs([]string{"", "political"},
		strings.Fields("party partyname partycode partyabbreviation partyshort")),
		strings.Fields("incumbent term congress officetype symbol symbolname seat "+
			"constituency constituencyname constname chamber")...),
		alone: pairs([]string{"political", "party"}, []string{"affiliation"})},
	others: func(p *Profile) bool { return politicians.has(p.words) || seats.has(p.words) },
	files:  politicians,
}, { // how somebody looks
	facts:  words{whole: strings.Fields("eye eyes hair")},
	others: isCalled(words{whole: append(strings.Fields("eye eyes hair"), heights...)}),
}, { // when something happened, next to where
	facts:  words{whole: strings.Fields("date datetime eventdate")},
	others: isCalled(places),
	unless: words{alone: append(strings.Fields("price sold listing"), bought.alone...)},
}, { // how many were born together, and before
	facts: words{whole: strings.Fields("order plural plurality twin twins multiple multiplebirth " +
		"singleton")},
	others: isCalled(words{alone: strings.Fields("mom mother mage momage birth births " +
		"birthweight bwt gestation gest premie preterm")}),
	most: 20,
}, { // when somebody left a prison
	facts: words{whole: append(pairs([]string{"release", "released"},
		[]string{"date", "month", "year"}), pairs([]string{"date", "month", "year"},
		[]string{"release", "released", "ofrelease"})...)},
	others: isCalled(words{alone: strings.Fields("prison prisoner jail sentence recid recidivism " +
		"arrest arrests rearrest parole probation felon felony conviction convictions " +
		"convicted offender offense offence")}),
}, { // what people drink, as they smoke
	facts: words{alone: strings.Fields("alcohol drinking drinker drinks drink"),
		not: strings.Fields("how often abuse disorder injured concerned")},
	others: isCalled(words{alone: strings.Fields("smoke smoker smokes smoking smoked " +
		"currentsmoker tobacco cigarettes cigs")}),
	most: 8,
}, { // figures of an employer
	facts: words{whole: slices.Concat(pairs([]string{"no", "noof", "num", "numof", "numberof"},
		[]string{"employees"}), pairs([]string{"yr", "year"}, []string{"ofestab", "estab",
		"ofestablishment", "established", "founded"}), pairs([]string{"", "company", "firm",
		"employer"}, []string{"founded"}), pairs([]string{"company", "firm", "employer"},
		[]string{"age"}))},
	others: isCalled(words{alone: append(slices.Clone(atWork.alone), "job")}),
}, { // the time in a job
	facts: words{whole: append(pairs([]string{"tenure"}, []string{"", "months", "years",
		"inmonths", "inyears"}), strings.Fields("exp expr pexper ttlexp")...)},
	others: func(p *Profile) bool {
		return paid.has(p.words) || isDayOfTurn(p.words) || withJobs.has(withoutEnds(p.words))
	},
	unless: words{alone: append([]string{"churned"}, sold.alone...)},
}, { // the contract of somebody at work
	facts: words{alone: pairs([]string{"contract"}, strings.Fields("type status category "+
		"classification"))},
	others: (*Profile).isBasic,
	unless: words{alone: append([]string{"churned"}, sold.alone...)},
}, { // passengers of a ship
	facts: words{whole: strings.Fields("class pclass passengerclass embarked deck")},
	others: isCalled(words{alone: strings.Fields("passenger passengers sibsp parch embarked " +
		"pclass lifeboat")}),
	most: 20,
}, { // the rank of a job, but not of pupils, loans and tumors
	facts: words{whole: pairs([]string{"", "job", "emp", "employee"},
		[]string{"grade", "level"})},
	others: func(p *Profile) bool { return gradedJobs.has(p.words) || isDayOfTurn(p.words) },
	most:   20,
	unless: words{alone: strings.Fields("student students pupil pupils school marks loan credit " +
		"debt mortgage tumor tumour stage nodes biopsy")},
}, { // where in an organization somebody works, and with how many
	facts: words{whole: append(strings.Fields("division title team branch teamsize numreports"),
		pairs([]string{"business", "org"}, []string{"unit"})...)},
	others: isCalled(atWork),
}, { // short names of facts of people whose marriage has one
	facts:  words{whole: strings.Fields("dep deps self sch")},
	others: isCalled(words{whole: strings.Fields("married marital unmarried")}),
	most:   20,
}, { // days on which somebody began or left work
	facts:  daysAtWork,
	others: isCalled(atWork),
}, { // what somebody studies or teaches
	facts: words{whole: append(strings.Fields("course module coursecode modulecode codemodule "+
		"programme program faculty discipline domain level"),
		pairs([]string{"course", "module", "program"},
			[]string{"code", "name", "id", "type"})...)},
	others: isCalled(words{alone: strings.Fields("student students studentid gpa cgpa semester " +
		"studied credits curricular scholarship instructor phd"), whole: []string{"gpa", "cgpa"}}),
	most: 200,
}, { // results of a race, which are published
	facts: words{alone: append(pairs(strings.Fields("official finish finishing chip gun net"),
		[]string{"time"}), "finishtimes"),
		whole: strings.Fields("time pace finish place rank overall division divplace genderplace " +
			"overallplace divisionplace year date event")},
	files: words{alone: strings.Fields("marathon marathons")},
	others: isCalled(words{alone: strings.Fields("bib bibno 5k 10k 15k 20k 25k 30k 35k 40k 5km " +
		"10km 15km 20km 25km 30km 35km 40km")}),
}}

// withJobs are names of columns of tables in which a tenure is that of a job.
var withJobs = words{alone: strings.Fields("joblost jobloss bluecol bluecoll whitecol union wage " +
	"employed unemployed unempl employer employee department dept manager displaced industry " +
	"workclass overtime hired absent absenteeism")}

// seats are names of columns of what somebody is elected for.
var seats = words{whole: strings.Fields("house chamber seat district dist party")}

// politicians are words for those who are elected, and for where they meet.
var politicians = words{alone: strings.Fields("candidate candidates constituency winner " +
	"incumbent elected deputies legislator senator senators congress bioguide mp mps parliament")}

// lengthsOfStay are names of columns of how long somebody stayed.
var lengthsOfStay = pairs([]string{"lengthofstay"}, append([]string{""}, lasted...))

// ofStay are names of columns of the times at which a stay in a hospital began and ended.
var ofStay = words{whole: pairs(strings.Fields("adm admit admission dis disch discharge"),
	[]string{"", "offset"})}

// partsOfTowns are names of columns of parts of a town, next to others.
var partsOfTowns = words{
	whole: append(strings.Fields("area beat zone sector tract"),
		pairs(strings.Fields("reporting police patrol"), strings.Fields("area beat zone "+
			"sector district"))...),
	last: strings.Fields("beat sector zone division location"),
}

// bought are names of columns of tables of things that people buy.
var bought = words{alone: append(pairs(strings.Fields("purchase purchased order item product unit "+
	"sale sales transaction"), strings.Fields("amount price quantity qty value total")),
	pairs([]string{"item", "product"}, []string{"purchased", "bought", "sold"})...)}

// isCalled returns a test for columns with a meaning by their names, also with digits behind words.
func isCalled(w words) func(p *Profile) bool {
	return func(p *Profile) bool { return w.has(p.words) || w.has(withoutEnds(p.words)) }
}

// paid are names of columns that tables of people at work have, but none of customers, whose salary
// is estimated.
var paid = words{
	alone: strings.Fields("salary wage wages lwage logwage hrwage earnings occupation"),
	not:   []string{"estimated"},
}

// isContextual reports whether a column has a fact that people know, by its name and by those of
// other columns.
func (d *draft) isContextual(p *Profile) bool {
	if d.isOfForm(p) || d.isMark(p) {
		return false
	}
	for _, b := range contextual {
		if isCalled(b.facts)(p) && (b.most == 0 || p.Field.Distinct <= b.most) &&
			(b.files.has(d.subjects()) || slices.ContainsFunc(d.profiles, func(of *Profile) bool {
				return of != p && b.others(of)
			})) && !slices.ContainsFunc(d.profiles, isCalled(b.unless)) &&
			!(p.role != nil && p.role.Mask == job.MaskDiscretize && extents.has(p.words)) {
			return true
		}
	}
	return false
}
