package draft

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/job"
)

// Role is what is proposed for a column.
type Role struct {
	Mask     string
	Taxonomy string // of generalize, a generator as YAML
	Reason   string
	Repeats  bool // it belongs to one person, of whom there are several rows
}

// masked reports whether the column is proposed as a quasi-identifier.
func (r *Role) masked() bool { return r.Mask != job.MaskKeep && r.Mask != job.MaskDrop }

func drop(format string, args ...any) *Role {
	return &Role{Mask: job.MaskDrop, Reason: fmt.Sprintf(format, args...)}
}

// roleOf proposes what becomes of a column that is not the class.
func roleOf(p *Profile) *Role {
	if role := unusable(p); role != nil {
		return role
	}
	if role := identifying(p); role != nil {
		return role
	}
	return quasiIdentifier(p)
}

// unusable drops what no mask is for.
func unusable(p *Profile) *Role {
	switch kind := p.typ.Kind; {
	case p.name == "":
		return drop("it has no name, as pandas' row numbers have none: only kept or dropped")
	case kind == formats.Nested:
		return drop("nested: it can be kept or dropped, not masked")
	case kind == formats.Binary:
		return drop("bytes whose meaning nobody declares")
	case p.Field.Rows == 0:
		return drop("no row that was looked at has a value")
	case p.texts.broken > 0:
		return drop("%s values are not UTF-8", text.Grouped(p.texts.broken))
	case p.texts.marks > 0:
		return drop("%s values are the mark of a suppressed value itself", text.Grouped(p.texts.marks))
	}
	return nil
}

// directPatterns tell who somebody is, when so large a part of the values has them.
var directPatterns = []struct {
	form  pattern
	part  float64
	looks string
	owned bool // each belongs to one person
}{
	{email, 0.05, "e-mail addresses", true},
	{socialSecurity, 0.05, "social security numbers", true},
	{iban, 0.05, "account numbers", true},
	{card, 0.5, "numbers of payment cards", true},
	{phone, 0.5, "telephone numbers", true},
	{url, 0.5, "addresses of web pages", false},
	{address, 0.5, "network addresses", false},
	{uuid, 0.5, "UUIDs", true},
}

const (
	// What many different values are: a column with the name of an identifier has fewer only when it
	// is about something else.
	manyValues = 200
	manyShare  = 0.05
	// fewRows is so few that values may differ by chance, fewCodes so few that their first characters
	// need not mean anything.
	fewRows  = 20
	fewCodes = 20
	// most is the part of the values that must have a form before a column is taken for such.
	most = 0.95
)

// uniqueShare is the part of the rows that have a value of their own in a column that tells who
// somebody is. Measurements may have that, too, unless they are whole numbers that are all
// different.
var uniqueShare = map[formats.Kind]float64{formats.String: 0.9, formats.Int: 0.99, formats.Uint: 0.99}

// identifying drops what tells who somebody is, by what it looks like, what it is called, or since
// nobody else has the value; and free text.
func identifying(p *Profile) *Role {
	if p.typ.Kind == formats.UUID {
		return drop("UUIDs").repeating(p, true)
	}
	for _, d := range directPatterns {
		if p.share(d.form) >= d.part {
			return drop("%s of %s values look like %s", text.Grouped(p.texts.forms[d.form]), text.Grouped(p.Field.Rows), d.looks).repeating(p, d.owned)
		}
	}
	meaning, many := directMeaning(wordsOf(p.name)), p.Field.Distinct >= manyValues || p.distinctShare() >= manyShare
	least, countable := uniqueShare[p.typ.Kind]
	switch {
	case meaning.meaning != "" && many && p.typ.Kind != formats.Boolean:
		return drop("called like %s, with %s", meaning.meaning, distinctValues(p)).repeating(p, !meaning.shared)
	case countable && p.Field.Rows >= fewRows && p.distinctShare() >= least:
		return drop("nearly every row has a value of its own: %s in %s rows", text.Grouped(p.Field.Distinct), text.Grouped(p.Field.Rows)).repeating(p, true)
	case p.isProse():
		return drop("free text, %d characters long on average", p.texts.length/p.Field.Rows)
	}
	return nil
}

