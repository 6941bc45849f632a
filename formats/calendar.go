package formats

// Dates are proleptic Gregorian with a year 0, as in ISO 8601, and reach as far as an
// int64 of seconds does, beyond what package time can print.

// DaysOf returns the days from 1970-01-01 to a date, and false when there is no such date.
func DaysOf(year int64, month, day int) (days int64, ok bool) {
	date := civil{year, month, day}
	return date.days(), date.valid()
}

// civil is a date.
type civil struct {
	year       int64
	month, day int
}

// civilOf returns the date that lies days after 1970-01-01.
func civilOf(days int64) civil {
	days += 719468 // days from 0000-03-01: years that start in March end with the leap day
	era := floorDiv(days, 146097)
	dayOfEra := days - era*146097
	yearOfEra := (dayOfEra - dayOfEra/1460 + dayOfEra/36524 - dayOfEra/146096) / 365
	dayOfYear := dayOfEra - (365*yearOfEra + yearOfEra/4 - yearOfEra/100)
	shifted := (5*dayOfYear + 2) / 153 // 0 is March
	date := civil{year: yearOfEra + era*400, month: int(shifted) + 3, day: int(dayOfYear-(153*shifted+2)/5) + 1}
	if date.month > 12 {
		date.month -= 12
		date.year++
	}
	return date
}

// days returns the number of days from 1970-01-01 to the date.
func (c civil) days() int64 {
	year, shifted := c.year, int64(c.month-3)
	if c.month < 3 {
		year, shifted = year-1, int64(c.month+9)
	}
	era := floorDiv(year, 400)
	yearOfEra := year - era*400
	dayOfYear := (153*shifted+2)/5 + int64(c.day) - 1
	return era*146097 + yearOfEra*365 + yearOfEra/4 - yearOfEra/100 + dayOfYear - 719468
}

// valid reports whether the date exists.
func (c civil) valid() bool {
	return c.month >= 1 && c.month <= 12 && c.day >= 1 && c.day <= 31 && civilOf(c.days()) == c
}

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
