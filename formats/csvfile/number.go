package csvfile

import (
	"strconv"
	"strings"
)

// guessOfNumber distinguishes integers and floats: -?digits, with a point anywhere but alone, and
// an exponent. Codes that only look like numbers (a leading zero, more digits than a float keeps)
// are neither.
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
	if all == 0 || rest != "" && rest[0]|0x20 != 'e' {
		return 0
	}
	if rest != "" || digits > 300 { // it may be no exponent, or too large
		if _, err := strconv.ParseFloat(text, 64); err != nil {
			return 0
		}
	}
	return guessFloat | guessNumber | formsOf(text, digits)
}

// floatDigits is the number of digits that every float keeps.
const floatDigits = 15

func guessInteger(text string, digits int) (g guess) {
	if digits <= floatDigits {
		whole := text[len(text)-digits:]
		return guessInt | guessFloat | guessExact | guessNumber |
			formOfR(digits, len(strings.TrimRight(whole, "0")))
	}
	if _, err := strconv.ParseInt(text, 10, 64); err != nil {
		return 0
	}
	return guessInt | guessNumber
}

// countDigits returns the number of digits at the start of text.
func countDigits(text string) (n int) {
	for n < len(text) && text[n]-'0' <= 9 {
		n++
	}
	return n
}

// decimalParts returns the numbers of digits before and behind the point of a number without an
// exponent. It is not ok when the same decimal has another text.
func decimalParts(text string) (whole, fraction int, ok bool) {
	digits, negative := strings.CutPrefix(text, "-")
	if whole = countDigits(digits); whole == 0 || whole > 1 && digits[0] == '0' ||
		whole == len(digits) || digits[whole] != '.' {
		return 0, 0, false
	}
	fraction = countDigits(digits[whole+1:])
	zero := negative && strings.Trim(digits, "0.") == ""
	return whole, fraction, fraction > 0 && whole+1+fraction == len(digits) && !zero
}