// mostOnce is the part of the rows up to which values of an identifier repeat, and not by mistake.
const mostOnce = 0.98

// repeating says of an identifier whose values belong to one person each whether they repeat.
func (r *Role) repeating(p *Profile, owned bool) *Role {
	r.Repeats = owned && p.Field.Distinct >= 2 && p.distinctShare() <= mostOnce
	return r
}

// dates are the levels that dates are generalized to.
const dates = "{date: [month, year, decade]}"

// quasiIdentifier masks what has an order by intervals, dates and numbers that are texts by units
// and ranges, codes by their first characters, and everything else by suppressing it: values of
// which enough records have the same are disclosed.
func quasiIdentifier(p *Profile) *Role {
	kind, name, rows, many := p.typ.Kind, wordsOf(p.name), p.Field.Rows, p.Field.Distinct > fewCodes
	distinct := distinctValues(p)
	generalize := func(taxonomy, why string) *Role {
		return &Role{Mask: job.MaskGeneralize, Taxonomy: taxonomy, Reason: why + ", " + distinct}
	}
	switch {
	case p.typ.Ordered() && places.has(name):
		return &Role{Mask: job.MaskDiscretize, Reason: distinct + "; coordinates tell an address"}
	case kind == formats.Date || kind == formats.Timestamp:
		return &Role{Mask: job.MaskDiscretize, Reason: distinct + "; or generalize by " + dates}
	case p.typ.Ordered():
		return &Role{Mask: job.MaskDiscretize, Reason: distinct}
	case p.texts.forms[isoDate] >= rows:
		return generalize(dates, "dates as text")
	case p.share(zip) >= most && many:
		return generalize("{prefix: [5, 3, 1]}", "like zip codes")
	case p.share(diagnosis) >= most && many:
		return generalize("{prefix: [3, 1]}", "like ICD codes")
	case postal.has(name) && p.texts.longest <= 12:
		return generalize("{prefix: [5, 3, 1]}", "called like zip codes")
	case p.share(code) >= most && p.share(number) < most && many:
		length := p.texts.longest // of whose codes a third and two thirds are released
		return generalize(fmt.Sprintf("{prefix: [%d, %d]}", max(2, length*2/3), max(1, length/3)), "like codes")
	case p.texts.forms[number] >= rows && many:
		return generalize(roundRanges(p.texts.low, p.texts.high), "numbers as text")
	}
	return &Role{Mask: job.MaskSuppress, Reason: distinct}
}

func distinctValues(p *Profile) string {
	if p.Field.Distinct == 1 {
		return "one value"
	}
	return text.Grouped(p.Field.Distinct) + " distinct values"
}

// mostEdges is how many ranges a draft has, about.
const mostEdges = 8

// roundRanges is a generator of ranges with round ends that cover the numbers from low to
// high. The ends depend on the order of magnitude only: they are no values of the data.
func roundRanges(low, high float64) string {
	step := roundUp((high - low) / mostEdges)
	first := math.Floor(low / step)
	var edges []string
	for i := first; i*step <= high || len(edges) < 2; i++ {
		text := strconv.FormatFloat(i*step, 'f', 12, 64) // without the noise of the last bits
		edges = append(edges, strings.TrimSuffix(strings.TrimRight(text, "0"), "."))
	}
	return "{ranges: [" + strings.Join(edges, ", ") + "]}"
}

// roundUp returns the next number that is 1, 2 or 5 times a power of ten.
func roundUp(x float64) float64 {
	if x <= 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, digit := range []float64{1, 2, 5} {
		if x <= digit*power {
			return digit * power
		}
	}
	return 10 * power
}

