package draft

import (
	"net/netip"
	"regexp"
	"strings"
	"unicode"
)

// pattern is a form of texts of a column.
type pattern uint8

const (
	email pattern = iota
	phone
	url
	address // of a network
	uuid
	iban
	card
	socialSecurity
	isoDate
	partDate
	usDate
	euroDate
	monthFirst
	someDate // with the year at the end, which may have two digits
	zip
	shortZip // a zip code without its leading zeros
	diagnosis
	code
	number
	numeral // number with signs between its digits
	priced  // number with a currency or a percent sign
	spaced  // number with blanks around it
	clock
	minutes
	timing // by a clock, or how long something took
	halved // by a clock with AM and PM
	sex
	person
	treatment
	verdict   // what came of somebody
	finding   // whether a test found something
	answer    // yes or no
	tick      // yes, and the like
	proper    // name of somebody, by its capitals
	initial   // of a name
	byInitial // a name with an initial in front
	marital
	list   // several texts with signs between them
	common // a kind of place or work, a religion, an origin or who smokes, as people know
	female
	paired   // two numbers with a slash between them
	hourless // minutes and seconds of a time, whose hour a spreadsheet left out
	patterns // number of patterns
)

// forms decide whether a text, which is not empty, has a form.
var forms = [patterns]func(text string) bool{
	email:          matches(`^[^@\s]+@[^@\s]+\.[^@\s.]+$`),
	phone:          isPhone,
	url:            matches(`^([a-z][a-z0-9+.-]*:/|/[a-z]\w+)/\S+$`),
	address:        isAddress,
	uuid:           matches(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`),
	iban:           isIBAN,
	card:           isCard,
	socialSecurity: matches(`^\d{3}-\d{2}-\d{4}$`),
	isoDate:        isDate,
	partDate:       matches(`^[12]\d{3}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01])(T.*)?)?)?$`),
	usDate:         isUSDate,
	euroDate:       matches(`^(0?[1-9]|[12]\d|3[01])[/.-](0?[1-9]|1[0-2])[/.-]\d{4}([T ].*)?$`),
	monthFirst:     matches(`^(0?[1-9]|1[0-2])[/-](0?[1-9]|[12]\d|3[01])[/-]\d{4}([T ].*)?$`),
	someDate:       dateForm,
	zip:            matches(`^\d{5}(-\d{4})?$`),
	shortZip:       matches(`^\d{3,4}(-\d{4})?$`),
	diagnosis:      isDiagnosis,
	code:           isCode,
	number:         isNumber,
	numeral:        isNumeral,
	priced: matches(`^(-? ?\p{Sc} ?-?\d[\d., '’]*[KkMmBb]?|` +
		`-?\d[\d., '’]*[KkMmBb]? ?[\p{Sc}%])$`),
	spaced: matches(`^(\s+[+-]?\d{1,15}(\.\d{1,20})?\s*|[+-]?\d{1,15}(\.\d{1,20})?\s+)$`),
	paired: pairForm,
	clock:  matches(`^([01]?\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?$`),
	verdict: matches(`^(?i:(not[ _-]?)?(admit(ted)?|accepted|approved|rejected|refused|denied|` +
		`declined|granted|certified|placed|hired|convicted|acquitted|alive|living|dead|died|` +
		`deceased|survived|pass(ed)?|fail(ed)?|churned|attrited|stayed|joined|existing|isolated|` +
		`released|(re)?paid|paid[ _-]off|default(ed)?|(written|charged)[ _-]off|current|` +
		`(in)?active)|wait[ _-]?list(ed)?)$`),
	finding: matches(`^(?i:positive|negative|pos|neg|detected|not[ _-]?detected)$`),
	answer:  matches(`^(?i:yes|no|y|n)$`),
	tick:    matches(`^(?i:x|y|yes|t|true|1|on|checked|selected|✓|✔)$`),
	sex:     matches(`^(?i:m|f|male|female|man|woman)$`),
	female:  matches(`^(?i:f|female|woman)$`),
	person:  isPerson,
	marital: matches(`^(?i:((never|not|now|re|un)?[ _-]?married|single|divorced|widow(ed|er)?|` +
		`separated|engaged|cohabiting|partnered|living[ _-]together|seeing[ _-]someone|` +
		`in[ _-]a[ _-]relationship|available)\b.*)$`),
	common: matches(`^(?i:((semi|sub)?[ _-]?(rural|urban)|village|metro(politan)?|` +
		`(self|un|not)?[ _-]?employed|(not?[ _-]?)?working|retired|homemaker|housewife|` +
		`(full|part)[ _-]?time|` +
		`(roman[ _-])?catholic|protestant|muslim|islam|hindu|buddhist|jewish|sikh|christian|` +
		`atheist|white|black|asian|hispanic|latino|caucasian|african[ _-]american|` +
		`native[ _-]american|senior|junior|sophomore|freshm[ae]n|` +
		`first[ _-]?year|(non|ex)?[ _-]?smokers?)\b.*|` + placesOfCensus + `)$`),
	list:      matches(`^[^;|]*\pL[^;|]*([;|][^;|]+)+[;|]?$`),
	proper:    matches(`^((Dr|Prof|Mr|Mrs|Ms)\.? )?\p{Lu}[\p{L}.'’-]+([ ,]+\p{Lu}[\p{L}.'’-]*){0,3}$`),
	initial:   matches(`^\p{Lu}\.?$`),
	byInitial: matches(`^\p{Lu}\.? \p{Lu}[^ ]+$`),
	treatment: matches(`^(?i:(treat(ed|ment)?|placebo|intervention|experimental|active|sham|` +
		`drug|therapy|vaccine(d|ated)?)\b.*)$`),
	halved:   matches(`^(0?\d|1[0-2]):[0-5]\d(:[0-5]\d)? ?[AaPp][Mm]$`),
	hourless: matches(`^[0-5]\d:[0-5]\d\.0$`),
	minutes:  matches(`^([01]?\d|2[0-3]):[0-5]\d$`),
	timing:   matches(`^\d{1,3}:[0-5]\d(:[0-5]\d)?$`),
}

