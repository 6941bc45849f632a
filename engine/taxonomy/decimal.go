package taxonomy

import (
	"cmp"
	"strings"
)

// decimal is a number as it is written, to be compared exactly: 0.d₁d₂d₃… × 10^exponent,
// negative or not. It refers to the text.
type decimal struct {
	sign     int // of the number: -1, 0 or 1
	exponent int
	leading  uint64 // the first leadingDigits digits, zeros where there are fewer
	// The digits lie before and after a point, without zeros at their start and end.
	whole, fraction string
}

// leadingDigits is how many digits most numbers do not exceed, and 64 bits hold.
const leadingDigits = 19

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
	d.whole, text = leadingNumber(text)
	if text != "" && text[0] == '.' {
		d.fraction, text = leadingNumber(text[1:])
	}
	if d.whole == "" && d.fraction == "" {
		return decimal{}, false
	}
	power, ok := parseExponent(text)
	if !ok {
		return decimal{}, false
	}
	d.normalize(power)
	return d, true
}

// leadingNumber cuts a text after its leading digits.
func leadingNumber(text string) (digits, rest string) {
	n := 0
	for n < len(text) && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	return text[:n], text[n:]
}

// parseExponent reads what stands after the digits: nothing, or e, a sign and a few digits.
func parseExponent(text string) (power int, ok bool) {
	if text == "" {
		return 0, true
	}
	if text[0] != 'e' && text[0] != 'E' {
		return 0, false
	}
	sign := 1
	if text = text[1:]; text != "" && (text[0] == '-' || text[0] == '+') {
		if text[0] == '-' {
			sign = -1
		}
		text = text[1:]
	}
	digits, rest := leadingNumber(text)
	if rest != "" || digits == "" || len(digits) > maxExponentDigits {
		return 0, false
	}
	for _, digit := range []byte(digits) {
		power = power*10 + int(digit-'0')
	}
	return sign * power, true
}

// normalize takes zeros off both ends of the digits.
func (d *decimal) normalize(power int) {
	d.whole = strings.TrimLeft(d.whole, "0")
	d.exponent = len(d.whole) + power
	if d.whole == "" {
		fraction := strings.TrimLeft(d.fraction, "0")
		d.exponent -= len(d.fraction) - len(fraction)
		d.fraction = fraction
	}
	if d.fraction = strings.TrimRight(d.fraction, "0"); d.fraction == "" {
		d.whole = strings.TrimRight(d.whole, "0")
	}
	if d.len() == 0 {
		*d = decimal{}
		return
	}
	for i := range leadingDigits {
		d.leading *= 10
		if i < d.len() {
			d.leading += uint64(d.digit(i) - '0')
		}
	}
}

func (d *decimal) len() int { return len(d.whole) + len(d.fraction) }

func (d *decimal) digit(i int) byte {
	if i < len(d.whole) {
		return d.whole[i]
	}
	return d.fraction[i-len(d.whole)]
}

// compare orders numbers by value.
func (d *decimal) compare(other *decimal) int {
	if d.sign != other.sign || d.sign == 0 {
		return cmp.Compare(d.sign, other.sign)
	}
	order := cmp.Or(cmp.Compare(d.exponent, other.exponent), cmp.Compare(d.leading, other.leading))
	for i := leadingDigits; order == 0 && i < min(d.len(), other.len()); i++ {
		order = cmp.Compare(d.digit(i), other.digit(i))
	}
	if order == 0 { // of two that begin alike, the longer is larger: it does not end with zeros
		order = cmp.Compare(max(d.len(), leadingDigits), max(other.len(), leadingDigits))
	}
	return order * d.sign
}
