package draft

import (
	"slices"
	"strings"
	"unicode"
)

// wordsOf splits a column's name into lower-case words: at characters other than letters and
// digits, before a capital that follows a small letter, before the last of several capitals if two
// small letters follow it, as in PULocation, but not in patientIDs, and before a last Id, as in
// BRId; and behind a stem that another word follows, as in incomeperc. It leaves accents out, and
// replaces # by number, and words of some other languages by English ones.
func wordsOf(name string) []string {
	var text strings.Builder
	runes := []rune(name)
	small := func(i int) bool { return i >= 0 && i < len(runes) && unicode.IsLower(runes[i]) }
	for i, r := range runes {
		switch {
		case r == '#':
			text.WriteString(" number ")
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r):
			text.WriteByte(' ')
		case unicode.IsUpper(r) && (small(i-1) || i > 0 && small(i+1) && small(i+2) ||
			i > 0 && string(runes[i:]) == "Id"):
			text.WriteByte(' ')
			fallthrough
		default:
			text.WriteRune(unicode.ToLower(r))
		}
	}
	var parts []string
	for _, word := range strings.Fields(plain(text.String())) {
		for stem := stemmed(word); stem != ""; stem = stemmed(word) {
			parts = append(parts, stem)
			word = word[len(stem):]
		}
		parts = append(parts, word)
	}
	if len(parts) > 1 && slices.Contains(anonymized, parts[0]) {
		parts = parts[1:]
	}
	return inEnglish(parts)
}

// anonymized are first words of names that say nothing of what a column has.
var anonymized = strings.Fields("anonymized anonymised deidentified")

// readLongitudes reads long as a longitude next to a latitude: elsewhere it is a length.
func readLongitudes(profiles []*Profile) {
	latitudes := words{alone: []string{"lat", "latitude"}}
	if !slices.ContainsFunc(profiles, func(p *Profile) bool { return latitudes.has(p.words) }) {
		return
	}
	for _, p := range profiles {
		if n := len(p.words) - 1; n >= 0 && p.words[n] == "long" {
			p.words = append(slices.Clone(p.words[:n]), "longitude")
			p.fact = isFact(p.words)
		}
	}
}

var (
	// stems are words that names often have in front of another one without a sign between them.
	stems = strings.Fields("numberof noof countof income salary earnings education " +
		"occupation marital marriage mother father parent spouse husband family " +
		"household religion trust fecha schoolid schid height weight inches fatal incident")
	// inflected are ends of such words that do not make another one of them.
	inflected = strings.Fields("s es d ed al er ers ing ly hood ship less ity ities")
)

// stemmed returns the stem in front of another word or a letter, or "".
func stemmed(word string) string {
	for _, stem := range stems {
		if rest, found := strings.CutPrefix(word, stem); found && rest != "" &&
			!slices.Contains(inflected, rest) {
			return stem
		}
	}
	return ""
}

// fewestPrefixed is the least number of different known words behind a prefix of names, and
// longestPrefix the largest number of its letters.
const (
	fewestPrefixed = 3
	longestPrefix  = 3
)

// stripNumbers takes the number of a question from the words of columns if nearly all names begin
// with one.
func stripNumbers(profiles []*Profile) {
	isNumbered := func(p *Profile) bool { return len(p.words) > 1 && numberOfQuestion(p.words[0]) }
	if float64(numberOf(profiles, isNumbered)) < most*float64(len(profiles)) {
		return
	}
	for _, p := range profiles {
		if isNumbered(p) {
			p.words = wordsOf(strings.Join(p.words[1:], " "))
			p.fact = p.fact || isFact(p.words) && !formerly.has(p.words)
		}
	}
}