// placesOfCensus matches the names of states and of regions of the census of the United States.
var placesOfCensus = strings.NewReplacer(" ", "|", "_", " ").Replace("alabama alaska arizona " +
	"arkansas california colorado connecticut delaware florida georgia hawaii idaho illinois " +
	"indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota " +
	"mississippi missouri montana nebraska nevada new_(hampshire|jersey|mexico|york|england) " +
	"(north|south)_(carolina|dakota) ohio oklahoma oregon pennsylvania rhode_island tennessee " +
	"texas utah vermont (west_)?virginia washington wisconsin wyoming district_of_columbia " +
	"((mid|middle|south)_)?atlantic pacific mountain (east|west)_(north|south)_central")

var isNumber = matches(`^[+-]?\d{1,15}(\.\d{1,20})?$`)

// isNumeral accepts numbers with a decimal comma or with signs between groups of digits.
func isNumeral(text string) bool { return numeralForm(text) && !isNumber(text) }

var numeralForm = matches(`^[+-]?\d{1,15}((,\d{2})*[., '’]\d{3})*([.,]\d{1,20})?$`)

// aroundForm matches a number with a currency or a percent sign, or nothing, before or behind it,
// or with a usual unit behind it; brackets make it one below 0.
var aroundForm = regexp.MustCompile(
	`^\s*[-(]?\s*(\p{Sc}?|(?:R|US|A|C)\$|Rs\.?|USD|EUR|INR|GBP)\s*[-(]?` +
		`(?:\d{1,15}|(\d{1,3}(?:,\d{2,3})*,\d{3}))(?:\.\d{1,20})?\s*` +
		`([\p{Sc}%]?|kgs?|KG|Kg|g|mg|lbs?\.?|pounds|cms?|CM|mm|m|km|miles|mi|in|inches|ft|feet|` +
		`[Yy]ears?|YEARS?|[Yy]rs?|yo|[Mm]onths?|mos?|[Ww]eeks?|[Dd]ays?|DAYS?|[Hh]ours?|[Hh]rs?|h|` +
		`[Mm]inutes?|[Mm]ins?|[Ss]econds?|[Ss]ecs?|s|bpm|mmHg|points|pts|USD|EUR)\s*(\)?)\s*$`)

