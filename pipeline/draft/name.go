package draft

import (
	"slices"
	"strings"
	"unicode"
)

// wordsOf splits a column's name into lower-case words: at characters other than letters and
// digits, and before a capital that follows a small letter.
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

// words are the names with one meaning.
type words struct {
	meaning string
	alone   []string // a word of the name, or two consecutive ones together, is one of these
	whole   []string // the name's words together are one of these
	last    []string // the last of several words is one of these
	shared  bool     // several people have the same value
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

// The meanings that other code needs.
const (
	namesOfPeople = "names of people"
	identifiers   = "identifiers"
)

// direct are the names of columns that identify people.
var direct = []words{
	{
		meaning: namesOfPeople,
		alone: []string{"surname", "firstname", "lastname", "forename", "fullname", "username",
			"nickname", "login", "middlename", "familyname", "givenname",
			"maidenname", "patientname", "customername", "personname", "employeename", "clientname",
			"membername", "studentname", "mothername", "fathername",
			"contactname", "holdername"}, whole: []string{"name"}, shared: true},
	{meaning: "e-mail addresses", alone: []string{"email", "mail"}},
	{
		meaning: "telephone numbers",
		alone:   []string{"phone", "telephone", "mobile", "fax", "tel", "msisdn"},
	},
	{
		meaning: "street addresses",
		alone:   []string{"address", "street", "addr"},
		whole:   []string{"housenumber"},
		shared:  true,
	},
	{
		meaning: "numbers of people",
		alone: []string{"ssn", "nino", "passport", "mrn", "aadhaar", "cpf", "curp", "pesel",
			"taxid", "tin", "licence", "license"},
		whole: []string{
			"socialsecuritynumber", "socialsecurity", "nationalid", "nhsnumber",
			"medicalrecordnumber",
			"insurancenumber", "policynumber",
		}},
	{
		meaning: "accounts",
		alone:   []string{"iban", "imei", "imsi", "mac", "token", "password", "secret"},
		whole: []string{
			"creditcard", "cardnumber", "cardno", "accountnumber", "accountno", "account",
			"deviceid",
			"cookie", "ip", "ipaddress",
		}},
	{
		meaning: "web pages",
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
		alone:   []string{"id", "uuid", "guid", "pk", "key", "nbr"},
		whole: []string{
			"index", "rowid", "rownumber", "serialnumber", "number", "patient", "person",
			"customer",
			"client", "user", "member", "subject", "employee", "student", "respondent",
		},
		last: []string{"number", "nr", "no"}},
}

// directMeaning returns the meaning of a column's name that identifies people, or an empty one.
func directMeaning(name []string) words {
	for i := range direct {
		if direct[i].has(name) {
			return direct[i]
		}
	}
	return words{}
}

// places are the names of coordinates.
var places = words{alone: []string{"latitude", "longitude", "lat", "lon", "lng"}}

// postal are the names of columns of zip codes.
var postal = words{alone: []string{"zip", "zipcode", "postal", "postcode", "postalcode", "plz"}}

// diagnoses are the names of columns of codes of diseases.
var diagnoses = words{alone: []string{"diagnosis", "diagnoses", "diag", "icd", "icd9", "icd10"}}

// births are the names of columns of dates of birth.
var births = words{alone: []string{"birth", "birthday", "birthdate", "birthyear", "dob", "born"}}

// nameParts are the names of columns of parts of people's names, if nothing else is in the name.
var nameParts = words{whole: []string{"first", "last", "middle", "given", "family", "fname",
	"lname", "mname", "initials", "maiden"}}
