package csvfile

import (
	"math"
	"strconv"
	"strings"

	"github.com/kcut/kcut/formats"
)

// guessOfNumber tells integers and floats apart: -?digits, with a point anywhere but alone, and
// an exponent. Codes that only look like numbers (a leading zero, more digits than a float
// keeps) are neither.
func guessOfNumber(text string) guess {
	if plus, signed := strings.CutPrefix(text, "+"); signed {
		return guessOfNumber(strings.TrimPrefix(plus, "-")) & guessNumber
	}
	whole, negative := strings.CutPrefix(text, "-")
	digits := countDigits(whole)
	rest, all := whole[digits:], digits
	switch {
	case digits > 1 && whole[0] == '0':
		return 0
	case digits > 0 && rest == "" && !(negative && whole == "0"): // -0 is no integer
		return guessInteger(text, digits)
	}
	if strings.HasPrefix(rest, ".") {
		fraction := countDigits(rest[1:])
		rest, all = rest[1+fraction:], all+fraction
	}
	if all == 0 || rest != "" && (rest[0]|0x20 != 'e' || !isExponent(rest[1:])) {
		return 0
	}
	if rest != "" || digits > 300 { // it may be too large
		if _, err := strconv.ParseFloat(text, 64); err != nil {
			return 0
		}
	}
	if isExact(text, whole, digits, all) {
		return guessFloat | guessExact | guessNumber
	}
	return guessFloat | guessNumber
}

// floatDigits is how many digits every float keeps.
const floatDigits = 15

func guessInteger(text string, digits int) (g guess) {
	if digits <= floatDigits {
		return guessInt | guessFloat | guessExact | guessNumber
	}
	if _, err := strconv.ParseInt(text, 10, 64); err != nil {
		return 0
	}
	return guessInt | guessNumber
}

// isExact reports whether the text of a number is the one that its float has: see formats.AppendFloat. It
// has so many digits before the point, behind a minus, and so many in all.
func isExact(text, whole string, digits, all int) bool {
	last := text[len(text)-1]
	plain := digits > 0 && digits < all && len(whole) == all+1 // there is no exponent
	if plain && all <= floatDigits && (whole[0] != '0' || whole[2] != '0') {
		return last != '0'
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || x == 0 { // whose minus is no part of the number
		return text == "0"
	}
	var memory [32]byte
	return string(formats.AppendFloat(memory[:0], x, 64)) == text
}

// countDigits returns how many digits text starts with.
func countDigits(text string) (n int) {
	for n < len(text) && text[n]-'0' <= 9 {
		n++
	}
	return n
}

// decimalParts returns how many digits a number that is written with a point and no exponent has before
// it, and behind it. It is not ok when another text stands for the same decimal.
func decimalParts(text string) (whole, fraction int, ok bool) {
	digits, negative := strings.CutPrefix(text, "-")
	if whole = countDigits(digits); whole == 0 || whole > 1 && digits[0] == '0' || whole == len(digits) || digits[whole] != '.' {
		return 0, 0, false
	}
	fraction = countDigits(digits[whole+1:])
	zero := negative && strings.Trim(digits, "0.") == ""
	return whole, fraction, fraction > 0 && whole+1+fraction == len(digits) && !zero
}

// isExponent reports whether text is digits, perhaps after a sign, of a number that is not
// absurd.
func isExponent(text string) bool {
	if text != "" && (text[0] == '-' || text[0] == '+') {
		text = text[1:]
	}
	e := 0
	for _, c := range []byte(text) {
		if c-'0' > 9 || e > math.MaxInt16 {
			return false
		}
		e = e*10 + int(c-'0')
	}
	return text != ""
}
