package taxonomy

import (
	"cmp"
	"strconv"
	"strings"
)

// decimal is a number to be compared exactly: 0.d₁d₂d₃… × 10^exponent, negative or not.
type decimal struct {
	sign     int // of the number: -1, 0 or 1
	exponent int
	digits   string // without zeros at their start and end
}

// maxExponentDigits is how long a written exponent may be.
const maxExponentDigits = 3

// parseDecimal reads an optional sign, digits with an optional point among or around them,
// and an optional exponent.
func parseDecimal(text string) (d decimal, ok bool) {
	d.sign = 1
	if text != "" && (text[0] == '-' || text[0] == '+') {
		if text[0] == '-' {
			d.sign = -1
		}
		text = text[1:]
	}
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		power, err := strconv.Atoi(text[at+1:])
		if err != nil || len(strings.TrimLeft(text[at+1:], "+-")) > maxExponentDigits {
			return decimal{}, false
		}
		text, d.exponent = text[:at], power
	}
	whole, fraction, _ := strings.Cut(text, ".")
	d.digits = whole + fraction
	d.exponent += len(whole)
	for _, digit := range []byte(d.digits) {
		if digit < '0' || '9' < digit {
			return decimal{}, false
		}
	}
	if d.digits == "" {
		return decimal{}, false
	}
	significant := strings.TrimLeft(d.digits, "0")
	d.exponent -= len(d.digits) - len(significant)
	if d.digits = strings.TrimRight(significant, "0"); d.digits == "" {
		return decimal{}, true
	}
	return d, true
}

// compare orders numbers by value.
func (d *decimal) compare(other *decimal) int {
	if d.sign != other.sign {
		return cmp.Compare(d.sign, other.sign)
	}
	return d.sign * cmp.Or(cmp.Compare(d.exponent, other.exponent), strings.Compare(d.digits, other.digits))
}
