package formats

import "time"

// Dates are proleptic Gregorian with a year 0, as in ISO 8601, and reach as far as an
// int64 of seconds does, beyond what package time has: dates repeat after 400 years.
const daysOf400Years = 146097

// DaysOf returns the days from 1970-01-01 to a date, and false when there is no such date.
func DaysOf(year int64, month, day int) (days int64, ok bool) {
	cycle := floorDiv(year, 400)
	date := time.Date(int(year-cycle*400), time.Month(month), day, 0, 0, 0, 0, time.UTC)
	ok = month >= 1 && month <= 12 && day >= 1 && (day <= 28 || day <= 31 && date.Day() == day)
	return date.Unix()/secondsOfDay + cycle*daysOf400Years, ok
}

// dateOf returns the date that lies days after 1970-01-01.
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

// perSecond returns how many of the unit make a second.
func (u Unit) perSecond() int64 {
	return [...]int64{Second: 1, Milli: 1e3, Micro: 1e6, Nano: 1e9}[u]
}

// digits returns the number of fraction digits of a second in the unit.
func (u Unit) digits() int { return 3 * int(u) }
