package formats

import (
	"bytes"
	"cmp"
	"errors"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Rounding finds the roundest value of an ordered type above one value and not above another:
//
//	numbers            the multiple of the highest power of ten
//	dates, timestamps  the start of a year, else of a month, a day, an hour, a minute, a second,
//	                   a tenth of one, …
//	times              as timestamps, from hours on
//
// Among several it is the highest that is not above the middle of the two values, else the lowest:
// a bound that was always nearest to one of the values would disclose it. A step admits only
// multiples of a number, or only starts of a unit and of longer ones. The arithmetic uses whole
// numbers: for a float, the digits of its text. A Rounding belongs to one goroutine.
type Rounding struct {
	typ Type
	// dates and times: the shortest unit, of stepUnits or a decimal place after these
	finest     int
	stepped    bool
	whole      int64    // signed whole numbers, and decimals as unscaled numbers: the step; 1: none
	step       *big.Int // other numbers: the step is step·10^exponent; nil: there is none
	exponent   int
	best, next Values // one value each: the roundest so far, and the present candidate
}

// stepUnits are the steps of dates and times, the longest first.
var stepUnits = []string{"year", "month", "day", "hour", "minute", "second"}

const (
	unitYear = iota
	unitMonth
	unitDay
	unitHour
	unitMinute
	unitSecond // followed by its decimal places
)

// NewRounding returns the rounding of an ordered type to a step: a number of the type above zero,
// or a unit; or to any value when the step is empty. The error does not show the text.
func NewRounding(t Type, step string) (*Rounding, error) {
	r := &Rounding{
		typ:     t,
		whole:   1,
		stepped: step != "",
		best:    Values{Type: t},
		next:    Values{Type: t},
	}
	longest, shortest, timed := t.stepUnits()
	if timed {
		r.finest = shortest
		if shortest == unitSecond {
			r.finest += t.resolution().digits()
		}
	}
	if step == "" {
		return r, nil
	}
	if timed {
		if r.finest = slices.Index(stepUnits, step); r.finest < longest || r.finest > shortest {
			return nil, errors.New("a step of " + t.String() + " is one of " +
				strings.Join(stepUnits[longest:shortest+1], ", "))
		}
		return r, nil
	}
	value := Values{Type: t}
	if err := value.Parse(step); err != nil {
		return nil, err
	}
	var ok bool
	if r.step, r.exponent, ok = decimalOf(value.Text(0)); !ok || r.step.Sign() <= 0 {
		return nil, errors.New("a step of " + t.String() + " is a number above zero")
	}
	if t.isWhole() {
		r.whole = WordInt(value.Words[0])
	}
	return r, nil
}

// HasStep reports whether a step excludes some values.
func (r *Rounding) HasStep() bool { return r.stepped }

// Admits reports whether the first of a list's values is a multiple of the step, or there is no
// step.
func (r *Rounding) Admits(v *Values) bool {
	if !r.stepped {
		return true
	}
	if _, _, timed := r.typ.stepUnits(); timed {
		return startOf(r.finest, v.moment()).Equal(v.moment())
	}
	number, exponent := r.decimal(v)
	common := min(exponent, r.exponent)
	number.Mul(number, powerOfTen(exponent-common))
	step := powerOfTen(r.exponent - common)
	return number.Mod(number, step.Mul(step, r.step)).Sign() == 0
}

// stepUnits returns the longest and the shortest unit for a step of the type; ok is false if the
// type has no such steps.
func (t Type) stepUnits() (longest, shortest int, ok bool) {
	switch t.Kind {
	case Date:
		return unitYear, unitDay, true
	case Timestamp:
		return unitYear, unitSecond, true
	case Time:
		return unitHour, unitSecond, true
	}
	return 0, 0, false
}

// resolution returns the unit of a time or timestamp, and the second for a date.
func (t Type) resolution() Unit {
	if t.Kind == Timestamp && t.Wide {
		return Nano
	}
	return t.Unit
}

// Between returns the roundest value above the one of a list and not above the one of another list,
// which is higher. It is valid until the next call. Without a step there is always one.
func (r *Rounding) Between(below, at *Values) (roundest *Values, ok bool) {
	_, _, timed := r.typ.stepUnits()
	switch {
	case timed:
		ok = r.betweenMoments(below, at)
	case r.typ.isWhole():
		ok = r.betweenWholes(WordInt(below.Words[0]), WordInt(at.Words[0]))
	default:
		ok = r.betweenNumbers(below, at)
	}
	if !ok && !r.stepped {
		r.best.set(at)
	}
	return &r.best, ok || !r.stepped
}

// isWhole reports whether values are words of signed whole numbers, for which rounding is fast.
func (t Type) isWhole() bool { return t.Kind == Int || t.Kind == Decimal && !t.Wide }

// betweenWholes tries multiples of the step and of increasing powers of ten.
func (r *Rounding) betweenWholes(below, at int64) (found bool) {
	multiple, highest := int64(0), r.whole
	for power := int64(1); floorDiv(at, highest) > floorDiv(below, highest); {
		multiple = highest
		if below < 0 && at >= 0 || power > math.MaxInt64/10 {
			break
		}
		power *= 10
		if highest = power / gcd(r.whole, power); highest > math.MaxInt64/r.whole {
			break // its multiples exceed all numbers
		}
		highest *= r.whole
	}
	if multiple == 0 {
		return false
	}
	chosen := floorDiv(below+int64(uint64(at-below)/2), multiple) // of the middle
	switch first := floorDiv(below, multiple) + 1; {
	case below < 0 && at >= 0:
		chosen = 0
	case chosen < first:
		chosen = first
	}
	r.best.Words = append(r.best.Words[:0], IntWord(chosen*multiple))
	return true
}

func gcd(a, b int64) int64 {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// accept makes the candidate the roundest value if it lies between.
func (r *Rounding) accept(below, at *Values) bool {
	if r.next.compare(below) <= 0 || r.next.compare(at) > 0 {
		return false
	}
	r.best, r.next = r.next, r.best
	return true
}

// compare orders the first of two lists' values.
func (v *Values) compare(other *Values) int {
	if v.Type.InWords() {
		return cmp.Compare(v.Words[0], other.Words[0])
	}
	return bytes.Compare(v.Bytes(0), other.Bytes(0))
}

var one, ten = big.NewInt(1), big.NewInt(10)

// betweenNumbers is betweenWholes for numbers of any size, and floats.
func (r *Rounding) betweenNumbers(below, at *Values) bool {
	ends, exponent := [2]*big.Int{}, r.exponent
	exponents := [2]int{}
	for i, end := range []*Values{below, at} {
		ends[i], exponents[i] = r.decimal(end)
		if exponent = min(exponent, exponents[i]); i == 0 && r.step == nil {
			exponent = exponents[i]
		}
	}
	for i, digits := range ends {
		digits.Mul(digits, powerOfTen(exponents[i]-exponent))
	}
	step := big.NewInt(1)
	if r.step != nil {
		step.Mul(r.step, powerOfTen(r.exponent-exponent))
	}
	var multiple, highest, first, last big.Int
	floors := func() bool {
		last.Div(ends[1], &highest)
		return first.Add(first.Div(ends[0], &highest), one).Cmp(&last) <= 0
	}
	across := ends[0].Sign() < 0 && ends[1].Sign() >= 0
	for power := big.NewInt(1); ; power.Mul(power, ten) {
		highest.Mul(step, power)
		highest.Div(&highest, new(big.Int).GCD(nil, nil, step, power))
		if !floors() {
			break
		}
		if multiple.Set(&highest); across {
			break
		}
	}
	if multiple.Sign() > 0 {
		highest.Set(&multiple)
		floors()
		middle := new(big.Int).Add(ends[0], ends[1])
		middle.Div(middle.Rsh(middle, 1), &multiple)
		if across {
			middle.SetInt64(0)
		}
		// Rounding a number to a float may give the value below.
		for _, times := range []*big.Int{middle, &first, &last} {
			if times.Cmp(&first) >= 0 &&
				r.parseNext(times.Mul(times, &multiple).String(), exponent) && r.accept(below, at) {
				return true
			}
		}
	}
	return false
}

// decimal returns a value as digits·10^exponent. An infinity becomes the largest finite number.
func (r *Rounding) decimal(v *Values) (digits *big.Int, exponent int) {
	text := v.Text(0)
	digits, exponent, ok := decimalOf(text)
	if !ok {
		digits, exponent, _ = decimalOf(floatText(largestFloat(r.typ.Bits), r.typ.Bits))
		if text[0] == '-' {
			digits.Neg(digits)
		}
	}
	return digits, exponent
}

// parseNext makes digits·10^exponent the candidate.
func (r *Rounding) parseNext(digits string, exponent int) bool {
	r.next.Clear()
	if r.typ.Kind == Float {
		digits += "e" + strconv.Itoa(exponent)
	} else {
		digits = decimalText(digits, -exponent)
	}
	return r.next.Parse(digits) == nil
}

// set copies the values of another list.
func (v *Values) set(other *Values) {
	v.Words, v.Ends, v.Data = append(v.Words[:0], other.Words...),
		append(v.Ends[:0], other.Ends...), append(v.Data[:0], other.Data...)
}

// largestFloat returns the bits of the largest finite float of a width.
func largestFloat(width int) uint64 {
	switch width {
	case 16:
		return math.Float64bits(65504)
	case 32:
		return math.Float64bits(math.MaxFloat32)
	}
	return math.Float64bits(math.MaxFloat64)
}

func powerOfTen(exponent int) *big.Int {
	return new(big.Int).Exp(ten, big.NewInt(int64(exponent)), nil)
}

// decimalOf returns the number in the text of a value as digits·10^exponent. It is not ok if the
// text is no number, such as an infinity.
func decimalOf(text string) (digits *big.Int, exponent int, ok bool) {
	mantissa, power, _ := strings.Cut(text, "e")
	if power != "" {
		exponent, _ = strconv.Atoi(power)
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits, ok = new(big.Int).SetString(whole+fraction, 10)
	return digits, exponent - len(fraction), ok
}

// betweenMoments tries starts of increasingly long units.
func (r *Rounding) betweenMoments(below, at *Values) bool {
	low, high := below.moment(), at.moment()
	longest, _, _ := r.typ.stepUnits()
	unit := r.finest
	for unit >= longest && startOf(unit, high).After(low) {
		unit--
	}
	if unit == r.finest {
		return false
	}
	unit++
	seconds, nanos := high.Unix()-low.Unix(), int64(high.Nanosecond()+low.Nanosecond())
	middle := time.Unix(low.Unix()+seconds/2, (nanos+seconds%2*nanosOfSecond)/2).UTC()
	chosen := startOf(unit, middle)
	if !chosen.After(low) || chosen.After(high) {
		chosen = nextStart(unit, startOf(unit, low))
	}
	return r.setNext(chosen) && r.accept(below, at)
}

const nanosOfSecond = 1e9

// moment returns the first value of a list of dates or times; a time is on the first day of 1970.
func (v *Values) moment() time.Time {
	if !v.Type.InWords() {
		days, nanos := int96Parts(v.Bytes(0))
		return time.Unix(days*secondsOfDay, int64(nanos)).UTC()
	}
	x := WordInt(v.Words[0])
	if v.Type.Kind == Date {
		return time.Unix(x*secondsOfDay, 0).UTC()
	}
	per := v.Type.Unit.perSecond()
	seconds := floorDiv(x, per)
	return time.Unix(seconds, (x-seconds*per)*(nanosOfSecond/per)).UTC()
}

// startOf returns the start of the unit that contains a moment.
func startOf(unit int, at time.Time) time.Time {
	switch unit {
	case unitYear:
		return time.Date(at.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
	case unitMonth:
		return time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
	}
	return at.Truncate(lengthOf(unit))
}

// nextStart returns the start of the unit after the one that starts at a moment.
func nextStart(unit int, at time.Time) time.Time {
	switch unit {
	case unitYear:
		return at.AddDate(1, 0, 0)
	case unitMonth:
		return at.AddDate(0, 1, 0)
	}
	return at.Add(lengthOf(unit))
}

// lengthOf returns the length of a day or a shorter unit.
func lengthOf(unit int) time.Duration {
	switch unit {
	case unitDay:
		return secondsOfDay * time.Second
	case unitHour:
		return time.Hour
	case unitMinute:
		return time.Minute
	}
	length := time.Second
	for ; unit > unitSecond; unit-- {
		length /= 10
	}
	return length
}

// setNext makes a moment the candidate, if the type can represent it.
func (r *Rounding) setNext(at time.Time) bool {
	r.next.Clear()
	days := floorDiv(at.Unix(), secondsOfDay)
	switch {
	case !r.typ.InWords():
		julian, seconds := days+julianEpoch, at.Unix()-days*secondsOfDay
		nanos := seconds*nanosOfSecond + int64(at.Nanosecond())
		return julian == int64(int32(julian)) && r.next.AppendInt96(int32(julian), nanos)
	case r.typ.Kind == Date:
		r.next.Words = append(r.next.Words, IntWord(days))
	default:
		per := r.typ.Unit.perSecond() // a moment beyond an int64 is not between
		x := at.Unix()*per + int64(at.Nanosecond())/(nanosOfSecond/per)
		r.next.Words = append(r.next.Words, IntWord(x))
	}
	return true
}
