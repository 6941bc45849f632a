package draft

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/forecast"
)

// Profile is what some rows show of a column.
type Profile struct {
	Field forecast.Sighting // of the values; its Rows are those that are not null
	Rows  int64             // that were looked at

	name  string
	typ   formats.Type
	texts textProfile
}

// textProfile counts rows by what their texts look like. Only columns of texts have one.
type textProfile struct {
	forms   [patterns]int64
	broken  int64 // not UTF-8
	marks   int64 // the mark of suppressed values
	spaces  int64 // between words
	length  int64 // in characters
	longest int
	low     float64 // of numbers
	high    float64
}

// observe counts the rows of a batch. It returns its scratch space.
func (p *Profile) observe(column *formats.Column, counts []int64) []int64 {
	p.Rows += int64(len(column.Codes))
	if p.typ.Kind != formats.String {
		return counts
	}
	if n := column.Values.Len() + 1; cap(counts) < n {
		counts = make([]int64, n)
	}
	counts = counts[:column.Values.Len()+1]
	clear(counts)
	for _, code := range column.Codes {
		counts[code]++
	}
	for i, n := range counts[1:] {
		if n > 0 {
			p.texts.observe(column.Values.Bytes(i), n)
		}
	}
	return counts
}

// observe counts n rows with a text.
func (t *textProfile) observe(value []byte, n int64) {
	if !utf8.Valid(value) {
		t.broken += n
		return
	}
	text := string(value)
	if text == engine.Suppressed {
		t.marks += n
	}
	size := utf8.RuneCountInString(text)
	t.length += n * int64(size)
	t.longest = max(t.longest, size)
	t.spaces += n * int64(strings.Count(strings.TrimSpace(text), " "))
	if size > mostMatched {
		return
	}
	for form, match := range forms {
		if text != "" && match(text) {
			t.forms[form] += n
		}
	}
	if x, err := strconv.ParseFloat(text, 64); err == nil && forms[number](text) {
		t.low, t.high = min(t.low, x), max(t.high, x)
	}
}

// mostMatched is how many characters a text has at most that is held against forms.
const mostMatched = 200

// share returns the part of the rows with a value whose text has a form.
func (p *Profile) share(form pattern) float64 {
	return float64(p.texts.forms[form]) / float64(max(1, p.Field.Rows))
}

// distinctShare is how many of the rows with a value have one of their own, about: 1 when all
// differ.
func (p *Profile) distinctShare() float64 {
	return float64(p.Field.Distinct) / float64(max(1, p.Field.Rows))
}

// isProse reports whether texts are long, or of many words.
func (p *Profile) isProse() bool {
	rows := float64(max(1, p.Field.Rows))
	return float64(p.texts.length)/rows > 60 || float64(p.texts.spaces)/rows > 4 && p.distinctShare() > 0.1
}
