package draft

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// Facts that people know about others come first by how much they distinguish: the date of birth,
// sex and place (Sweeney, Simple Demographics Often Identify People Uniquely, 2000).
var (
	sexes = words{alone: append(strings.Fields("sex sx gender genders genderid gend "+
		"gndr riagendr ppgender mf"),
		pairs([]string{"sex", "gender"}, []string{"male", "female", "m", "f"})...),
		whole: []string{"male", "female", "woman", "man", "ismale", "isfemale"},
		not:   strings.Fields("ever same orientation partner partners")}
	first = []words{
		{alone: append(births.alone, "age", "ages", "ridageyr", "ppage"), not: births.not},
		sexes,
		{alone: slices.Concat(postal.alone, places.alone,
			[]string{"city", "town", "county", "residence"}),
			whole: places.whole, last: places.last, not: postal.not},
	}
)

// facts are names of facts that people know about others, by theme.
var facts = []words{
	first[0], first[1], first[2],
	{
		alone: strings.Fields("agea agey agem ageyr ageyrs ageyears agemo " +
			"ageentry howold daysoflife monthsoflife yearsoflife " +
			"mthage fthage chldage agefbrth agefstm agefirstbirth agehed agehead " +
			"birthplace birthplc bplace pob cob " +
			"yearborn monthborn mnthborn yob ybirth " +
			"birthyr yod agemon zodiac starsign"),
		whole: []string{"placeofbirth", "sign"},
	},
	{ // origin: race, religion, migration
		meaning: askedNext,
		alone: slices.Concat(strings.Fields("race raceeth raceth ethnicity ethnic "+
			"ethn ethrace eth ethnicgroup ancestry ancestr tribe tribal caste hispanic "+
			"hispan hispand hisp latino raced nwhite nationality nativity citizenship citizen "+
			"immstat native "+
			"foreign religion relig denomination denomina catholic protestant jewish muslim hindu "+
			"christian immigrant imigrnt immig immigr yrsusa yrimmig bpl bpld "+
			"immigrationstatus migrant indigenous indig aboriginal minority"),
			pairs([]string{"religious"}, []string{"denom"}),
			pairs([]string{"native", "foreign", "us", "uk"}, []string{"born"}),
			pairs([]string{"nat", "amer", "african", "mexican"},
				[]string{"am", "amer", "ind", "american"})),
		whole: strings.Fields("black white asian nonwhite afam nation denom skincolor " +
			"skincolour international isinternational internationalflag religious religiousness"),
		not: notOrigin,
	},
	{
		alone: slices.Concat(pairs([]string{"home", "native", "first"},
			[]string{"language", "lang"}), pairs([]string{"language", "lang", "lan"},
			[]string{"spoken"}), strings.Fields("language primlang engnat mothertongue")),
		whole: []string{"lang"}, not: notOrigin,
	},
	{ // place
		alone: slices.Concat(tracts.alone, numbersOfPlaces.alone, strings.Fields("puma parish "+
			"state country continent region district municipality province borough boro commune "+
			"prefecture canton village suburb suburban smsa urban rural metro metropolitan "+
			"neighbourhood neighborhood locality vill villnum geography imd deprivation vtd "+
			"precinct ward psu wards cbsa msa metarea countyfips countyfip "+
			"countyicp statefips statefip stateicp "+
			"inputstate inputzip urbrur urbanrural urbancity lga woreda kebele townvill townsize "+
			"hometown urbanism"),
			pairs([]string{"location"}, []string{"level"}),
			pairs([]string{"community"}, []string{"name", "area"}),
			pairs([]string{"property"}, []string{"area"}),
			pairs([]string{"dist"}, []string{"name"}),
			pairs([]string{"company", "office"}, []string{"location"}),
			pairs([]string{"reg"}, strings.Fields("ne nw se sw mw so we")),
			pairs([]string{"area", "residence", "residential", "location", "zone", "locality"},
				[]string{"type"}),
			pairs(strings.Fields("big large lg vlg small smll sm med inner outer cent home"),
				[]string{"city"})),
		whole: strings.Fields("address south north east west northeast northwest southeast " +
			"southwest midwest northcentral northcen nrthcen nrtheast locationcode reg"),
		not: tracts.not,
	},
	{ // home: who owns or rents what, and pets
		alone: slices.Concat(pairs([]string{"own", "owns", "has", "have"}, owned),
			pairs([]string{"home", "house", "housing", "dwelling", "property"},
				[]string{"type", "status"}),
			pairs([]string{"car", "auto", "vehicle"},
				[]string{"make", "model", "type", "class", "body", "year"}),
			[]string{"makemodel"},
			pairs(strings.Fields("land plot plots farm rice crop"),
				strings.Fields("area size acres")),
			strings.Fields("homeown rentown ownrent ownershp ownershg homeowner homeownership "+
				"houseown houseowner householder homeless renter cars ncars nbcars "+
				"vehicles dwelling accommodation")),
		whole: []string{"home", "housing", "own", "tenant", "pet"},
	},
	{ // family: marriage, children, household
		meaning: askedNext,
		alone: slices.Concat(strings.Fields("marital maritl marstat marsta marst married maried "+
			"marriage marr "+
			"yrsmarr divorced divorce widowed widow household partner dependents "+
			"numdep depends dependent dependant dependants family familysize "+
			"famsize hhsize hsize fmsize fsize householdsize children kids "+
			"kidslt kidsge kidlt kidge kidhome teenhome teen teens preteen preteens "+
			"babies sibling siblings sibs sibsp parch birthorder birthord brthord firstborn "+
			"nsibs numsib separated "+
			"unmarried cohab cohabiting cohabitation houshead livewith liveswith nadults fbaby"),
			pairs(strings.Fields("old elder older young younger twin big little"),
				strings.Fields("bro sis brother sister brothers sisters")),
			pairs([]string{"marital", "mar"}, []string{"stat"}),
			pairs([]string{"personal"}, []string{"status"}),
			pairs([]string{"fam", "hh"}, []string{"members"}),
			pairs([]string{"child"}, []string{"total", "count", "num", "number"}),
			pairs([]string{"total", "num", "number"}, []string{"child"}),
			pairs([]string{"live", "lives", "living"}, []string{"with"}),
			pairs([]string{"death", "died"},
				strings.Fields("year yr month day date place places")),
			[]string{"adults"},
			pairs([]string{"never", "nev", "ever", "un"}, []string{"mar", "marr", "married"}),
			headed,
			strings.Fields("hhmmb famsz numkid nummar numsibs numadults nmembers hhpop agpop "+
				"mstat mstatus singleparent famtype hhtype")),
		whole: append(strings.Fields("kid child nyc noc son marr bmarr relation relat "+
			"yearofdeath monthofdeath placeofdeath"),
			headed...),
	},
	{
		meaning: askedNext,
		alone:   []string{"relationship"},
		not:     []string{"count", "number"}, // of products
	},
	{ // schooling
		meaning: askedNext,
		alone: slices.Concat(pairs([]string{"major", "degree", "academic"},
			[]string{"discipline"}),
			pairs([]string{"academic", "school", "study", "student", "class"},
				[]string{"level", "standing"}),
			pairs([]string{"student"}, []string{"status"}),
			pairs([]string{"ed"}, []string{"level", "field"}),
			pairs([]string{"deg"}, strings.Fields("hs ged ba bs ma ms phd")),
			strings.Fields("frosh freshman soph sophomore "+
				"edu educ education schooling school hschool yschool college coll "+
				"university graduation graduate gradyear collgrad hsgrad hgc enroll degree "+
				"nodegree "+
				"qualification qualifications qualif diploma phd isced literate literacy "+
				"specialisation "+
				"specialization")),
		whole: strings.Fields("ed student graduated major majors yedu stream studyfield " +
			"readwrite readandwrite fieldofstudy classyear yearofstudy studyyear yos " +
			"yearsofstudy fgrade mgrade institutiontype institutetype levelofstudy yearinschool " +
			"workex repeatgr"),
		not: marks,
	},
	{ // work
		meaning: askedNext,
		last:    []string{"title"},
		alone: slices.Concat(strings.Fields("occupation occup occ occp job profession "+
			"designation employer employment workclass industry indust bluecol bluecoll "+
			"whitecol union hired hire emplength yjob employmentlength jobtenure "+
			"jobtime yoj prevexp "+
			"emptenure seniority experience exper "+
			"workexp wexp empexp experien overtime businesstravel commute commuting parttime "+
			"fulltime retired veteran military selfemp selfempl selfemployed selfemployment selfe "+
			"classwk classwkr vetstat labforce empstat empstatd empstatus occup isco nace "+
			"workposition jobtitle jobrole officerrank workyou"),
			ofEmployers.alone,
			pairs(spans[:2], []string{"exp", "exper"}), pairs([]string{"exp"}, spans[:2]),
			pairs([]string{"classof"}, []string{"worker", "work"}),
			pairs([]string{"health", "healthcare"}, []string{"worker"}),
			pairs([]string{"primary", "your"}, []string{"role"}),
			pairs([]string{"position", "career"}, []string{"level", "status"}),
			pairs([]string{"research"}, []string{"domain", "field", "area"}),
			pairs([]string{"economic", "eco", "socioeconomic"},
				[]string{"activity", "sector", "status"}),
			pairs([]string{"work", "emp", "activity"}, []string{"status"}),
			pairs([]string{"work", "job", "income"}, []string{"type"}), []string{"typeincome"},
			pairs([]string{"employee", "emp", "staff", "employment"},
				[]string{"type", "status", "category", "classification"}),
			pairs([]string{"department", "dept"}, []string{"type", "name"}),
			strings.Fields("mtrans transport transportation travelmode")),
		whole: strings.Fields("employed unemployed wrkstat workstat empl employ position " +
			"department dept sector servicetime armedforces remote " +
			"agric construc constr mining clerical clerocc profocc pubadmin"),
	},
	{ // stays: where somebody is treated, and when a guest arrived
		alone: slices.Concat(pairs([]string{"clinic", "hospital", "facility"}, []string{"name"}),
			pairs([]string{"arrival"}, []string{"year", "month", "day", "date"}),
			pairs(attended, numbered), []string{"schid"}),
		whole: []string{"site", "center", "centre", "clinic", "hospital", "inst"},
	},
	ofSurveys,
	{ // body: what others see or smell
		alone: slices.Concat(pairs([]string{"ht", "hgt"}, inUnits), pairs([]string{"body"},
			[]string{"type"}), pairs([]string{"bmi", "obesity", "weight", "bodyweight"},
			[]string{"category", "class", "group", "cat", "range"}),
			strings.Fields("height heights howtall smoke smstat tobacco tob "+
				"drinker disability overwt handicap handicapped handcap preferredfoot "+
				"preferredhand handed handedness pregnant pregnancies gravida gravidity "+
				"npreg preg haircolor haircolour eyecolor eyecolour obese overweight alopecia "+
				"bald baldness amputee wheelchair")),
		whole: strings.Fields("ht hgt bodyweight obesity deaf blind foot hand bats throws fml " +
			"alco pregnancy parity " +
			"booze drinks nicotine"),
		not: strings.Fields("injury death peak infants hip waist chest knee elbow ankle " +
			"shoulder neck sitting"),
	},
	{ // a sentence that somebody served
		alone: pairs(strings.Fields("time t months month mos days years yrs"),
			[]string{"served", "inprison", "injail", "incustody", "incarcerated"}),
		whole: append(pairs(strings.Fields("prison jail custody sentence incarceration"),
			strings.Fields("time term length months month mos days years yrs")),
			pairs(strings.Fields("time months days years"),
				strings.Fields("inprison injail incustody ofsentence"))...),
	},
	{ // leisure
		alone: []string{"hobby", "hobbies", "club"},
		last:  []string{"league"},
		whole: strings.Fields("league squad team teamname teamposition positions " +
			"teamabbreviation teamabbr teamid teamcode passport"),
	},
}

