package csvfile

import (
	"bytes"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/kcut/kcut/formats"
)

// looks describes a column of texts that look like numbers or dates, if their form were declared.
type looks struct {
	// by bit of declarable: all texts are numbers in these numerals, but not without a declaration
	numerals uint8
	forms    formSet // in which all texts are dates or times
	some     bool    // some texts are no numbers without a declaration
	// by bit: the numbers in the first and the second place of dates
	first, second uint32
}

// declarable are numerals that occur in tables, with their declaration in a job.
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

// timeForm is a form of dates or times other than ISO 8601: its declaration in a job, and its
// layout in package time.
type timeForm struct{ declared, layout string }

// timeForms are the forms that occur in tables.
var timeForms = func() (forms []timeForm) {
	parts := strings.NewReplacer("AM", "PM", "YYYY", "2006", "YY", "06", "MMM", "Jan", "M", "1",
		"D", "2", "hh", "15", "mm", "04", "ss", "05")
	add := func(kind, form string) {
		layout := parts.Replace(form)
		if strings.HasSuffix(layout, "PM") {
			layout = strings.Replace(layout, "15", "3", 1)
		}
		forms = append(forms, timeForm{"type: " + kind + "(" + form + ")", layout})
	}
	clocks := []string{"hh:mm", "hh:mm:ss", "hh:mmAM", "hh:mm AM", "hh:mm:ssAM", "hh:mm:ss AM"}
	for _, clock := range clocks[2:] { // 10:30 may mean anything
		add("time", clock)
	}
	dates := func(signs, orders, between []string) {
		for _, sign := range signs {
			for _, order := range orders {
				date := strings.ReplaceAll(order, " ", sign)
				add("date", date)
				for _, clock := range clocks {
					for _, sign := range between {
						add("timestamp", date+sign+clock)
					}
				}
			}
		}
	}
	dates([]string{".", "/", "-"}, []string{"D M YYYY", "D M YY", "M D YYYY", "M D YY", "YYYY M D",
		"YY M D"}, []string{" ", "T"})
	dates([]string{"-", "/", " ", ""}, []string{"D MMM YYYY", "D MMM YY"}, []string{" ", ":"})
	dates([]string{" "}, []string{"D MMM, YYYY"}, []string{" "})
	return forms
}()

// formSet has a bit for each of timeForms.
type formSet [6]uint64

// each calls do with all forms of the set.
func (s formSet) each(do func(number int, f *timeForm)) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			number := 64*i + bits.TrailingZeros64(word)
			do(number, &timeForms[number])
		}
	}
}

// mostForm is the largest number of bytes of a date or a time in any form: longer texts are not
// tried in each of them.
const mostForm = 64

// see removes the forms in which a text is no date and no time.
func (s *formSet) see(text string) {
	if text == "" || text[0]-'0' > 9 || len(text) > mostForm {
		*s = formSet{}
	}
	s.each(func(number int, f *timeForm) {
		written := text
		if strings.HasSuffix(f.layout, "PM") {
			written = strings.ToUpper(text)
		}
		if _, err := time.Parse(f.layout, written); err != nil {
			s[number/64] &^= 1 << (number % 64)
		}
	})
}

// looksLikeAny returns the looks before the first text.
func looksLikeAny() (l looks) {
	l.numerals = 1<<len(declarable) - 1
	for i := range timeForms {
		l.forms[i/64] |= 1 << (i % 64)
	}
	return l
}

// like reports whether the texts may still look like numbers or dates.
func (l *looks) like() bool { return l.numerals != 0 || l.forms != formSet{} }

// see adds a text with its guess. It uses a buffer.
func (l *looks) see(text []byte, is guess, buffer *[]byte) {
	if is != 0 {
		l.forms = formSet{}
	}
	if is&guessNumber != 0 {
		l.seePoint(text)
		return
	}
	l.forms.see(asString(text))
	if (l.forms != formSet{}) {
		l.seePlaces(text)
	}
	l.some = true
	for i := range declarable {
		bit := uint8(1) << i
		if l.numerals&bit != 0 && declarable[i].guessOf(text, buffer)&guessNumber == 0 {
			l.numerals &^= bit
		}
	}
}

// seePoint removes the numerals with a decimal comma if a number has a point before another number
// of digits than three.
func (l *looks) seePoint(number []byte) {
	if at := bytes.IndexByte(number, '.'); at >= 0 && len(number)-at != len(".000") {
		for i := range declarable {
			if declarable[i].decimal == ',' {
				l.numerals &^= 1 << i
			}
		}
	}
}

// join adds the looks of texts further down.
func (l *looks) join(other looks) {
	l.numerals &= other.numerals
	for i := range l.forms {
		l.forms[i] &= other.forms[i]
	}
	l.some = l.some || other.some
	l.first, l.second = l.first|other.first, l.second|other.second
}

// seePlaces adds the numbers in the first two places of a date.
func (l *looks) seePlaces(text []byte) {
	at := 0
	number := func() uint32 {
		n := uint32(0)
		for ; at < len(text) && text[at]-'0' <= 9 && n < 100; at++ {
			n = 10*n + uint32(text[at]-'0')
		}
		at++
		return 1 << min(n, 31)
	}
	l.first |= number()
	l.second |= number()
}

const (
	onlyFirst = 1 << 1       // the bit of 1, the first day of a month
	allMonths = 1<<13 - 1<<1 // the bits of 1 to 12
)

// times returns the types by which all texts are dates or times, as a job declares them. Of two
// orders of days and months it is that in which all days are the first of each of twelve months.
func (l *looks) times() (types []string) {
	if !l.some {
		return nil
	}
	l.forms.each(func(_ int, f *timeForm) { types = append(types, f.declared) })
	monthFirst := l.first == allMonths && l.second == onlyFirst
	if dayFirst := l.first == onlyFirst && l.second == allMonths; monthFirst || dayFirst {
		types = slices.DeleteFunc(types, func(declared string) bool {
			return strings.Contains(declared, "(D") && monthFirst ||
				strings.Contains(declared, "(M") && dayFirst
		})
	}
	return types
}

// declared returns the only type by which all texts are dates or times, as a job declares it;
// empty: there is none, or several.
func (l *looks) declared() string {
	types := l.times()
	if len(types) != 1 {
		return ""
	}
	return strings.TrimPrefix(types[0], "type: ")
}

// signs returns the numerals in which all texts are numbers, if some are none without a
// declaration.
func (l *looks) signs() (signs []formats.Numerals) {
	for i, d := range declarable {
		if l.some && l.numerals&(1<<i) != 0 {
			signs = append(signs, formats.Numerals{Decimal: d.decimal, Thousands: d.thousands})
		}
	}
	return signs
}

// advice describes the form of the texts, and how to declare it; it is empty for plain texts.
func (l *looks) advice() string {
	if !l.some {
		return ""
	}
	var keys []string
	decimal := byte(0)
	for i, d := range declarable {
		if l.numerals&(1<<i) != 0 && d.decimal != decimal { // the first one for each decimal sign
			keys, decimal = append(keys, d.keys), d.decimal
		}
	}
	types := l.times()
	switch {
	case keys != nil:
		return "numbers with decimal commas or groups of digits; if they are, set " +
			strings.Join(keys, " or ")
	case types != nil:
		return "dates or times; if they are, declare how they are written, as " +
			strings.Join(types, " or ")
	}
	return ""
}
