package csvfile

import (
	"strings"
)

// order is a set of orders that the parts of dates may be in.
type order uint8

const (
	dayFirst order = 1 << iota
	monthFirst
	yearFirst
	anyOrder = dayFirst | monthFirst | yearFirst
)

// form is how dates or times are written that are not ISO 8601.
type form struct {
	sign    byte // between the parts of a date; 0: there is none
	year    int  // its digits
	between byte // date and time; 0: there is no time
	clock   bool
	seconds bool
	half    string // "AM" or " AM" of a clock of twelve hours
}

// formOf returns how the date or the time of a text is written, and in which orders it is a date.
// It is not ok for what is neither.
func formOf(text string) (f form, orders order, ok bool) {
	if orders = anyOrder; strings.IndexByte(text, ':') != countDigits(text) {
		if orders, text = f.cutDate(text); orders == 0 {
			return f, 0, false
		}
		if text == "" {
			return f, orders, true
		}
		if f.between, text = text[0], text[1:]; f.between != ' ' && f.between != 'T' {
			return f, 0, false
		}
	}
	ok = f.cutClock(text) && (f.sign != 0 || f.half != "") // 10:30 may be anything
	return f, orders, ok
}

// cutDate reads the date that a text starts with. It returns the orders in which it is one, and
// the rest.
func (f *form) cutDate(text string) (orders order, rest string) {
	var parts, digits [3]int
	for i := range parts {
		if i > 0 {
			if text == "" || i == 1 && !strings.Contains("./-", text[:1]) || i == 2 && text[0] != f.sign {
				return 0, ""
			}
			f.sign, text = text[0], text[1:]
		}
		if digits[i] = countDigits(text); digits[i] == 0 || digits[i] > 4 {
			return 0, ""
		}
		for _, c := range []byte(text[:digits[i]]) {
			parts[i] = parts[i]*10 + int(c-'0')
		}
		text = text[digits[i]:]
	}
	upTo := func(part, most int) bool {
		return parts[part] >= 1 && parts[part] <= most && digits[part] <= 2
	}
	is := func(day, month, year int, of order) {
		if upTo(day, 31) && upTo(month, 12) && digits[year]&1 == 0 {
			orders, f.year = orders|of, digits[year]
		}
	}
	is(0, 1, 2, dayFirst)
	is(1, 0, 2, monthFirst)
	is(2, 1, 0, yearFirst)
	return orders, text
}

// cutClock reads a time of day, and reports whether that is all.
func (f *form) cutClock(text string) bool {
	hours, text, _ := strings.Cut(text, ":")
	if n := countDigits(hours); n == 0 || n > 2 || n < len(hours) || countDigits(text) != 2 {
		return false
	}
	if text = text[2:]; strings.HasPrefix(text, ":") {
		if f.seconds = countDigits(text[1:]) == 2; !f.seconds {
			return false
		}
		if text = text[3:]; strings.HasPrefix(text, ".") {
			text = text[1+countDigits(text[1:]):]
		}
	}
	f.clock = true
	switch {
	case text == "":
	case strings.EqualFold(text, "AM"), strings.EqualFold(text, "PM"):
		f.half = "AM"
	case strings.EqualFold(text, " AM"), strings.EqualFold(text, " PM"):
		f.half = " AM"
	default:
		return false
	}
	return true
}

// types returns the types that a job may declare for dates in some orders.
func (f *form) types(orders order) (types []string) {
	clock := ""
	if f.clock {
		clock = "hh:mm"
		if f.seconds {
			clock += ":ss"
		}
		clock += f.half
	}
	if f.sign == 0 {
		return []string{"type: time(" + clock + ")"}
	}
	kind, years, sign := "date", strings.Repeat("Y", f.year), string(f.sign)
	if f.clock {
		kind, clock = "timestamp", string(f.between)+clock
	}
	for i, parts := range [][]string{{"D", "M", years}, {"M", "D", years}, {years, "M", "D"}} {
		if orders&(1<<i) != 0 {
			types = append(types, "type: "+kind+"("+strings.Join(parts, sign)+clock+")")
		}
	}
	return types
}
