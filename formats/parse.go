package formats

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// errNotValue is the cause of all errors of Parse; it never shows the text.
var errNotValue = errors.New("not a value of the column's type")

// Parse appends the value of a text. It accepts every text of Text, and others that have exactly
// one value: a timestamp without its time, fewer fraction digits, a UUID without hyphens. A float
// is rounded to the nearest of its width; for all other types, digits that the type cannot hold are
// an error. The error does not show the text.
func (v *Values) Parse(text string) error {
	if v.Type.InWords() {
		if w, ok := ParseWord(v.Type, text); ok {
			v.Words = append(v.Words, w)
			return nil
		}
	} else if b, ok := parseBytes(v.Type, text); ok {
		v.AppendBytes(b)
		return nil
	}
	return fmt.Errorf("parse %s: %w", v.Type, errNotValue)
}

// ParseWord is Parse for one value of a type that is InWords. It keeps no reference to the text.
func ParseWord(t Type, text string) (uint64, bool) {
	switch t.Kind {
	case Boolean:
		return parseBoolean(text)
	case Uint:
		x, err := strconv.ParseUint(text, 10, t.Bits)
		return x, err == nil
	case Float:
		bits, ok := parseFloat(text, t.Bits)
		return FloatWord(bits), ok
	case Decimal:
		x, ok := parseDecimal(text, t)
		return IntWord(x.Int64()), ok && x.IsInt64()
	case Date:
		days, ok := parseDate(text)
		return IntWord(days), ok && days == int64(int32(days))
	case Time:
		x, ok := parseTime(text, t.Unit)
		return IntWord(x), ok
	case Timestamp:
		x, ok := parseTimestamp(text, t.Unit, t.Zone)
		return IntWord(x), ok
	}
	x, err := strconv.ParseInt(text, 10, t.Bits)
	return IntWord(x), err == nil
}

func parseBytes(t Type, text string) ([]byte, bool) {
	switch t.Kind {
	case String:
		return []byte(text), true
	case Binary:
		b, err := hex.DecodeString(text)
		return b, err == nil && (t.Size == 0 || len(b) == t.Size)
	case UUID:
		b, err := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
		return b, err == nil && len(b) == 16
	case Decimal:
		x, ok := parseDecimal(text, t)
		if !ok {
			return nil, false
		}
		return wideBytes(x, t.WideSize())
	case Timestamp:
		return parseInt96(text, t.Zone)
	}
	return nil, false
}

func parseBoolean(text string) (uint64, bool) {
	switch {
	case strings.EqualFold(text, "true"), text == "1":
		return 1, true
	case strings.EqualFold(text, "false"), text == "0":
		return 0, true
	}
	return 0, false
}

func parseFloat(text string, size int) (uint64, bool) {
	if payload, ok := strings.CutPrefix(text, "NaN:"); ok {
		bits, err := strconv.ParseUint(payload, 16, 64)
		return bits, err == nil && math.IsNaN(math.Float64frombits(bits))
	}
	x, err := strconv.ParseFloat(text, max(size, 32))
	if err != nil || strings.ContainsAny(text, "xX_") {
		return 0, false
	}
	if math.IsNaN(x) {
		return quietNaN, true
	}
	if size != 16 {
		return math.Float64bits(x), true
	}
	// Rounding twice would be wrong for texts near the middle of two halves.
	x, _ = strconv.ParseFloat(text, 64)
	half := roundFloat16(x)
	return math.Float64bits(half), !math.IsInf(half, 0) || math.IsInf(x, 0)
}

// maxDecimalText is more than any decimal needs; longer texts are refused.
const maxDecimalText = 400

// parseDecimal returns the unscaled number of a decimal text.
func parseDecimal(text string, t Type) (*big.Int, bool) {
	if len(text) > maxDecimalText || !strings.ContainsAny(text, "0123456789") {
		return new(big.Int), false
	}
	whole, fraction, _ := strings.Cut(text, ".")
	fraction = strings.TrimRight(fraction, "0")
	if len(fraction) > max(t.Scale, 0) || strings.Trim(fraction, "0123456789") != "" {
		return new(big.Int), false
	}
	fraction += strings.Repeat("0", max(t.Scale, 0)-len(fraction))
	x, ok := new(big.Int).SetString(whole+fraction, 10)
	if !ok {
		return new(big.Int), false
	}
	if t.Scale < 0 {
		var rest big.Int
		x.QuoRem(x, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-t.Scale)), nil), &rest)
		ok = rest.Sign() == 0
	}
	return x, ok
}

// wideBytes returns the bytes of a wide decimal, and false when the number is too large.
func wideBytes(x *big.Int, size int) ([]byte, bool) {
	shifted := new(big.Int).Lsh(big.NewInt(1), uint(size*8-1))
	shifted.Add(shifted, x)
	if shifted.Sign() < 0 || shifted.BitLen() > size*8 {
		return nil, false
	}
	return shifted.FillBytes(make([]byte, size)), true
}

