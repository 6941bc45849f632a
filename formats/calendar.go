package formats

import "time"

// Dates are proleptic Gregorian with a year 0, as in ISO 8601, and reach as far as an
// int64 of seconds does, beyond what package time has: dates repeat after 400 years.
const daysOf400Years = 146097

// DaysOf returns the days from 1970-01-01 to a date, and false when there is no such date. It
// is called for every date of a CSV file: package time takes 1.7 times as long.
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
