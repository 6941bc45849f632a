package csvfile

import (
	"strings"
)

// looks is what the texts look like of a column of texts: numbers or dates, once it is declared
// how these are written.
type looks struct {
	numerals uint8 // which of declarable all texts are numbers in that are none without
	orders   order // in which all texts are dates of one form
	form     form
	some     bool // there are texts that are no numbers without
}

// declarable are numerals that tables are written in, and how a job says so.
var declarable = []struct {
	numerals
	keys string
}{
	{numerals{',', 0}, `csv.decimal: ","`},
	{numerals{',', '.'}, `csv.decimal: "," and csv.thousands: "."`},
	{numerals{',', ' '}, `csv.decimal: "," and csv.thousands: " "`},
	{numerals{'.', ','}, `csv.thousands: ","`},
	{numerals{'.', ' '}, `csv.thousands: " "`},
	{numerals{'.', '\''}, `csv.thousands: "'"`},
}

// looksLikeAny is before a text is seen.
func looksLikeAny() looks { return looks{numerals: 1<<len(declarable) - 1, orders: anyOrder} }

// like reports whether the texts may still look like something.
func (l *looks) like() bool { return l.numerals != 0 || l.orders != 0 }

// see takes in a text, and what it may stand for. It uses a buffer.
func (l *looks) see(text []byte, is guess, buffer *[]byte) {
	if is != 0 {
		l.orders = 0
	}
	if is&guessNumber != 0 {
		return
	}
	if l.orders != 0 {
		f, orders, ok := formOf(asString(text))
		if !ok || l.some && f != l.form {
			orders = 0
		}
		l.form, l.orders = f, l.orders&orders
	}
	l.some = true
	for i := range declarable {
		bit := uint8(1) << i
		if l.numerals&bit != 0 && declarable[i].guessOf(text, buffer)&guessNumber == 0 {
			l.numerals &^= bit
		}
	}
}

// join adds what texts further down look like.
func (l *looks) join(other looks) {
	if l.numerals &= other.numerals; other.some {
		if l.some && l.form != other.form {
			l.orders = 0
		}
		l.form = other.form
	}
	l.orders &= other.orders
	l.some = l.some || other.some
}

// advice says what the texts look like, and how to say so; nothing when they look like texts.
func (l *looks) advice() string {
	if !l.some {
		return ""
	}
	var keys []string
	decimal := byte(0)
	for i, d := range declarable {
		if l.numerals&(1<<i) != 0 && d.decimal != decimal { // the first with each decimal sign
			keys, decimal = append(keys, d.keys), d.decimal
		}
	}
	switch {
	case keys == nil && l.orders == 0:
		return ""
	case keys == nil:
		types := strings.Join(l.form.types(l.orders), " or ")
		return "dates or times; if they are, declare how they are written, as " + types
	}
	return "numbers with decimal commas or groups of digits; if they are, set " +
		strings.Join(keys, " or ")
}