// stripPrefixes takes from the words of columns a prefix that several have in front of a fact that
// people know, without a sign between them, as in hvage, hvsex and hvrace, if one of them is an age
// or a sex, or two of them an age and a sex: natcity, nateduc and natrace may ask what somebody
// thinks of these. One letter may be the first of a word, as in wage: only the q of a question and
// the v of a variable are prefixes, as in Qgender and Qcountry.
func stripPrefixes(profiles []*Profile) {
	for length := 1; length <= longestPrefix; length++ {
		behind, of := make(map[string][]*Profile), make(map[*Profile][]string)
		for _, p := range profiles {
			if p.fact || len(p.words) == 0 || len(p.words[0]) <= length {
				continue
			}
			prefix := p.words[0][:length]
			name := append(wordsOf(p.words[0][length:]), p.words[1:]...)
			if isFact(name) && (length > 1 || prefix == "q" || prefix == "v") {
				behind[prefix], of[p] = append(behind[prefix], p), name
			}
		}
		for _, among := range behind {
			facts, hasAge, hasSex := make(map[string]bool), false, false
			for _, p := range among {
				facts[withoutEnds(of[p])[0]] = true
				hasAge, hasSex = hasAge || first[0].has(of[p]), hasSex || sexes.has(of[p])
			}
			for _, p := range among {
				if len(facts) >= fewestPrefixed && (hasAge || hasSex) || hasAge && hasSex {
					p.words, p.fact = of[p], true
				}
			}
		}
	}
}

// words are the names with one meaning.
type words struct {
	meaning string
	alone   []string // a word of the name, or two consecutive ones together, is one of these
	whole   []string // the name's words together are one of these
	last    []string // the last of several words is one of these
	not     []string // none of the words is one of these
	shared  bool     // several people have the same value
}

// has reports whether a column's name has the meaning.
func (w *words) has(name []string) bool {
	if slices.ContainsFunc(name, func(word string) bool { return slices.Contains(w.not, word) }) {
		return false
	}
	if slices.Contains(w.whole, strings.Join(name, "")) {
		return true
	}
	if n := len(name); n > 1 && slices.Contains(w.last, name[n-1]) {
		return true
	}
	for i, word := range name {
		if slices.Contains(w.alone, word) || i > 0 && slices.Contains(w.alone, name[i-1]+word) {
			return true
		}
	}
	return false
}

// The meanings that other code needs.
const (
	namesOfPeople   = "names of people"
	numbersOfPeople = "numbers of people"
	identifiers     = "identifiers"
	streetAddresses = "street addresses"
	webPages        = "web pages"
	telephones      = "telephone numbers"
)

// pairs returns the words that have one of some words in front of one of others.
func pairs(front, back []string) (all []string) {
	for _, word := range front {
		for _, other := range back {
			all = append(all, word+other)
		}
	}
	return all
}

