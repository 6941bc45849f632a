package csvfile

import (
	"strings"
	"unsafe"

	"github.com/kcut/kcut/formats"
)

// guess is a set of types that a CSV text may have.
type guess uint16

const (
	guessLower guess = 1 << iota // true, false
	guessTitle                   // True, False
	guessUpper                   // TRUE, FALSE
	guessInt
	guessFloat
	guessExact   // a float whose text is this one
	guessPython  // a float in the form of Python and pandas
	guessJava    // a float in the form of Java and Spark
	guessR       // a float in the form of R
	guessBare    // a number without grouped digits
	guessGrouped // a number with digits in groups of three
	guessDate
	guessLocal  // timestamp without an offset
	guessZoned  // timestamp with one
	guessNumber // any number, also in a form that only people write, as +5

	numeric = guessInt | guessFloat
	// forms in which each number has one text
	floats   = guessExact | guessPython | guessJava | guessR
	guessAny = ^guess(0)
)

// guessText returns the types other than String that text may have.
func guessText(text []byte) guess {
	if len(text) == 0 {
		return 0
	}
	switch c := text[0]; {
	case len(text) >= 10 && text[4] == '-' && text[7] == '-':
		return guessTime(asString(text))
	case c == '-' || c == '.' || c == '+' || c-'0' <= 9:
		return guessOfNumber(asString(text))
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

// guessTime recognizes YYYY-MM-DD, from the year 1 on, and YYYY-MM-DD[T ]HH:MM:SS[.ffffff], also
// with zeros behind, as pandas writes nanoseconds, alone or followed by an offset from UTC that
// formats.Values.Parse accepts: Z, " UTC", ±hh, ±hhmm and ±hh:mm.
func guessTime(text string) guess {
	found, kind := guessDate, date
	if len(text) > len("2006-01-02") {
		if len(text) < 19 || text[10] != 'T' && text[10] != ' ' || text[16] != ':' {
			return 0
		}
		rest := text[19:]
		if fraction, ok := strings.CutPrefix(rest, "."); ok {
			n := countDigits(fraction)
			if n < 1 || n > 6 && strings.Trim(fraction[6:n], "0") != "" {
				return 0
			}
			rest = fraction[n:]
		}
		if found, kind = guessLocal, local; rest != "" {
			found, kind = guessZoned, zoned
		}
	}
	if _, ok := formats.ParseWord(kind, text); !ok || text[:4] == "0000" {
		return 0
	}
	return found
}