// ofEmployers are names of columns of facts that all who work for somebody have in common.
var ofEmployers = words{alone: slices.Concat(
	pairs(strings.Fields("company firm employer organization organisation"),
		[]string{"size", "type"}),
	pairs([]string{"no", "num"}, []string{"employees"}),
	pairs([]string{"workers", "employees"}, []string{"no", "num", "number", "count"}),
	pairs([]string{"remote"}, strings.Fields("work worker working days")),
	pairs([]string{"tech"}, []string{"company", "organization"}))}

// roles are names of columns of what somebody does for an employer.
var roles = words{alone: strings.Fields("jobrole jobtitle designation")}

// titles are names of columns of titles of jobs, also of many words.
var titles = words{alone: append([]string{"position", "occupation"}, roles.alone...)}

// notOrigin are words that make an origin or a language something else.
var notOrigin = strings.Fields("disorder distance winner currency account exchange " +
	"transaction")

// ofSurveys are names of columns of large surveys that no other table has: NHANES, BRFSS, GSS, ESS,
// KnowledgePanel, IPUMS.
var ofSurveys = words{alone: strings.Fields("ridageyr riagendr ridreth1 ridreth3 dmdeduc " +
	"dmdmartl dmdhhsiz dmdfmsiz dmdcitzn dmdborn dmqmiliz bmxwt bmxht bmxbmi ageg educa renthom " +
	"childs hompop wrkslf indus spwrksta gndr eisced domicil brncntr ctzcntr hhmmb mainact " +
	"mnactic rshpsts chldhm chldhhe emplrel maritalb ppeduc ppeduc5 ppeducat ppethm pphhsize " +
	"pphouse ppmarit ppmarit5 ppmsacat ppreg4 ppreg9 pprent ppstaten ppwork ppemploy ppkid017 " +
	"ppt01 ppt25 ppt612 ppt1317 agekdbrn xnorcsiz mothfath16 gq occisco")}

