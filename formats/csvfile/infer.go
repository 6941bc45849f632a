package csvfile

import (
	"math"
	"strconv"
	"strings"
	"unsafe"

	"github.com/kcut/kcut/formats"
)

// guess is a set of types that a CSV text may stand for.
type guess uint8

const (
	guessLower guess = 1 << iota // true, false
	guessTitle                   // True, False
	guessUpper                   // TRUE, FALSE
	guessInt
	guessFloat
	guessDate
	guessLocal // timestamp without an offset
	guessZoned // timestamp with one

	numeric  = guessInt | guessFloat
	guessAny = ^guess(0)
)

// evidence is what the texts of one column seen so far allow.
type evidence struct {
	guess guess
	nulls bool
	texts bool // has a field that is not null

	numbers bool  // fields stood for numbers before one did not
	text    int64 // line of the first one that did not; 0: all do
}

// see narrows the guess by one more field, of a record on a line.
func (c *evidence) see(f field, line int64) {
	if f.null() {
		c.nulls = true
		return
	}
	if c.guess != 0 {
		was := c.guess & numeric
		c.guess &= guessText(f.text)
		switch {
		case was == 0:
		case c.guess&numeric != 0:
			c.numbers = true
		default:
			c.text = line
		}
	}
	c.texts = true
}

// join adds what texts of the column further down allow.
func (c *evidence) join(other evidence) {
	if c.text == 0 {
		c.numbers, c.text = c.numbers || other.numbers, other.text
	}
	c.guess &= other.guess
	c.nulls = c.nulls || other.nulls
	c.texts = c.texts || other.texts
}

// inferred returns the first type, in the order below, that all texts of the column stand for.
func (c *evidence) inferred() formats.Type {
	switch g := c.guess; {
	case !c.texts:
		return formats.Type{Kind: formats.String}
	case g&(guessLower|guessTitle|guessUpper) != 0:
		return formats.Type{Kind: formats.Boolean}
	case g&guessInt != 0:
		return formats.Type{Kind: formats.Int, Bits: 64}
	case g&guessFloat != 0:
		return formats.Type{Kind: formats.Float, Bits: 64}
	case g&guessDate != 0:
		return date
	case g&guessZoned != 0:
		return zoned
	case g&guessLocal != 0:
		return local
	}
	return formats.Type{Kind: formats.String}
}

// guessText returns the types other than String that text may stand for.
func guessText(text []byte) guess {
	if len(text) == 0 {
		return 0
	}
	switch c := text[0]; {
	case len(text) >= 10 && text[4] == '-' && text[7] == '-':
		return guessTime(asString(text))
	case c == '-' || c == '.' || c-'0' <= 9:
		return guessNumber(asString(text))
	}
	return guessBoolean(text)
}

// asString returns a view of text, for as long as text does not change.
func asString(text []byte) string { return unsafe.String(unsafe.SliceData(text), len(text)) }

func guessBoolean(text []byte) guess {
	switch string(text) {
	case "true", "false":
		return guessLower
	case "True", "False":
		return guessTitle
	case "TRUE", "FALSE":
		return guessUpper
	}
	return 0
}

var (
	date  = formats.Type{Kind: formats.Date}
	local = formats.Type{Kind: formats.Timestamp, Unit: formats.Micro}
	zoned = formats.Type{Kind: formats.Timestamp, Unit: formats.Micro, Zone: "UTC"}
)

// guessTime knows YYYY-MM-DD, from the year 1 on, and YYYY-MM-DD[T ]HH:MM:SS[.ffffff][Z|±hh:mm].
func guessTime(text string) guess {
	found, kind := guessDate, date
	if len(text) > len("2006-01-02") {
		if len(text) < 19 || text[10] != 'T' && text[10] != ' ' || text[16] != ':' {
			return 0
		}
		rest := text[19:]
		if fraction, ok := strings.CutPrefix(rest, "."); ok {
			n := countDigits(fraction)
			if n < 1 || n > 6 {
				return 0
			}
			rest = fraction[n:]
		}
		switch {
		case rest == "":
			found, kind = guessLocal, local
		case rest == "Z", len(rest) == 6 && (rest[0] == '+' || rest[0] == '-'):
			found, kind = guessZoned, zoned
		default:
			return 0
		}
	}
	if _, ok := formats.ParseWord(kind, text); !ok || text[:4] == "0000" {
		return 0
	}
	return found
}

// guessNumber tells integers and floats apart: -?digits, with a point anywhere but alone, and
// an exponent. Codes that only look like numbers (a leading zero, a plus, more digits than a
// float keeps) are neither.
func guessNumber(text string) guess {
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
	return guessFloat
}

func guessInteger(text string, digits int) (g guess) {
	if digits <= 15 {
		return guessInt | guessFloat
	}
	if _, err := strconv.ParseInt(text, 10, 64); err != nil {
		return 0
	}
	return guessInt
}

// countDigits returns how many digits text starts with.
func countDigits(text string) (n int) {
	for n < len(text) && text[n]-'0' <= 9 {
		n++
	}
	return n
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
