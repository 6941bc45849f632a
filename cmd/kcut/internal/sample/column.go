package sample

import (
	"strconv"
	"strings"
	"time"

	"github.com/kcut/kcut/formats"
)

// column is one column of the sample.
type column struct {
	name     string
	kind     formats.Type
	nullable bool

	// Columns of a domain: its values, their texts (an empty one, the null's, first), and
	// the code of a person's.
	values *formats.Values
	texts  []string
	code   func(*person) uint32

	// text appends what is each person's own. The column's type is String or Int.
	text func([]byte, *person) []byte
}

var (
	text       = formats.Type{Kind: formats.String}
	number     = formats.Type{Kind: formats.Int, Bits: 32}
	sampleRow  = formats.Type{Kind: formats.Int, Bits: 64}
	sampleDate = formats.Type{Kind: formats.Date}
)

// columns returns the sample's columns, in order.
func (p *people) columns() []column {
	names := append(append([]string(nil), femaleNames...), maleNames...)
	return []column{
		{name: "id", kind: sampleRow, text: appendID},
		textColumn("name", fullNames(names), func(h *person) uint32 {
			return h.firstName*uint32(len(lastNames)) + h.lastName + 1
		}),
		{name: "email", kind: text, text: emailAppender(names)},
		p.birthColumn(),
		numberColumn("age", numbersFrom(youngest, oldest), func(h *person) uint32 { return uint32(h.age-youngest) + 1 }),
		textColumn("sex", sexes, func(h *person) uint32 { return h.sex + 1 }),
		textColumn("race", races, func(h *person) uint32 { return h.race + 1 }),
		nullableColumn(textColumn("native-country", countries, func(h *person) uint32 {
			return orNull(h.noCountry, h.country)
		})),
		textColumn("zip", p.zip.texts, func(h *person) uint32 { return h.zip + 1 }),
		textColumn("education", educations, func(h *person) uint32 { return h.education + 1 }),
		numberColumn("education-num", numbersFrom(1, int64(len(educations))), func(h *person) uint32 { return h.education + 1 }),
		textColumn("marital-status", maritals, func(h *person) uint32 { return h.marital + 1 }),
		textColumn("relationship", relationships, func(h *person) uint32 { return h.relationship + 1 }),
		nullableColumn(textColumn("workclass", workclasses, func(h *person) uint32 { return orNull(h.noWork, h.workclass) })),
		nullableColumn(textColumn("occupation", occupations, func(h *person) uint32 { return orNull(h.noWork, h.occupation) })),
		numberColumn("hours-per-week", numbersFrom(1, 99), func(h *person) uint32 { return h.hours + 1 }),
		numberColumn("capital-gain", capitalGains, func(h *person) uint32 { return h.gain + 1 }),
		numberColumn("capital-loss", capitalLosses, func(h *person) uint32 { return h.loss + 1 }),
		textColumn("income", incomes, func(h *person) uint32 { return h.income + 1 }),
	}
}

func orNull(null bool, value uint32) uint32 {
	if null {
		return 0
	}
	return value + 1
}

func nullableColumn(c column) column {
	c.nullable = true
	return c
}

func textColumn(name string, texts []string, code func(*person) uint32) column {
	values := &formats.Values{Type: text}
	for _, text := range texts {
		values.AppendBytes([]byte(text))
	}
	return column{name: name, kind: text, values: values, texts: withNull(texts), code: code}
}

func numberColumn(name string, numbers []int64, code func(*person) uint32) column {
	values := &formats.Values{Type: number}
	var texts []string
	for _, n := range numbers {
		values.Words = append(values.Words, signedWord(n))
		texts = append(texts, strconv.FormatInt(n, 10))
	}
	return column{name: name, kind: number, values: values, texts: withNull(texts), code: code}
}

func (p *people) birthColumn() column {
	values := &formats.Values{Type: sampleDate}
	var texts []string
	for day := p.oldestBirth; day <= p.youngestBirth; day++ {
		values.Words = append(values.Words, signedWord(day))
		texts = append(texts, time.Unix(day*86400, 0).UTC().Format(time.DateOnly))
	}
	return nullableColumn(column{
		name: "birth-date", kind: sampleDate, values: values, texts: withNull(texts),
		code: func(h *person) uint32 { return orNull(h.noBirth, uint32(h.born-p.oldestBirth)) },
	})
}

// signedWord is the word of a signed number in formats.Values.
func signedWord(n int64) uint64 { return uint64(n) ^ 1<<63 }

func withNull(texts []string) []string { return append([]string{""}, texts...) }

func numbersFrom(first, last int64) []int64 {
	var numbers []int64
	for n := first; n <= last; n++ {
		numbers = append(numbers, n)
	}
	return numbers
}

// fullNames returns all pairs of a first and a last name, by first name.
func fullNames(firsts []string) []string {
	var full []string
	for _, first := range firsts {
		for _, last := range lastNames {
			full = append(full, first+" "+last)
		}
	}
	return full
}

func appendID(text []byte, h *person) []byte { return strconv.AppendInt(text, h.row+1, 10) }

// emailAppender appends addresses that are unique by the row's number.
func emailAppender(firsts []string) func([]byte, *person) []byte {
	lowerFirsts, lowerLasts := lowered(firsts), lowered(lastNames)
	return func(text []byte, h *person) []byte {
		text = append(text, lowerFirsts[h.firstName]...)
		text = append(text, '.')
		text = append(text, lowerLasts[h.lastName]...)
		text = appendID(text, h)
		return append(text, "@example.org"...)
	}
}

func lowered(texts []string) []string {
	var lower []string
	for _, text := range texts {
		lower = append(lower, strings.ToLower(text))
	}
	return lower
}
