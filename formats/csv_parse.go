package formats

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"unsafe"
)

// parseText appends the value that text stands for: the common types without an allocation,
// the rest as Values.Parse does.
func (v *Values) parseText(text []byte) error {
	if v.Type.Kind == String {
		v.AppendBytes(text)
		return nil
	}
	if word, ok := csvWord(v.Type, text); ok {
		v.Words = append(v.Words, word)
		return nil
	}
	return v.Parse(string(text))
}

// csvWord returns the word of a text of one of the types that are inferred.
func csvWord(t Type, text []byte) (uint64, bool) {
	switch {
	case t.Kind == Boolean:
		b := guessBoolean(text)
		return uint64(len(text)&1 ^ 1), b != 0
	case t.Kind == Int && t.Bits == 64:
		i, ok := csvInt(text)
		return intWord(i), ok
	case t.Kind == Float && t.Bits == 64:
		f, ok := csvFloat(text)
		return floatWord(math.Float64bits(f)), ok
	case t.Kind == Date:
		d, ok := csvDate(text)
		return intWord(d), ok
	case t.Kind == Timestamp && t.Unit == Micro && !t.Wide:
		us, zoned, ok := csvTimestamp(text)
		return intWord(us), ok && zoned == (t.Zone != "")
	}
	return 0, false
}

// csvInt parses an integer of 64 bits: digits, perhaps a minus.
func csvInt(text []byte) (int64, bool) {
	n, ok := cutNumber(text)
	switch {
	case !ok || !n.integer || n.leadingZero || n.digits > 19:
		return 0, false
	case n.negative && n.mantissa <= 1<<63:
		return -int64(n.mantissa), true
	}
	return int64(n.mantissa), !n.negative && n.mantissa <= math.MaxInt64
}

var pow10 = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// csvFloat parses a finite number. Up to 2^53 times or over a power of ten that a float
// holds exactly, one operation rounds right; strconv does the rest.
func csvFloat(text []byte) (float64, bool) {
	n, ok := cutNumber(text)
	if !ok {
		return 0, false
	}
	// The view of text as a string ends with the call: strconv copies what its errors quote.
	if !n.exact || n.mantissa > 1<<53 || n.exponent < -22 || n.exponent > 22 {
		f, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(text), len(text)), 64)
		return f, err == nil
	}
	f := float64(n.mantissa)
	if n.exponent < 0 {
		f /= pow10[-n.exponent]
	} else {
		f *= pow10[n.exponent]
	}
	if n.negative {
		f = -f
	}
	return f, true
}

// csvDate parses YYYY-MM-DD as days since 1970.
func csvDate(text []byte) (int64, bool) {
	if len(text) != 10 || text[4] != '-' || text[7] != '-' {
		return 0, false
	}
	y, ok1 := csvDigits(text[:4])
	m, ok2 := csvDigits(text[5:7])
	d, ok3 := csvDigits(text[8:])
	date := civil{y, int(m), int(d)}
	if !ok1 || !ok2 || !ok3 || y < 1 || !date.valid() {
		return 0, false
	}
	return date.days(), true
}

func csvDigits(text []byte) (int64, bool) {
	n := int64(0)
	for _, c := range text {
		if c-'0' > 9 {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// csvTimestamp parses YYYY-MM-DD[T ]HH:MM:SS[.ffffff][Z|±hh:mm] as microseconds since
// 1970, in UTC when it is zoned.
func csvTimestamp(text []byte) (micros int64, zoned, ok bool) {
	if len(text) < 19 || text[10] != 'T' && text[10] != ' ' {
		return 0, false, false
	}
	day, ok1 := csvDate(text[:10])
	second, ok2 := csvClock(text[11:19])
	fraction, rest, ok3 := csvFraction(text[19:])
	offset, zoned, ok4 := csvOffset(rest)
	return ((day*24*60-offset)*60+second)*1e6 + fraction, zoned, ok1 && ok2 && ok3 && ok4
}

// csvClock parses HH:MM:SS as seconds since midnight.
func csvClock(text []byte) (int64, bool) {
	h, ok1 := csvDigits(text[:2])
	m, ok2 := csvDigits(text[3:5])
	s, ok3 := csvDigits(text[6:8])
	ok := ok1 && ok2 && ok3 && text[2] == ':' && text[5] == ':'
	return (h*60+m)*60 + s, ok && h < 24 && m < 60 && s < 60
}

// csvFraction parses .f to .ffffff as microseconds.
func csvFraction(text []byte) (micros int64, rest []byte, ok bool) {
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

// csvOffset parses Z or ±hh:mm as minutes east of UTC.
func csvOffset(text []byte) (minutes int64, zoned, ok bool) {
	switch {
	case len(text) == 0:
		return 0, false, true
	case bytes.Equal(text, []byte("Z")):
		return 0, true, true
	case len(text) != 6 || text[3] != ':' || text[0] != '+' && text[0] != '-':
		return 0, true, false
	}
	h, ok1 := csvDigits(text[1:3])
	m, ok2 := csvDigits(text[4:])
	minutes = h*60 + m
	if text[0] == '-' {
		minutes = -minutes
	}
	return minutes, true, ok1 && ok2 && h < 24 && m < 60
}

// codeOfText returns the code of the value that text stands for, parsing it when the text
// is new.
func (d *distinct) codeOfText(text []byte) (uint32, error) {
	code, at, hash := d.find(text)
	if code != 0 {
		return code, nil
	}
	before := d.values.Len()
	if err := d.values.parseText(text); err != nil {
		return 0, err
	}
	if d.values.Len() != before+1 {
		return 0, fmt.Errorf("%w: no value", ErrUnsupported)
	}
	if d.keys != d.values {
		d.keys.AppendBytes(text)
	}
	return d.enter(at, hash), nil
}