// scaledForm matches the end of a sum of money in thousands, millions or billions.
var scaledForm = regexp.MustCompile(`(\d) ?[KkMmBb]( ?\p{Sc}?\s*\)?\s*)$`)

// around returns the signs around a number, with N for its digits, as $N, N% or N kg, and whether a
// comma in these may be before a fraction, as in 1,234. It is empty for other texts. The signs are
// those of all such tables: they are no part of a value. Sums of money may have K, M or B behind
// their digits.
func around(text string) (signs string, unclear bool) {
	if strings.ContainsFunc(text, isCurrency) {
		text = scaledForm.ReplaceAllString(text, "$1$2")
	}
	found := aroundForm.FindStringSubmatch(text)
	opened := strings.Contains(text, "(")
	if found == nil || found[1] != "" && found[3] != "" || opened != (found[4] != "") ||
		opened && strings.Contains(text, "-") {
		return "", false
	}
	behind := found[3]
	if len(behind) > 0 && unicode.IsLetter(rune(behind[0])) {
		behind = " " + behind // with a blank or without, they are the same
	}
	return found[1] + "N" + behind, found[2] != "" && strings.Count(text, ",") == 1 &&
		!strings.Contains(text, ".")
}

func isCurrency(r rune) bool { return unicode.Is(unicode.Sc, r) }

// written are the types that a job declares of dates and times in one form, and the form of each.
var written = [...]struct {
	typ  string
	form func(text string) bool
}{
	{"date", matches(`^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$`)},
	{"timestamp", matches(`^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[T ]` +
		`([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?$`)},
	{"timestamp(YYYY-M-D hh:mm:ss)", matches(`^\d{4}-` + aMonth + `-` + aDay +
		` ([01]?\d|2[0-3]):[0-5]\d:[0-5]\d$`)},
	{"timestamp(YYYY/MM/DD hh:mm:ss+00)", matches(`^\d{4}/(0[1-9]|1[0-2])/(0[1-9]|[12]\d|3[01]) ` +
		`([01]\d|2[0-3]):[0-5]\d:[0-5]\d\+00$`)},
	{"date(M/D/YYYY)", matches(`^` + aMonth + `/` + aDay + `/\d{4}$`)},
	{"date(D/M/YYYY)", matches(`^` + aDay + `/` + aMonth + `/\d{4}$`)},
	{"date(M/D/YY)", matches(`^` + aMonth + `/` + aDay + `/\d{2}$`)},
	{"date(D/M/YY)", matches(`^` + aDay + `/` + aMonth + `/\d{2}$`)},
	{"date(M-D-YYYY)", matches(`^` + aMonth + `-` + aDay + `-\d{4}$`)},
	{"date(D-M-YYYY)", matches(`^` + aDay + `-` + aMonth + `-\d{4}$`)},
	{"date(M-D-YY)", matches(`^` + aMonth + `-` + aDay + `-\d{2}$`)},
	{"date(D-M-YY)", matches(`^` + aDay + `-` + aMonth + `-\d{2}$`)},
	{"date(D.M.YYYY)", matches(`^` + aDay + `\.` + aMonth + `\.\d{4}$`)},
	{inFeet, feetForm},
	{"time(hh:mm:ss)", forms[clock]},
	{"time(hh:mm)", forms[minutes]},
	{"time(hh:mm AM)", matches(`^(0?\d|1[0-2]):[0-5]\d [AaPp][Mm]$`)},
	{"time(hh:mm:ss AM)", matches(`^(0?\d|1[0-2]):[0-5]\d:[0-5]\d [AaPp][Mm]$`)},
}

// aDay and aMonth match the number of a day and that of a month.
const aDay, aMonth = `(0?[1-9]|[12]\d|3[01])`, `(0?[1-9]|1[0-2])`

var isDate = matches(`^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])([T ].*)?$`)

// isUSDate accepts a month, a day and a year, as in the United States.
var isUSDate = matches(`^(0?[1-9]|1[0-2])/(0?[1-9]|[12]\d|3[01])/\d{4}( .*)?$`)

func matches(pattern string) func(text string) bool {
	return regexp.MustCompile(pattern).MatchString
}

// isDiagnosis accepts codes of ICD-10. A letter with six digits is none: there the last character
// is a letter.
func isDiagnosis(text string) bool { return icd(text) && !numberedLetter(text) }