// wordsOf cuts a column's name into lower-case words: at what is no letter or digit, and
// before a capital that follows a small letter.
func wordsOf(name string) []string {
	var text strings.Builder
	small := false
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			text.WriteByte(' ')
		case unicode.IsUpper(r) && small:
			text.WriteByte(' ')
			fallthrough
		default:
			text.WriteRune(unicode.ToLower(r))
		}
		small = unicode.IsLower(r)
	}
	return strings.Fields(text.String())
}

// words are the names of one meaning.
type words struct {
	meaning string
	alone   []string // a word of the name, or two that follow one another are among these
	whole   []string // the name's words together are one of these
	last    []string // the last of several words is one of these
	shared  bool     // people share them
}

// has reports whether a column's name has the meaning.
func (w *words) has(name []string) bool {
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

// direct are the names of columns that tell who somebody is.
var direct = []words{
	{meaning: "names of people", alone: []string{"surname", "firstname", "lastname", "forename", "fullname", "username", "nickname", "login", "middlename", "familyname", "givenname",
		"maidenname", "patientname", "customername", "personname", "employeename", "clientname", "membername", "studentname", "mothername", "fathername",
		"contactname", "holdername"}, whole: []string{"name"}, shared: true},
	{meaning: "e-mail addresses", alone: []string{"email", "mail"}},
	{meaning: "telephone numbers", alone: []string{"phone", "telephone", "mobile", "fax", "tel", "msisdn"}},
	{meaning: "street addresses", alone: []string{"address", "street", "addr"}, whole: []string{"housenumber"}, shared: true},
	{meaning: "numbers of people", alone: []string{"ssn", "nino", "passport", "mrn", "aadhaar", "cpf", "curp", "pesel", "taxid", "tin", "licence", "license"}, whole: []string{
		"socialsecuritynumber", "socialsecurity", "nationalid", "nhsnumber", "medicalrecordnumber", "insurancenumber", "policynumber",
	}},
	{meaning: "accounts", alone: []string{"iban", "imei", "imsi", "mac", "token", "password", "secret"}, whole: []string{
		"creditcard", "cardnumber", "cardno", "accountnumber", "accountno", "account", "deviceid", "cookie", "ip", "ipaddress",
	}},
	{meaning: "identifiers", alone: []string{"id", "uuid", "guid", "pk", "key", "nbr"}, whole: []string{"index", "rowid", "rownumber", "serialnumber", "number"},
		last: []string{"number", "nr", "no"}},
}

// directMeaning returns what the name of a column says that tells who somebody is, or one that is empty.
func directMeaning(name []string) words {
	for i := range direct {
		if direct[i].has(name) {
			return direct[i]
		}
	}
	return words{}
}

// known are the names of what is widely known of people.
var known = words{alone: []string{
	"age", "birth", "birthday", "birthdate", "dob", "born", "sex", "gender", "zip", "zipcode", "postal", "postcode", "postalcode", "plz", "city", "town",
	"state", "county", "country", "region", "district", "municipality", "province", "race", "ethnicity", "nationality", "citizenship", "native", "foreign",
	"marital", "married", "education", "school", "degree", "occupation", "job", "profession", "employer", "workclass", "religion", "language",
	"height", "weight", "admission", "admitted", "discharge", "discharged", "death", "died", "diagnosis", "latitude", "longitude", "lat", "lon", "lng",
}}

// places are the names of coordinates.
var places = words{alone: []string{"latitude", "longitude", "lat", "lon", "lng"}}

// postal are the names of columns of zip codes.
var postal = words{alone: []string{"zip", "zipcode", "postal", "postcode", "postalcode", "plz"}}

// predicted are the names of what models are trained to tell, the likeliest first.
var predicted = []string{"class", "label", "target", "outcome", "income", "response", "y", "churn", "churned", "default", "survived", "readmitted", "fraud"}