var (
	// people are words for people, of whom tables have names and numbers.
	people = strings.Fields("patient person customer client user member subject employee student " +
		"respondent participant player pt cust emp stu beneficiary bene passenger guest voter " +
		"holder policyholder applicant borrower subj usubj owner teacher bib runner rider " +
		"driver athlete swimmer cyclist individual candidate contestant donor inmate defendant " +
		"offender")
	// staff are words for people who serve those of whom a table is.
	staff = strings.Fields("doctor physician provider nurse investigator manager agent seller " +
		"attending pcp npi caregiver recruiter contact mother father parent guardian spouse " +
		"partner husband wife")
	// surveyed are the numbers of people in surveys and studies, some misspelled; housed are those
	// of households and families, and of the contracts that they have.
	surveyed = append(strings.Fields("uid uniqueid uniqid iid idcode codeid respcode casecode "+
		"pidcode respid respno caseid idno idnum subid patid patno perid persid persno persnum "+
		"pernum persnr pnr nomemencr pidp pidno mergeid idauniq hhidpn childid pupilid workerid "+
		"randid sid pubid responseid orcid"), pairs([]string{"no", "nr"},
		strings.Fields("patient pation patiant pt subject student respondent participant"))...)
	housed = append(pairs(strings.Fields("hh household hhold family fam policy contract"),
		numbered), "hhnum", "intnum", "hidp")
	// belongings are words for what people have, with a number for each of them or of their
	// household, things for what else has one, and places of things and parts of sets, which
	// others count: a name without a word for a number may be that of a count.
	belongings = strings.Fields("device card vehicle household policy contract")
	things     = strings.Fields("site station bike store shop branch facility hospital hosp " +
		"school course product item article order invoice transaction booking reservation ticket " +
		"visit encounter admission stay hadm appointment claim session flight trip company " +
		"employer firm department event institution inst center centre clinic agency " +
		"office organization organisation org unit team dept")
	// vehicles are what few people use, whose numbers follow them
	vehicles = strings.Fields("bike bicycle scooter vehicle car cab taxi device")
	pieces   = strings.Fields("room ward bed apartment apt seat table class classroom section ad " +
		"advert campaign offer train route game match question item task trial form movie film " +
		"song book video post plot parcel batch expedition " +
		"position job role sch schl schid prov practice park playlist album poll franch franchise")
	// lines are the numbers of the rows, or of the plots of a field.
	lines = strings.Fields("index rowid rownumber rowname rownames row unnamed0 obs obsno obsnr " +
		"observation record plot trial")
	// regions are words for places that have a number or a code.
	regions = strings.Fields("country county state region district province municipality area " +
		"zone location tract block city town township village commune parish canton prefecture " +
		"precinct ward boro borough neighborhood geo vtd psu beat lga woreda kebele upazila " +
		"townvill cregion continent")
	// numbered are words that make the number of somebody or something.
	numbered = []string{"id", "nbr", "number", "num", "no", "nr", "cd", "code", "key"}
	// named are words that make a name, and partly the words for its parts.
	nameWords = []string{"name", "nm", "nam"}
	partly    = strings.Fields("first last middle given family maiden fore sur nick full user " +
		"suffix legal")
)

// ofPersons are the names of columns of the numbers of those whom a table is about.
var ofPersons = words{
	alone: slices.Concat(pairs(people, numbered), surveyed, []string{"mrn"}),
	whole: append([]string{"id"}, people...),
}

// ofThings are the names of columns of the numbers of things, and of rows, which are not of people.
var ofThings = words{
	alone: slices.Concat(pairs(things, numbered), pairs(pieces, numbered)),
	whole: lines,
}

// idsOfPersons are those of such columns that are no counts or kinds of people, however few values
// they have.
var idsOfPersons = words{alone: append(pairs(people, []string{"id"}), idsOfOfficers...)}

// idsOfOfficers are those of the police and of others at work.
var idsOfOfficers = pairs([]string{"officer", "agent", "recruiter"}, []string{"id", "badge"})

// ofPeople are the names of columns of people's names, whatever the number of values.
var ofPeople = words{
	meaning: namesOfPeople,
	alone: slices.Concat(pairs(partly, nameWords), pairs(nameWords, partly),
		pairs(partly, []string{"initial", "initials"}),
		pairs(people, nameWords), pairs(staff, nameWords), pairs(servants, nameWords),
		[]string{"invnam"}),
	whole: []string{"login"},
	last:  []string{"login", "initials"},
	// NAME_FAMILY_STATUS, Team Initials
	not:    []string{"status", "type", "team"},
	shared: true,
}

// ofServants are the names of columns of those who decide about people or care for them.
var ofServants = words{whole: servants, last: servants}

var servants = strings.Fields("doctor physician surgeon clinician nurse therapist " +
	"judge magistrate officer caseworker interviewer investigator instructor teacher professor " +
	"manager agent seller attending caregiver coach trainer referee umpire recruiter contact " +
	"advisor adviser")

// ofRegions are the names of columns of places, whose names are also those of people.
var ofRegions = words{alone: pairs(regions, nameWords), whole: regions, last: regions}