// attended are words for institutions with a number in which people are treated or learn.
var attended = strings.Fields("hosp hospital centre center clinic site facility practice school " +
	"sch schl prov")

// owned are things that somebody may own, as others see.
var owned = strings.Fields("car cars vehicle vehicles auto home house flat apartment realty " +
	"property pet pets dog cat bike motorcycle")

// unknown are words that make a fact something else: an opinion on it, a sum of money, a figure of
// many people, what an employer asks for or gives, a diagnosis, an accident, or what nobody sees.
var unknown = words{alone: slices.Concat(
	strings.Fields("satisfaction satisfied sat opinion rating feedback score importance important "+
		"attitude trust happy happiness stress involvement should ideal think feel rude "+
		"review improvement factors acceptable comfortable worried economic "+
		"bothered annoyed favor favors favour favours favorite favourite mostused usedmost "+
		"prefer recommend willing interested intend expect youlike planto planningto "+
		"increase increased enjoy enjoyment safety security opportunity opportunities influence "+
		"missed attends reason priority telecom "+
		"oppose opposes ranking rankings offers feeling feelings irritable trouble problems "+
		"want wants wanted timeon tohire usage communication unsafe attach planned "+
		"support supports agree disagree approve vote discuss discussed negative serious seek"),
	strings.Fields("price prices income inc earnings wage wages salary expenditure spending "+
		"expense expenses earn earned money cost costs fee fees debt loan loans charge pay"),
	pairs([]string{"spend", "spent"}, strings.Fields("transport transportation education school "+
		"family kids children housing home")),
	strings.Fields("pct percent percentage perc share rate ratio frac fraction"), averages,
	strings.Fields("req required requirement requirements benefit benefits resources incentive"),
	pairs([]string{"edu", "education", "educational"}, strings.Fields("exp channel channels")),
	strings.Fields("intellectual developmental learning involved"),
	pairs([]string{"health", "digital", "financial"}, []string{"literacy"}),
	strings.Fields("history hours sleep languages cheating ban election"),
	// traits, which only tests find, as openness to experience
	strings.Fields("personality openness openess conscientiousness neuroticism agreeableness "+
		"extraversion extroversion introversion narcissism psychopathy impulsivity"),
	pairs(strings.Fields("experience sensation novelty thrill"), []string{"seeking"}),
), last: strings.Fields("disorder disease syndrome"),
	not: strings.Fields("smoking smoke smoked tobacco activity sector status type")}

