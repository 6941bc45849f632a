package draft

import (
	"slices"
	"strings"
	"unicode"
)

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
}

// has reports whether a column's name has the meaning.
func (w *words) has(name []string) bool {
	if slices.Contains(w.whole, strings.Join(name, "")) {
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
		"contactname", "holdername"}, whole: []string{"name"}},
	{meaning: "e-mail addresses", alone: []string{"email", "mail"}},
	{meaning: "telephone numbers", alone: []string{"phone", "telephone", "mobile", "fax", "tel", "msisdn"}},
	{meaning: "street addresses", alone: []string{"address", "street", "addr"}, whole: []string{"housenumber"}},
	{meaning: "numbers of people", alone: []string{"ssn", "nino", "passport", "mrn", "aadhaar", "cpf", "curp", "pesel", "taxid", "tin", "licence", "license"}, whole: []string{
		"socialsecuritynumber", "socialsecurity", "nationalid", "nhsnumber", "medicalrecordnumber", "insurancenumber", "policynumber",
	}},
	{meaning: "accounts", alone: []string{"iban", "imei", "imsi", "mac", "token", "password", "secret"}, whole: []string{
		"creditcard", "cardnumber", "cardno", "accountnumber", "accountno", "account", "deviceid", "cookie", "ip", "ipaddress",
	}},
	{meaning: "identifiers", alone: []string{"id", "uuid", "guid", "pk", "key"}, whole: []string{"index", "rowid", "rownumber", "serialnumber"}},
}

// directMeaning returns what the name of a column says that tells who somebody is, or nothing.
func directMeaning(name []string) string {
	for i := range direct {
		if direct[i].has(name) {
			return direct[i].meaning
		}
	}
	return ""
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