// parseDate returns the days since 1970-01-01 of a date whose year has 4 to 12 digits.
func parseDate(text string) (int64, bool) {
	rest, negative := strings.CutPrefix(text, "-")
	if !negative {
		rest = strings.TrimPrefix(rest, "+")
	}
	n := len(rest)
	if n < 10 || n > 18 || rest[n-6] != '-' || rest[n-3] != '-' {
		return 0, false
	}
	year, ok1 := parseDigits(rest[:n-6])
	month, ok2 := parseDigits(rest[n-5 : n-3])
	day, ok3 := parseDigits(rest[n-2:])
	signed := int64(year)
	if negative {
		signed = -signed
	}
	days, ok := DaysOf(signed, int(month), int(day))
	return days, ok && ok1 && ok2 && ok3
}

func parseDigits(text string) (x uint64, ok bool) {
	for i := range len(text) {
		digit := uint64(text[i] - '0')
		if digit > 9 || x > (math.MaxUint64-digit)/10 {
			return 0, false
		}
		x = x*10 + digit
	}
	return x, text != ""
}

// parseClock returns the units of hh:mm, hh:mm:ss or hh:mm:ss.fraction.
func parseClock(text string, unit Unit) (uint64, bool) {
	clock, fraction, _ := strings.Cut(text, ".")
	hour, rest, _ := strings.Cut(clock, ":")
	minute, second, long := strings.Cut(rest, ":")
	if !long {
		second = "00"
	}
	hours, ok1 := parseDigits(hour)
	minutes, ok2 := parseDigits(minute)
	seconds, ok3 := parseDigits(second)
	switch {
	case len(hour) < 2 || len(minute) != 2 || len(second) != 2 || !ok1 || !ok2 || !ok3:
		return 0, false
	case hours > math.MaxUint64/3600-1 || minutes > 59 || seconds > 59:
		return 0, false
	}
	return clockUnits(hours*3600+minutes*60+seconds, fraction, unit)
}

func clockUnits(seconds uint64, fraction string, unit Unit) (uint64, bool) {
	fraction = strings.TrimRight(fraction, "0")
	if len(fraction) > unit.digits() {
		return 0, false
	}
	part, ok := uint64(0), true
	if fraction != "" {
		part, ok = parseDigits(fraction)
	}
	for range unit.digits() - len(fraction) {
		part *= 10
	}
	high, low := bits.Mul64(seconds, uint64(unit.perSecond()))
	sum, carry := bits.Add64(low, part, 0)
	return sum, ok && high == 0 && carry == 0
}

func parseTime(text string, unit Unit) (int64, bool) {
	rest, negative := strings.CutPrefix(text, "-")
	units, ok := parseClock(rest, unit)
	if negative {
		return -int64(units), ok && units <= 1<<63
	}
	return int64(units), ok && units < 1<<63
}

// cutMoment splits the text of a timestamp into days, clock and offset from UTC in minutes.
func cutMoment(text, zone string) (days int64, clock string, offset int64, ok bool) {
	at := strings.IndexAny(text, "T ")
	if at < 0 {
		days, ok = parseDate(text)
		return days, "00:00:00", 0, ok
	}
	days, ok = parseDate(text[:at])
	clock = text[at+1:]
	if !ok || zone == "" {
		return days, clock, 0, ok
	}
	for _, utc := range []string{"Z", " UTC"} {
		if local, cut := strings.CutSuffix(clock, utc); cut {
			return days, local, 0, true
		}
	}
	sign := strings.LastIndexAny(clock, "+-")
	if sign < 0 {
		return days, clock, 0, true
	}
	offset, ok = parseOffset(clock[sign+1:])
	if clock[sign] == '-' {
		offset = -offset
	}
	return days, clock[:sign], offset, ok
}

// parseOffset returns the minutes of hh, hhmm, hh:mm or hh:mm:00.
func parseOffset(text string) (int64, bool) {
	switch len(text) {
	case len("hh"):
		text += ":00"
	case len("hhmm"):
		text = text[:2] + ":" + text[2:]
	}
	seconds, ok := parseClock(text, Second)
	return int64(seconds) / 60, ok && seconds < 86400 && seconds%60 == 0
}

func parseTimestamp(text string, unit Unit, zone string) (int64, bool) {
	days, clock, offset, ok := cutMoment(text, zone)
	units, fits := parseClock(clock, unit)
	if !ok || !fits || units >= uint64(86400*unit.perSecond()) {
		return 0, false
	}
	minutes, perMinute := days*1440-offset, uint64(60*unit.perSecond())
	high, low := bits.Mul64(uint64(minutes), perMinute) // 128 bits in two's complement
	if minutes < 0 {
		high -= perMinute
	}
	low, carry := bits.Add64(low, units, 0)
	return int64(low), high+carry == uint64(int64(low)>>63)
}