// marks are words that make a name of schooling that of what somebody achieved in it.
var marks = strings.Fields("p marks mark grade grades gpa cgpa")

var (
	// shortened are endings of a word that says the same in groups, as a code, or in short.
	shortened = strings.Fields("grp group gr cat cl code cd abb abbr lvl")
	// derived are beginnings of words for a fact, whatever follows.
	derived = [][2]string{{"edu", "educ"}, {"smok", "smoke"}, {"cig", "smoke"}, {"ncig", "smoke"},
		{"disab", "disability"}, {"racethn", "race"}, {"raceethn", "race"}, {"racecmb", "race"}}
	// ofChildren are ends of words for children, as in nkids and ychild.
	ofChildren = strings.Fields("kid kids child children teens")
	// aged are words for things that have an age, unless somebody has them, and for what others do
	// not see begin.
	aged = words{
		alone: strings.Fields("car auto vehicle house housing home building property dwelling " +
			"apartment machine device equipment account policy loan store company firm payment " +
			"card subscription membership contract rbc smoke cig marij drug drink " +
			"alcohol diabetes dm"),
		not: slices.Concat(people, staff),
	}
	// limits are words that make an age nobody's.
	limits = words{alone: strings.Fields("cutoff limit limits minimum min maximum max " +
		"threshold adjusted standardized standardised retire retirement pension legal " +
		"obfuscated imputed caseage")}
	// averages are words for figures of several people or things.
	averages = strings.Fields("average avg mean median")
	// formerly are words for columns about the past.
	formerly = words{alone: []string{"previous"}, not: strings.Fields("qualification " +
		"qualifications education school schooling degree")}
	// relatives are what names have in front of a fact about a relative, or of what else it may be,
	// as in mage, feduc, othrace, with only the word for the fact behind one letter.
	relatives = strings.Fields("m f d h mo fa ma par mth chld child fam pa mom dad mum ind resp " +
		"head sp hus husb wife moth fath hh oth other")
	// ofRelatives are names of columns about a relative.
	ofRelatives = words{alone: strings.Fields("mother father parent spouse husband wife partner " +
		"mom dad mum hus husb moth fath sp hh")}
	// behind are such words behind a fact, as in whitemom, agew.
	behind = strings.Fields("mom dad mother father mth w h")
)

