package csvfile

import (
	"bytes"
	"strings"

	"github.com/kcut/kcut/formats"
)

// numerals is a form of numbers other than kcut's own: with a decimal comma, or in groups of three
// digits, before which commas may separate groups of two, as in India. If only the decimal sign is
// declared, the other sign separates groups in a number that has both.
type numerals struct {
	decimal, thousands byte // thousands 0: not declared
}

// numeralsOf returns the form of numbers, nil for kcut's own.
func numeralsOf(csv *formats.CSV) *numerals {
	if csv.Decimal == 0 && csv.Thousands == 0 {
		return nil
	}
	n := &numerals{'.', csv.Thousands}
	if csv.Decimal != 0 {
		n.decimal = csv.Decimal
	} else if csv.Thousands == '.' {
		n.decimal = ','
	}
	return n
}

// groupSigns are the characters that a declared sign between groups allows.
var groupSigns = map[byte][]string{
	'.': {"."}, ',': {","},
	' ':  {" ", "\u00a0", "\u202f"}, // also those at which no line may be broken
	'\'': {"'", "’"},
}

// signs returns the separators of the groups of a number's digits.
func (n *numerals) signs(text []byte) []string {
	switch {
	case n.thousands != 0:
		return groupSigns[n.thousands]
	case bytes.IndexByte(text, n.decimal) < 0:
		return nil
	case n.decimal == ',':
		return groupSigns['.']
	}
	return groupSigns[',']
}

// plain appends a number in kcut's own form: without signs between groups, and with a point. It
// returns whether its digits are grouped or not, or both when they are too few to tell. It is not
// ok for a text that is no number in these numerals.
func (n *numerals) plain(to, text []byte) (_ []byte, grouping guess, ok bool) {
	signs := n.signs(text)
	sign := len(text) - len(bytes.TrimLeft(text, "+-"))
	first := countDigits(asString(text[sign:]))
	to, text = append(to, text[:sign+first]...), text[sign+first:]
	grouping = guessBare | guessGrouped
	for first >= 1 && first <= 3 {
		group := cutSign(text, signs)
		digits := countDigits(asString(group))
		inPairs := digits == 2 && first <= 2 && n.decimal == '.' &&
			bytes.HasPrefix(group[2:], comma)
		if digits != 3 && !inPairs { // as in 1,00,000
			break
		}
		to, text, grouping = append(to, group[:digits]...), group[digits:], guessGrouped
	}
	if first > 3 {
		grouping = guessBare
	}
	if len(text) > 0 && text[0] == n.decimal {
		to, text = append(to, '.'), text[1:]
	}
	return append(to, text...), grouping, !bytes.ContainsAny(text, ".,")
}

var comma = []byte{','}

// cutSign returns the text behind its sign, or nothing when it starts with no sign.
func cutSign(text []byte, signs []string) []byte {
	for _, sign := range signs {
		if strings.HasPrefix(asString(text), sign) {
			return text[len(sign):]
		}
	}
	return nil
}

// guessOf returns the types other than String that a text may have in these numerals. It uses a
// buffer.
func (n *numerals) guessOf(text []byte, buffer *[]byte) guess {
	g := guessText(text)
	if n == nil || len(text) == 0 || g != 0 && g&guessNumber == 0 {
		return g
	}
	if text[0] != n.decimal && !strings.ContainsRune("+-.0123456789", rune(text[0])) {
		return g
	}
	plain, grouping, ok := n.plain((*buffer)[:0], text)
	if *buffer = plain; !ok {
		return 0
	}
	if g = guessOfNumber(asString(plain)); g != 0 {
		g = g&^(guessBare|guessGrouped) | grouping
	}
	return g
}