var (
	icd            = matches(`^[A-Z]\d[0-9A-Z](\.?[0-9A-Z]{1,4})?$`)
	numberedLetter = matches(`^[A-Z]\d{6}$`)
)

// isPhone requires 7 to 15 digits and characters that do not occur in a plain number.
func isPhone(text string) bool {
	digits, signs := 0, 0
	for i, r := range text {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case r == '+' && i == 0:
			signs += 2
		case strings.ContainsRune(" -./()", r):
			signs++
		default:
			return false
		}
	}
	return digits >= 7 && digits <= 15 && signs >= 2 && !isDate(text) && !dateForm(text) &&
		!yearForm(text) && !isNumber(text) && !pointForm(text) && !versionForm(text) &&
		!pairForm(text)
}

// pairForm matches two numbers with a slash between them, as the two of a blood pressure.
var pairForm = matches(`^\d{2,3}(\.\d{1,3})? ?/ ?\d{2,3}(\.\d{1,3})?$`)

// versionForm matches versions of programs, as 110.0.1587.69.
var versionForm = matches(`^\d+(\.\d+)*\.\d(\.\d+)*$`)

// pointForm matches the two coordinates of a point, as 40.7128 -74.0060.
var pointForm = matches(`^\(?[+-]?\d{1,3}\.\d+ +[+-]?\d{1,3}\.\d+\)?$`)

// dateForm matches dates with the year at the end, which may have two digits. Numbers that are no
// months and days may occur by mistake.
var dateForm = matches(`^\d{1,2}[/.-]\d{1,2}[/.-](\d{2}|\d{4})([T ].*)?$`)

// yearForm matches two years, as 2008 - 2010.
var yearForm = matches(`^[12]\d{3} ?- ?[12]\d{3}$`)

func isAddress(text string) bool {
	_, err := netip.ParseAddr(text)
	return err == nil
}

var ibanForm = matches(`^[A-Z]{2}[0-9]{2}[0-9A-Z]{11,30}$`)

// isIBAN checks the remainder of an international account number (ISO 13616).
func isIBAN(text string) bool {
	text = strings.ToUpper(strings.ReplaceAll(text, " ", ""))
	if !ibanForm(text) {
		return false
	}
	remainder := 0
	for i, r := range text[4:] + text[:4] {
		switch {
		case r >= '0' && r <= '9' && i != len(text)-4 && i != len(text)-3:
			remainder = (remainder*10 + int(r-'0')) % 97
		case r >= 'A' && r <= 'Z':
			remainder = (remainder*100 + int(r-'A') + 10) % 97
		default:
			return false
		}
	}
	return remainder == 1
}

// isCard checks the last digit of a payment card's number (ISO 7812).
func isCard(text string) bool {
	digits := strings.NewReplacer(" ", "", "-", "").Replace(text)
	if len(digits) < 13 || len(digits) > 19 {
		return false
	}
	sum := 0
	for i := range digits {
		n := int(digits[len(digits)-1-i] - '0')
		if n < 0 || n > 9 {
			return false
		}
		if i%2 == 1 {
			n = n*2%10 + n/5
		}
		sum += n
	}
	return sum%10 == 0
}

// isCode requires few characters that are usual in keys, with digits among them, but not those of a
// height in feet and inches, as 5-11.
func isCode(text string) bool {
	return len(text) >= 3 && len(text) <= 12 && codeForm(text) && !feetForm(text)
}

var feetForm = matches(`^[2-7] ?(-|['’′]|(ft|feet)\.?) ?((\d|1[01]) ?(["”″]|''|in\.?|inch(es)?)?)?$`)

// isMeant accepts texts that mean something among numbers: codes of any length with a letter, and
// numbers with signs between groups of digits.
func isMeant(text string) bool {
	return len(text) <= 12 && codeForm(text) && strings.ContainsFunc(text, unicode.IsUpper) ||
		groupedForm(text)
}

var groupedForm = matches(`^[+-]?\d{1,3}((,\d{2})*[., '’]\d{3})+([.,]\d{1,20})?$`)

var codeForm = matches(`^[A-Z./-]*[0-9][0-9A-Z./-]*$`)
