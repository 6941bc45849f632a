package draft

import (
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/forecast"
)

// Profile is what some rows show of a column.
type Profile struct {
	Field forecast.Sighting // of the values; its Rows are those that are not null
	Rows  int64             // that were looked at

	name  string
	typ   formats.Type
	place int // in the excerpt, -1 of a column that cannot be read
	texts textProfile
	role  *Role // what is proposed
}

// textProfile counts rows by what their texts look like. Only columns of texts have one.
type textProfile struct {
	forms   [patterns]int64
	broken  int64 // not UTF-8
	marks   int64 // the mark of suppressed values
	spaces  int64 // between words
	length  int64 // in characters
	longest int
	low     float64 // of numbers
	high    float64
}

// observe counts the rows of a batch. It returns its scratch space.
func (p *Profile) observe(column *formats.Column, counts []int64) []int64 {
	p.Rows += int64(len(column.Codes))
	if p.typ.Kind != formats.String {
		return counts
	}
	if n := column.Values.Len() + 1; cap(counts) < n {
		counts = make([]int64, n)
	}
	counts = counts[:column.Values.Len()+1]
	clear(counts)
	for _, code := range column.Codes {
		counts[code]++
	}
	for i, n := range counts[1:] {
		if n > 0 {
			p.texts.observe(column.Values.Bytes(i), n)
		}
	}
	return counts
}

// observe counts n rows with a text.
func (t *textProfile) observe(value []byte, n int64) {
	if !utf8.Valid(value) {
		t.broken += n
		return
	}
	text := string(value)
	if text == engine.Suppressed {
		t.marks += n
	}
	size := utf8.RuneCountInString(text)
	t.length += n * int64(size)
	t.longest = max(t.longest, size)
	t.spaces += n * int64(strings.Count(strings.TrimSpace(text), " "))
	if size > mostMatched {
		return
	}
	for form, match := range forms {
		if text != "" && match(text) {
			t.forms[form] += n
		}
	}
	if x, err := strconv.ParseFloat(text, 64); err == nil && forms[number](text) {
		t.low, t.high = min(t.low, x), max(t.high, x)
	}
}

// mostMatched is how many characters a text has at most that is held against forms.
const mostMatched = 200

// share returns the part of the rows with a value whose text has a form.
func (p *Profile) share(form pattern) float64 {
	return float64(p.texts.forms[form]) / float64(max(1, p.Field.Rows))
}

// distinctShare is how many of the rows with a value have one of their own, about: 1 when all
// differ.
func (p *Profile) distinctShare() float64 {
	return float64(p.Field.Distinct) / float64(max(1, p.Field.Rows))
}

// isProse reports whether texts are long, or of many words.
func (p *Profile) isProse() bool {
	rows := float64(max(1, p.Field.Rows))
	return float64(p.texts.length)/rows > 60 || float64(p.texts.spaces)/rows > 4 && p.distinctShare() > 0.1
}

// pattern is a form that texts of a column may have.
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
	zip
	diagnosis
	code
	number
	patterns // how many there are
)

// forms decide whether a text, which is not empty, has a form.
var forms = [patterns]func(text string) bool{
	email:          matches(`^[^@\s]+@[^@\s]+\.[^@\s.]+$`),
	phone:          isPhone,
	url:            matches(`^[a-z][a-z0-9+.-]*://\S+$`),
	address:        isAddress,
	uuid:           matches(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`),
	iban:           isIBAN,
	card:           isCard,
	socialSecurity: matches(`^\d{3}-\d{2}-\d{4}$`),
	isoDate:        isDate,
	zip:            matches(`^\d{5}(-\d{4})?$`),
	diagnosis:      matches(`^[A-Z]\d[0-9A-Z](\.?[0-9A-Z]{1,4})?$`), // ICD-10
	code:           isCode,
	number:         matches(`^[+-]?\d{1,15}(\.\d{1,15})?$`),
}

var isDate = matches(`^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])([T ].*)?$`)

func matches(pattern string) func(text string) bool { return regexp.MustCompile(pattern).MatchString }

// isPhone wants 7 to 15 digits and what nobody writes in a plain number.
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
	return digits >= 7 && digits <= 15 && signs >= 2 && !isDate(text)
}

func isAddress(text string) bool {
	_, err := netip.ParseAddr(text)
	return err == nil
}

// isIBAN checks the remainder of an international account number (ISO 13616).
func isIBAN(text string) bool {
	text = strings.ToUpper(strings.ReplaceAll(text, " ", ""))
	if len(text) < 15 || len(text) > 34 {
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

// isCode wants few characters that a key is made of, digits among them.
func isCode(text string) bool { return len(text) >= 3 && len(text) <= 12 && codeForm(text) }

var codeForm = matches(`^[A-Z./-]*[0-9][0-9A-Z./-]*$`)