// direct are the names of columns that identify people.
var direct = []words{
	ofPeople,
	{meaning: namesOfPeople, whole: []string{"name"}, shared: true},
	{meaning: "e-mail addresses", alone: []string{"email", "mail"}},
	{
		meaning: telephones,
		alone:   []string{"phone", "telephone", "mobile", "fax", "tel", "msisdn"},
		not: strings.Fields("per usage unlocks checks hours minutes count first model brand os " +
			"operating hardware marketing"),
	},
	{
		meaning: streetAddresses,
		alone:   []string{"address", "street", "addr"},
		whole:   []string{"housenumber"},
		shared:  true,
	},
	{
		meaning: numbersOfPeople,
		alone: []string{"ssn", "nino", "passport", "mrn", "aadhaar", "cpf", "curp", "pesel",
			"badge", "taxid", "tin", "licence", "license"},
		whole: []string{
			"socialsecuritynumber", "socialsecurity", "nationalid", "nhsnumber",
			"medicalrecordnumber",
			"insurancenumber", "policynumber",
		},
		not: strings.Fields("date issue issued expiry type class status state year month day")},
	{
		meaning: "accounts",
		alone:   []string{"iban", "imei", "imsi", "mac", "token", "password", "secret"},
		whole: []string{
			"creditcard", "cardnumber", "cardno", "accountnumber", "accountno", "account",
			"deviceid",
			"cookie", "ip", "ipaddress",
		}},
	{
		meaning: "secrets of cards",
		alone: append(pairs(strings.Fields("card atm"), strings.Fields("pin pincode")),
			strings.Fields("securitycode cvv cvv2 cvc cvc2")...),
		shared: true,
	},
	{
		meaning: webPages,
		alone:   []string{"url", "uri", "website", "homepage", "link"},
		shared:  true,
	},
	{
		meaning: "free text",
		alone: []string{"comment", "comments", "note", "notes", "remark", "remarks", "freetext",
			"narrative"},
		shared: true,
	},
	{
		meaning: identifiers,
		alone: slices.Concat(strings.Fields("id identifier uuid guid pk key nbr caseno "+
			"casenum recordid badge"), surveyed, housed, idsOfOfficers,
			pairs(people, numbered),
			pairs(vehicles, numbered), pairs(incidents, []string{"number", "num", "nr"})),
		whole: slices.Concat(people, lines, strings.Fields("nr star shield seq seqn "+
			"seqno serial sernum serialno serialnum serialnumber number pid ptid fid mid")),
		last: []string{"number", "nr", "no"},
		not: append(strings.Fields("week month year day days hour quarter season semester period "+
			"wave page version cluster clust"), regions...)},
}

// directMeaning returns the meaning of a column's name that identifies people, or an empty one, as
// long questions have.
func directMeaning(name []string) words {
	if len(name) > mostWords {
		return words{}
	}
	for i := range direct {
		if direct[i].has(name) {
			return direct[i]
		}
	}
	return words{}
}

// places are the names of coordinates.
var places = words{
	alone: append(pairs([]string{"x", "y"}, []string{"coord", "coordinate", "coordinates"}),
		"latitude", "longitude", "lat", "lon", "lng", "georeferenced", "geolocation"),
	whole: append(pairs([]string{"point", "coord", "coordinate", "geo"}, []string{"x", "y"}),
		strings.Fields("easting northing")...),
}

// postal are the names of columns of zip codes.
var postal = words{alone: []string{"zip", "zip4", "zip5", "zipcode", "postal", "postcode",
	"postalcode", "plz"}, not: []string{"votes", "vote", "orders", "cost"}}

// diagnoses are the names of columns of codes of diseases.
var diagnoses = words{
	alone: []string{"diagnosis", "diagnoses", "diag", "dx", "icd", "icd9", "icd10"},
}

// tracts are the names of columns of geographic codes that begin with a state's and a county's.
var tracts = words{alone: []string{"tract", "geoid", "fips"},
	not: []string{"urinary", "respiratory"}}

// births are the names of columns of dates of birth.
var births = words{
	alone: []string{"birth", "birthday", "birthdate", "birthyear", "dob", "born", "brthdtc",
		"brthdt", "bdate", "bday", "birthy", "birthm", "birthmonth", "birthq", "yearborn", "byear",
		"bmonth"},
	not: strings.Fields("place country state city county weight order sex gender"),
}

