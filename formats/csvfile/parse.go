package csvfile

import (
	"bytes"
	"math"
	"strconv"
	"unsafe"

	"github.com/kcut/kcut/formats"
)

// parseField appends the value that text stands for: the common types without an allocation,
// the rest as Values.Parse does.
func parseField(v *formats.Values, text []byte) error {
	if v.Type.Kind == formats.String {
		v.AppendBytes(text)
		return nil
	}
	if word, ok := wordOf(v.Type, text); ok {
		v.Words = append(v.Words, word)
		return nil
	}
	return v.Parse(string(text))
}

// wordOf returns the word of a text of one of the types that are inferred.
func wordOf(t formats.Type, text []byte) (uint64, bool) {
	switch {
	case t.Kind == formats.Boolean:
		b := guessBoolean(text)
		return uint64(len(text)&1 ^ 1), b != 0
	case t.Kind == formats.Int && t.Bits == 64:
		i, ok := parseInt(text)
		return formats.IntWord(i), ok
	case t.Kind == formats.Float && t.Bits == 64:
		f, ok := parseFloat(text)
		return formats.FloatWord(math.Float64bits(f)), ok
	case t.Kind == formats.Date:
		d, ok := parseDate(text)
		return formats.IntWord(d), ok
	case t.Kind == formats.Timestamp && t.Unit == formats.Micro && !t.Wide:
		us, zoned, ok := parseTimestamp(text)
		return formats.IntWord(us), ok && zoned == (t.Zone != "")
	}
	return 0, false
}

// parseInt parses an integer of 64 bits: digits, perhaps a minus.
func parseInt(text []byte) (int64, bool) {
	n, ok := cutNumber(text)
	if !ok {
		return 0, false
	}
	return n.int()
}

func (n *number) int() (int64, bool) {
	switch {
	case !n.integer || n.leadingZero || n.digits > 19:
		return 0, false
	case n.negative && n.mantissa <= 1<<63:
		return -int64(n.mantissa), true
	}
	return int64(n.mantissa), !n.negative && n.mantissa <= math.MaxInt64
}

// parseFloat parses a finite number. What has other letters than e, such as NaN, is none.
func parseFloat(text []byte) (float64, bool) {
	for _, c := range text {
		if c > '9' && c|0x20 != 'e' {
			return 0, false
		}
	}
	// The view of text as a string ends with the call: strconv copies what its errors quote.
	f, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(text), len(text)), 64)
	return f, err == nil
}

// parseDate parses YYYY-MM-DD as days since 1970.
func parseDate(text []byte) (int64, bool) {
	if len(text) != 10 || text[4] != '-' || text[7] != '-' {
		return 0, false
	}
	y, ok1 := parseDigits(text[:4])
	m, ok2 := parseDigits(text[5:7])
	d, ok3 := parseDigits(text[8:])
	days, ok := formats.DaysOf(y, int(m), int(d))
	return days, ok && ok1 && ok2 && ok3 && y >= 1
}

func parseDigits(text []byte) (int64, bool) {
	n := int64(0)
	for _, c := range text {
		if c-'0' > 9 {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// parseTimestamp parses YYYY-MM-DD[T ]HH:MM:SS[.ffffff][Z|±hh:mm] as microseconds since
// 1970, in UTC when it is zoned.
func parseTimestamp(text []byte) (micros int64, zoned, ok bool) {
	if len(text) < 19 || text[10] != 'T' && text[10] != ' ' {
		return 0, false, false
	}
	day, ok1 := parseDate(text[:10])
	second, ok2 := parseClock(text[11:19])
	fraction, rest, ok3 := parseFraction(text[19:])
	offset, zoned, ok4 := parseOffset(rest)
	return ((day*24*60-offset)*60+second)*1e6 + fraction, zoned, ok1 && ok2 && ok3 && ok4
}

// parseClock parses HH:MM:SS as seconds since midnight.
func parseClock(text []byte) (int64, bool) {
	h, ok1 := parseDigits(text[:2])
	m, ok2 := parseDigits(text[3:5])
	s, ok3 := parseDigits(text[6:8])
	ok := ok1 && ok2 && ok3 && text[2] == ':' && text[5] == ':'
	return (h*60+m)*60 + s, ok && h < 24 && m < 60 && s < 60
}

// parseFraction parses .f to .ffffff as microseconds.
func parseFraction(text []byte) (micros int64, rest []byte, ok bool) {
	if len(text) == 0 || text[0] != '.' {
		return 0, text, true
	}
	n, unit := 1, int64(1e6)
	for ; n < len(text) && text[n]-'0' <= 9; n++ {
		unit /= 10
		micros += int64(text[n]-'0') * unit
	}
	return micros, text[n:], n > 1 && n <= 7
}

// parseOffset parses Z or ±hh:mm as minutes east of UTC.
func parseOffset(text []byte) (minutes int64, zoned, ok bool) {
	switch {
	case len(text) == 0:
		return 0, false, true
	case bytes.Equal(text, []byte("Z")):
		return 0, true, true
	case len(text) != 6 || text[3] != ':' || text[0] != '+' && text[0] != '-':
		return 0, true, false
	}
	h, ok1 := parseDigits(text[1:3])
	m, ok2 := parseDigits(text[4:])
	minutes = h*60 + m
	if text[0] == '-' {
		minutes = -minutes
	}
	return minutes, true, ok1 && ok2 && h < 24 && m < 60
}