// askedNext is the meaning of the facts that analyses ask for behind age and sex: origin, family,
// schooling and work.
const askedNext = "asked next"

// isAskedNext reports whether a column has such a fact, by its name or its values.
func (p *Profile) isAskedNext() bool {
	return p.share(marital) >= most || slices.ContainsFunc(facts, func(w words) bool {
		return w.meaning == askedNext && called(&w, p.words)
	})
}

// mostWords is the largest number of words of a question for a fact: longer ones ask for opinions,
// and for what somebody did in some situation.
const mostWords = 12

// asking matches what stands in front of a fact in a question with some answers.
var asking = regexp.MustCompile(`\bwhich (\w+ ){0,4}(best )?describes? (the |your )?`)

// isFact reports whether a name is that of a fact that people know about others.
func isFact(name []string) bool {
	name = strings.Fields(asking.ReplaceAllString(strings.Join(name, " "), ""))
	return len(name) <= mostWords && !unknown.has(name) && !isAgeOfNobody(name) &&
		!isOfMissing(name) &&
		(isSpanOfLife(name) || isDayOfTurn(name) || asksWhere(name) ||
			isBoundOfAge(name) ||
			slices.ContainsFunc(facts, func(w words) bool { return called(&w, name) }))
}

// numberOfSeries matches the number of a column in a series, which a letter may divide.
var numberOfSeries = regexp.MustCompile(`\d+[a-z]?$`)

// called reports whether a column's name has a meaning, also with digits or a usual ending behind
// its words, or a relative in front of them: race4, race2a, agegrp, stateabb, educat, ed_lvl,
// mage, fathereduc.
func called(w *words, name []string) bool {
	plain := make([]string, len(name))
	for i, word := range name {
		plain[i] = numberOfSeries.ReplaceAllString(word, "")
		if len(plain[i]) <= 1 { // v5 is a number of a visit or a question, and no part of a word
			plain[i] = word
		}
		for _, end := range shortened {
			if begin, found := strings.CutSuffix(plain[i], end); found && w.has([]string{begin}) {
				plain[i] = begin
			}
		}
		for _, relative := range relatives {
			fact, found := strings.CutPrefix(plain[i], relative)
			if len(relative) > 1 {
				fact = rootOf(fact)
			}
			if found && max(len(fact), len(relative)) >= 3 && fact != "eth" &&
				w.has([]string{fact}) {
				plain[i] = fact
			}
		}
		for _, relative := range behind {
			if !w.has([]string{plain[i]}) { // eth1 is no et of somebody
				plain[i] = cmp.Or(strings.TrimSuffix(plain[i], relative), plain[i])
			}
		}
		plain[i] = rootOf(plain[i])
	}
	n := len(name) - 1
	return w.has(name) || w.has(plain) || w.has(withoutRelatives(name)) ||
		n > 0 && slices.Contains(shortened, name[n]) && w.has(name[:n])
}

