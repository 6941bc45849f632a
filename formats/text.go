package formats

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
)

// quietNaN is the NaN whose text is just NaN; the text of any other one shows its bits.
const quietNaN = 0x7ff8000000000000

// textRoom is the capacity for the text of a date or a time, so that it is allocated once.
const textRoom = 40

// Text returns the canonical text of value i. Different values of one type have different texts,
// and Parse turns a text back into the value.
//
//	numbers     decimal; floats the shortest text that parses to them, NaN, Infinity
//	decimals    all digits of the scale
//	dates       2006-01-02; years have four digits or more and a minus before year 0
//	times       15:04:05.999999, without trailing zeros
//	timestamps  2006-01-02T15:04:05.999999, with Z when the type has a zone
//	UUIDs       canonical; other bytes lower-case hexadecimal; strings unchanged
func (v *Values) Text(i int) string {
	if v.Type.InWords() {
		return v.wordText(v.Words[i])
	}
	b := v.Bytes(i)
	switch v.Type.Kind {
	case String:
		return string(b)
	case UUID:
		return uuidText(b)
	case Decimal:
		return decimalText(wideInt(b).String(), v.Type.Scale)
	case Timestamp:
		return int96Text(b, v.Type.Zone)
	}
	return hex.EncodeToString(b)
}

func (v *Values) wordText(w uint64) string {
	t := v.Type
	switch t.Kind {
	case Boolean:
		return strconv.FormatBool(w != 0)
	case Uint:
		return strconv.FormatUint(w, 10)
	case Float:
		return floatText(WordFloat(w), t.Bits)
	case Decimal:
		return decimalText(strconv.FormatInt(WordInt(w), 10), t.Scale)
	case Date:
		return string(appendDate(make([]byte, 0, textRoom), WordInt(w)))
	case Time:
		return timeText(WordInt(w), t.Unit)
	case Timestamp:
		return timestampText(WordInt(w), t.Unit, t.Zone)
	}
	return strconv.FormatInt(WordInt(w), 10)
}

// Float returns the approximate position of value i of an ordered type on the number line: days for
// dates, units for times and timestamps. It is not exact beyond 2^53, and NaN for NaN.
func (v *Values) Float(i int) float64 {
	if !v.Type.InWords() {
		return v.wideFloat(v.Bytes(i))
	}
	w := v.Words[i]
	switch v.Type.Kind {
	case Boolean, Uint:
		return float64(w)
	case Float:
		return math.Float64frombits(WordFloat(w))
	case Decimal:
		return float64(WordInt(w)) / math.Pow10(v.Type.Scale)
	}
	return float64(WordInt(w))
}

func (v *Values) wideFloat(b []byte) float64 {
	switch v.Type.Kind {
	case Decimal:
		x, _ := new(big.Float).SetInt(wideInt(b)).Float64()
		return x / math.Pow10(v.Type.Scale)
	case Timestamp:
		days, nanos := int96Parts(b)
		return float64(days)*nanosOfDay + float64(nanos)
	}
	return math.NaN()
}

func floatText(bits uint64, size int) string {
	x := math.Float64frombits(bits)
	switch {
	case bits == quietNaN:
		return "NaN"
	case math.IsNaN(x):
		return fmt.Sprintf("NaN:%016x", bits)
	case math.IsInf(x, 1):
		return "Infinity"
	case math.IsInf(x, -1):
		return "-Infinity"
	}
	if size == 16 {
		x, size = shortestFloat16(x), 64
	}
	return string(AppendFloat(make([]byte, 0, textRoom), x, size))
}

// AppendFloat appends the shortest text that parses to a finite number of 32 or 64 bits.
func AppendFloat(text []byte, x float64, size int) []byte {
	form := byte('g')
	if a := math.Abs(x); a == 0 || a >= 1e-6 && a < 1e21 {
		form = 'f'
	}
	return strconv.AppendFloat(text, x, form, -1, size)
}

// shortestFloat16 returns the number with the fewest digits that rounds to the half x. Five digits
// distinguish all halves.
func shortestFloat16(x float64) float64 {
	for digits := 1; digits < 5; digits++ {
		short, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', digits-1, 64), 64)
		if roundFloat16(short) == x {
			return short
		}
	}
	short, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 4, 64), 64)
	return short
}

// decimalText puts the point into the text of an unscaled number.
func decimalText(digits string, scale int) string {
	sign := ""
	if digits[0] == '-' {
		sign, digits = "-", digits[1:]
	}
	for ; scale < 0 && digits != "0"; scale++ {
		digits += "0"
	}
	if scale <= 0 {
		return sign + digits
	}
	for len(digits) <= scale {
		digits = "0" + digits
	}
	point := len(digits) - scale
	return sign + digits[:point] + "." + digits[point:]
}

// wideInt returns the number of a wide decimal's bytes.
func wideInt(b []byte) *big.Int {
	x := new(big.Int).SetBytes(b)
	return x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(len(b)*8-1)))
}

func timestampText(units int64, unit Unit, zone string) string {
	second := floorDiv(units, unit.perSecond())
	days := floorDiv(second, secondsOfDay)
	return momentText(days, uint64(second-days*secondsOfDay), uint64(units-second*unit.perSecond()),
		unit, zone)
}

func momentText(days int64, seconds, fraction uint64, unit Unit, zone string) string {
	text := append(appendDate(make([]byte, 0, textRoom), days), 'T')
	text = appendClock(text, seconds, fraction, unit)
	if zone != "" {
		text = append(text, 'Z')
	}
	return string(text)
}

func timeText(units int64, unit Unit) string {
	text, magnitude := make([]byte, 0, textRoom), uint64(units)
	if units < 0 {
		text, magnitude = append(text, '-'), -magnitude
	}
	per := uint64(unit.perSecond())
	return string(appendClock(text, magnitude/per, magnitude%per, unit))
}

func appendDate(text []byte, days int64) []byte {
	year, month, day := dateOf(days)
	if year < 0 {
		text, year = append(text, '-'), -year
	}
	text = append(appendPadded(text, uint64(year), 4), '-')
	text = append(appendPadded(text, uint64(month), 2), '-')
	return appendPadded(text, uint64(day), 2)
}

// appendClock writes hours, minutes, seconds and the fraction without trailing zeros. Hours
// continue after 23: a file may hold such a time, and different values must have different texts.
func appendClock(text []byte, seconds, fraction uint64, unit Unit) []byte {
	text = append(appendPadded(text, seconds/3600, 2), ':')
	text = append(appendPadded(text, seconds/60%60, 2), ':')
	text = appendPadded(text, seconds%60, 2)
	if fraction == 0 {
		return text
	}
	text = appendPadded(append(text, '.'), fraction, unit.digits())
	for text[len(text)-1] == '0' {
		text = text[:len(text)-1]
	}
	return text
}

// appendPadded writes a number with at least digits digits.
func appendPadded(text []byte, n uint64, digits int) []byte {
	from := len(text)
	for ; digits > 0 || n > 0; digits-- {
		text = append(text, byte('0'+n%10))
		n /= 10
	}
	slices.Reverse(text[from:])
	return text
}

func uuidText(b []byte) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16])
}