// periods are the names of columns of parts of dates.
var periods = words{alone: []string{"year", "yr", "quarter", "month", "week", "day", "weekday"},
	whole: []string{"yyyy", "mm", "dd"}}

// nameParts are the names of columns of parts of people's names, if nothing else is in the name.
var nameParts = words{whole: []string{"first", "last", "middle", "given", "family", "fname",
	"lname", "mname", "initials", "maiden", "suffix", "salutation"}}

// initialed are words of names of columns of initials, and initials are names that mean them next
// to names only.
var (
	initialed = words{alone: []string{"first", "middle"}}
	initials  = words{whole: []string{"mi", "minit"}}
)

// amounts are the names of columns of whole numbers that may all differ, and identify nobody.
var amounts = words{alone: strings.Fields("amount total income salary wage wages price cost " +
	"costs fee fees value pop population share balance revenue expense expenses earnings"),
	whole: sums, last: sums}

// sums are words for amounts, unless another word follows, as in payment_type.
var sums = strings.Fields("pay paid payment payments amt bal bill bills charge charges money " +
	"prize winnings")

// numbersOfPlaces are the names of columns of numbers of places, as region_of_birth, which have no
// order.
var numbersOfPlaces = words{alone: append(pairs(append(slices.Clone(regions), "dist"), numbered),
	pairs(strings.Fields("country continent region county district city"), []string{"of"})...)}

// categories are the names of columns whose whole numbers stand for something: they have no order.
var categories = words{
	alone: slices.Concat(ofThings.alone, pairs(belongings, numbered), pairs(staff, numbered),
		regions,
		strings.Fields("id cd code key type race raced raceth ethrace ethnicity ethnic "+
			"ethnicgroup hispanic hispan hispand hisp eth ancestry ancestr sex gender marital "+
			"marriage marr "+
			"marstat marst mstat maritl "+
			"nationality nativity birthplace bplace bpl bpld pob cob caste "+
			"tribe religion relig denom denomination language homelanguage homelang tongue "+
			"citizenship citizen msa cbsa fips statefip stateicp countyfip countyicp "+
			"metarea sector industry indust indus occupation occ occup naics nace isco soc "+
			"category status purpose reason relate related relhead reltohead wrkstat workstat "+
			"empstat empstatd emplstat labforce classwkr vetstat ownershp tenantstatus channel "+
			"route brand mode profession workclass qualification siteid "+
			"rac1p cit cow mar occp indp pobp relp relshipp jwtrns puma esr"), headed),
	whole: slices.Concat(things, belongings, staff, headed, []string{"st"}),
	not: append(strings.Fields("of count size age year years month months day days rate num "+
		"score level number no nr week date time duration length per percent avg mean "+
		"grade grades mark marks point points socioeconomic"), amounts.alone...),
}

// extents are the names of columns of sizes of land and homes, if they have many values.
var extents = words{whole: []string{"area"}, last: []string{"area"},
	not: []string{"reporting", "police", "patrol"}}

// headed are names of columns of what people of a household are to its head.
var headed = slices.Concat(pairs(strings.Fields("rel relation relationship relate"),
	strings.Fields("head hohh tohead tohh tohohh 2head")), pairs(pairs(strings.Fields(
	"rel relation relationship"), []string{"to"}), []string{"head", "reference"}))

// kindsOfLife are the names of columns of few whole numbers that stand for what people are or have.
// More numbers count something.
var kindsOfLife = words{
	whole: strings.Fields("employment job relationship housing homeownership ownership faith " +
		"party married metro smsa lang bloodgroup bloodtype jobtype worktype contracttype " +
		"incometype typeincome ivdrug " +
		"browser browsers operatingsystem operatingsystems domain residence trt treatment " +
		"crime offense offence"),
}

// counted are the names of columns that may count things, such as pages related to a product, or
// those who serve.
var counted = words{whole: slices.Concat(things, belongings, staff), last: []string{"related"}}