// withoutRelatives returns the words of a name but those for a relative, as ed of momEd.
func withoutRelatives(name []string) []string {
	return slices.DeleteFunc(slices.Clone(name), func(word string) bool {
		return slices.Contains(ofRelatives.alone, word)
	})
}

// rootOf returns the word for a fact of which another one is a form, as smoke of smokingnow and
// kids of youngkids, or the word itself.
func rootOf(word string) string {
	for _, d := range derived {
		if strings.HasPrefix(word, d[0]) && !strings.Contains(word, "pric") {
			return d[1]
		}
	}
	if strings.Contains(word, "smk") { // as qsmk for who quit
		return "smoke"
	}
	for _, end := range ofChildren {
		if len(word) > len(end) && strings.HasSuffix(word, end) {
			return "kids"
		}
	}
	return word
}

var (
	// spans are parts of words for a span of time, and lived those for what it is spent with.
	spans = strings.Fields("years yrs months length duration")
	lived = strings.Fields("role compan job position employ service work experien manager " +
		"promot depart organi academi career played profession teach coded marri marital immigr " +
		"migrat resid")
	// timed are words for such a time that often mean another one, and spent are those for what it
	// is spent with that are no parts of other words
	timed = words{alone: append([]string{"time", "days", "tenure"}, spans...)}
	spent = words{alone: strings.Fields("company firm employer org organization organisation job " +
		"position force employed")}
)

// isSpanOfLife reports whether a name is that of a time that somebody has worked, been married or
// lived in a country, as YearsInCurrentRole, yrs.service, yearsmarried and time_spend_company, but
// not of one up to something, as Years_to_Promotion.
func isSpanOfLife(name []string) bool {
	joined := strings.Join(name, "")
	in := func(part string) bool { return strings.Contains(joined, part) }
	return slices.ContainsFunc(spans, in) && slices.ContainsFunc(lived, in) &&
		!slices.Contains(name, "to") ||
		timed.has(name) && spent.has(name)
}

// asksWhere reports whether a name asks for the place in which somebody lives, works or learns.
func asksWhere(name []string) bool {
	where := words{alone: []string{"where"}}
	does := words{alone: strings.Fields("live lives living reside based born work study grew from")}
	return where.has(name) && does.has(name)
}

// boundOfAge is the form of a name for those who are older, or younger, than some age, or between
// two.
var boundOfAge = matches(`^((over|under) ?(1[5-9]|[2-9]\d)s?|under ?[1-9]|` +
	`n(um)? ?(lt|gt|under|over) ?\d{1,2}|num ?\d{1,2} (to )?\d{2})$`)

// isBoundOfAge reports whether a name says that somebody is over or under an age, as over65, or how
// many of a household are, as num5_17.
func isBoundOfAge(name []string) bool { return boundOfAge(strings.Join(name, " ")) }

// isOfMissing reports whether a name is that of a mark of rows without a value, as miss_gender.
func isOfMissing(name []string) bool {
	of := name[:max(0, len(name)-1)]
	return slices.Contains(of, "miss") || slices.Contains(of, "missing")
}

// ownAge are words of a question for somebody's own age: What age range do you fall in?
var ownAge = words{alone: strings.Fields("your youfall youbelong areyou")}

// isAgeOfNobody reports whether a column has the age of a thing, or a limit of ages, by its name,
// as drinking_age_limit, or asks for an opinion on one.
func isAgeOfNobody(name []string) bool {
	name = withoutEnds(name)
	return slices.Contains(name, "age") && (aged.has(name) || limits.has(name) ||
		slices.Contains(name, "what") && !ownAge.has(name))
}
