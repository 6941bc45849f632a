package csvfile

import (
	"math"
	"strconv"
	"strings"

	"github.com/kcut/kcut/formats"
)

// floatForms are the forms of floats.
var floatForms = []guess{guessExact, guessPython, guessJava, guessR}

// formsOf returns the forms of floats in which the text of a number that is no integer may be
// written. It has digits digits before the point.
func formsOf(text string, digits int) guess {
	whole := strings.TrimPrefix(text, "-")
	if digits == 0 || digits == len(whole) || whole[digits] != '.' {
		return formsByWriting(text)
	}
	fraction := whole[digits+1:]
	all := digits + countDigits(fraction)
	switch {
	case len(whole) != all+1, all == digits: // an exponent, or no digits behind the point
		return formsByWriting(text)
	case fraction == "0" && all <= floatDigits && whole[0] != '0':
		return guessPython | formOfJava(digits, 0)
	case fraction == "0":
		return formsByWriting(text)
	case fraction[len(fraction)-1] == '0':
		return 0
	}
	zeros, significant := 0, all
	if whole[0] == '0' {
		zeros = len(fraction) - len(strings.TrimLeft(fraction, "0"))
		significant = len(fraction) - zeros
	}
	switch {
	case zeros > 2 || digits > floatDigits:
		return formsByWriting(text)
	case significant > floatDigits && !isShortest(text):
		return 0
	case significant > floatDigits:
		return guessExact | guessPython | formOfJava(digits, zeros)
	}
	return guessExact | guessPython | formOfJava(digits, zeros) | formOfR(len(whole), significant)
}

// isShortest reports whether kcut writes a float in this text.
func isShortest(text string) bool {
	var memory [64]byte
	x, err := strconv.ParseFloat(text, 64)
	return err == nil && string(formats.AppendFloat(memory[:0], x, 64)) == text
}

// formOfJava returns Java's form for a number without an exponent, if Java writes it without one.
// The number has digits digits before the point, or zeros zeros behind that of 0.
func formOfJava(digits, zeros int) guess {
	if digits > 7 || zeros > 2 {
		return 0
	}
	return guessJava
}

// formOfR returns R's form for a text of characters characters without an exponent, unless it would
// be shorter with one, as 1e+05. The number has significant digits without the zeros at its ends.
func formOfR(characters, significant int) guess {
	if significant > 1 {
		significant++ // for the point
	}
	if characters > significant+len("e+05") {
		return 0
	}
	return guessR
}

// formsByWriting returns the forms in which the number is written as this text.
func formsByWriting(text string) (forms guess) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || x == 0 && text[0] == '-' { // its minus is no part of the number
		return 0
	}
	var memory [64]byte
	for _, form := range floatForms {
		if string(form.appendFloat(memory[:0], x)) == text {
			forms |= form
		}
	}
	return forms
}

// appendFloat appends a number in a form.
func (g guess) appendFloat(text []byte, x float64) []byte {
	size := math.Abs(x)
	within := func(low, high float64) bool { return x == 0 || size >= low && size < high }
	switch {
	case g == guessPython && within(1e-4, 1e16), g == guessJava && within(1e-3, 1e7):
		return appendPoint(strconv.AppendFloat(text, x, 'f', -1, 64))
	case g == guessPython:
		return strconv.AppendFloat(text, x, 'e', -1, 64)
	case g == guessJava: // 1.0E7, 1.5E-4
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'E', -1, 64), "E")
		e, _ := strconv.Atoi(exponent)
		return strconv.AppendInt(append(appendPoint(append(text, mantissa...)), 'E'), int64(e), 10)
	case g == guessR:
		return appendR(text, x)
	}
	return formats.AppendFloat(text, x, 64)
}

// appendPoint appends the end of a float without a fraction in Python and Java.
func appendPoint(text []byte) []byte {
	if strings.Contains(asString(text), ".") {
		return text
	}
	return append(text, ".0"...)
}

// appendR appends a number in the form of R: the shorter of the two notations, with up to 15
// digits. It appends nothing if more are needed.
func appendR(text []byte, x float64) []byte {
	long, short := strconv.FormatFloat(x, 'f', -1, 64), strconv.FormatFloat(x, 'e', -1, 64)
	mantissa, _, _ := strings.Cut(short, "e")
	switch digits := len(strings.Trim(strings.ReplaceAll(mantissa, ".", ""), "-")); {
	case digits > floatDigits:
		return text
	case len(long) <= len(short):
		return append(text, long...)
	}
	return append(text, short...)
}
