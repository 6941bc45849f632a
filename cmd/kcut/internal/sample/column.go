package sample

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/workers"
)

// column is one column of the sample: its field, and the values of its domain with their texts. What
// is each person's own has no domain.
type column struct {
	formats.Field
	values *formats.Values
	texts  []string
	own    func(text []byte, h *person) []byte // appends it
}

// The columns, in order.
const (
	colID = iota
	colName
	colEmail
	colBirth
	colAge
	colSex
	colRace
	colCountry
	colZip
	colEducation
	colEducationNum
	colMarital
	colRelationship
	colWorkclass
	colOccupation
	colHours
	colGain
	colLoss
	colIncome
	numColumns
)

// columns returns the sample's columns, in order.
func (p *people) columns() []column {
	firsts := slices.Concat(femaleNames, maleNames)
	var fullNames, dates []string // by first name
	for _, first := range firsts {
		for _, last := range lastNames {
			fullNames = append(fullNames, first+" "+last)
		}
	}
	for day := p.oldestBirth; day <= p.youngestBirth; day++ {
		dates = append(dates, time.Unix(day*86400, 0).UTC().Format(time.DateOnly))
	}
	columns := []column{
		ownColumn("id", formats.Type{Kind: formats.Int, Bits: 64}, appendID),
		textColumn("name", fullNames),
		ownColumn("email", formats.Type{Kind: formats.String}, emailAppender(firsts)),
		newColumn("birth-date", formats.Type{Kind: formats.Date}, dates),
		numberColumn("age", numbersFrom(youngest, oldest)),
		textColumn("sex", sexes),
		textColumn("race", races),
		textColumn("native-country", countries),
		textColumn("zip", p.zip.texts),
		textColumn("education", educations),
		numberColumn("education-num", numbersFrom(1, len(educations))),
		textColumn("marital-status", maritals),
		textColumn("relationship", relationships),
		textColumn("workclass", workclasses),
		textColumn("occupation", occupations),
		numberColumn("hours-per-week", numbersFrom(1, 99)),
		numberColumn("capital-gain", capitalGains),
		numberColumn("capital-loss", capitalLosses),
		textColumn("income", incomes),
	}
	for _, nullable := range []int{colBirth, colCountry, colWorkclass, colOccupation} {
		columns[nullable].Nullable = true
	}
	return columns
}

func ownColumn(name string, t formats.Type, own func([]byte, *person) []byte) column {
	return column{Field: formats.Field{Name: name, Type: t}, own: own}
}

func textColumn(name string, texts []string) column {
	return newColumn(name, formats.Type{Kind: formats.String}, texts)
}

func numberColumn(name string, numbers []int) column {
	var texts []string
	for _, n := range numbers {
		texts = append(texts, strconv.Itoa(n))
	}
	return newColumn(name, formats.Type{Kind: formats.Int, Bits: 32}, texts)
}

// newColumn returns a column of values, all of which are of its type.
func newColumn(name string, t formats.Type, texts []string) column {
	c := column{Field: formats.Field{Name: name, Type: t}, values: &formats.Values{Type: t}, texts: texts}
	for _, text := range texts {
		workers.Must(c.values.Parse(text))
	}
	return c
}

func numbersFrom(first, last int) (numbers []int) {
	for n := first; n <= last; n++ {
		numbers = append(numbers, n)
	}
	return numbers
}

func appendID(text []byte, h *person) []byte { return strconv.AppendInt(text, h.row+1, 10) }

// emailAppender appends addresses that are unique by the row's number.
func emailAppender(firsts []string) func([]byte, *person) []byte {
	var names []string
	for _, first := range firsts {
		for _, last := range lastNames {
			names = append(names, strings.ToLower(first+"."+last))
		}
	}
	return func(text []byte, h *person) []byte {
		text = appendID(append(text, names[h.value[colName]]...), h)
		return append(text, "@example.org"...)
	}
}
