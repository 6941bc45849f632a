package formats

import (
	"encoding/binary"
	"math"
	"time"
)

// Dates are proleptic Gregorian with a year 0, as in ISO 8601. They reach as far as an int64 of
// seconds, beyond the range of package time: dates repeat after 400 years.
const daysOf400Years = 146097

// DaysOf returns the days from 1970-01-01 to a date, and false when there is no such date. It is
// called for every date of a CSV file: package time takes 1.7 times as long.
func DaysOf(year int64, month, day int) (days int64, ok bool) {
	if month < 1 || month > 12 || day < 1 || day > daysOfMonth[month-1] {
		return 0, false
	}
	shifted := int64(month) - 3 // years that start in March end with the leap day
	if month < 3 {
		year, shifted = year-1, shifted+12
	}
	cycle := floorDiv(year, 400)
	of400 := year - cycle*400
	leap := (of400+1)%4 == 0 && (of400+1)%100 != 0 || of400 == 399
	days = of400*365 + of400/4 - of400/100 + (153*shifted+2)/5 + int64(day-1)
	return days + cycle*daysOf400Years - daysTo1970, month != 2 || day < 29 || leap
}

var daysOfMonth = [...]int{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

const daysTo1970 = 719468 // from 0000-03-01

// dateOf returns the date that is days after 1970-01-01.
func dateOf(days int64) (year int64, month, day int) {
	cycle := floorDiv(days, daysOf400Years)
	y, m, d := time.Unix((days-cycle*daysOf400Years)*secondsOfDay, 0).UTC().Date()
	return int64(y) + cycle*400, int(m), d
}

const secondsOfDay = 86400

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// perSecond returns the number of units in a second.
func (u Unit) perSecond() int64 {
	return [...]int64{Second: 1, Milli: 1e3, Micro: 1e6, Nano: 1e9}[u]
}

// digits returns the number of fraction digits of a second in the unit.
func (u Unit) digits() int { return 3 * int(u) }

// Width returns a length of time, given in seconds, in the measure of Values.Float for dates, times
// and timestamps.
func (t Type) Width(seconds float64) float64 {
	switch {
	case t.Kind == Date:
		return seconds / 86400
	case t.Wide:
		return seconds * 1e9
	}
	return seconds * float64(t.Unit.perSecond())
}

// Spacing returns the smallest distance of two values, in the measure of Values.Float; 0: any.
func (t Type) Spacing() float64 {
	switch t.Kind {
	case Int, Uint, Date, Time, Timestamp:
		return 1
	case Decimal:
		return math.Pow10(-t.Scale)
	}
	return 0
}

// nanosOfDay is the number of nanoseconds of a day.
const nanosOfDay = 86400e9

// julianEpoch is the Julian day of 1970-01-01.
const julianEpoch = 2440588

// AppendInt96 appends a timestamp, given as a Julian day and the nanoseconds since its start, and
// reports whether the day is in range; if not, the appended value means nothing. Old writers allow
// negative nanoseconds, or more than a day's: such a timestamp is normalized, so that one moment is
// one value and the order of bytes is that of moments.
func (v *Values) AppendInt96(day int32, nanos int64) bool {
	extra := floorDiv(nanos, nanosOfDay)
	moved := int64(day) + extra
	v.Data = binary.BigEndian.AppendUint32(v.Data, uint32(moved)^1<<31)
	v.Data = binary.BigEndian.AppendUint64(v.Data, uint64(nanos-extra*nanosOfDay))
	v.Ends = append(v.Ends, uint32(len(v.Data)))
	return moved == int64(int32(moved))
}

// int96Parts returns the days since 1970-01-01 and the nanoseconds of an INT96 timestamp.
func int96Parts(b []byte) (days int64, nanos uint64) {
	julian := int32(binary.BigEndian.Uint32(b) ^ 1<<31)
	return int64(julian) - julianEpoch, binary.BigEndian.Uint64(b[4:])
}

func int96Text(b []byte, zone string) string {
	days, nanos := int96Parts(b)
	return momentText(days, nanos/1e9, nanos%1e9, Nano, zone)
}

func parseInt96(text, zone string) ([]byte, bool) {
	days, clock, offset, ok := cutMoment(text, zone)
	nanos, fits := parseClock(clock, Nano)
	julian := days + julianEpoch
	if !ok || !fits || offset != 0 || nanos >= nanosOfDay || julian != int64(int32(julian)) {
		return nil, false
	}
	b := binary.BigEndian.AppendUint32(nil, uint32(julian)^1<<31)
	return binary.BigEndian.AppendUint64(b, nanos), true
}
