package draft

import (
	"bytes"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/forecast"
)

// Profile is the properties of a column in some rows.
type Profile struct {
	Field forecast.Occurrences // of the values; its Rows are those without null
	Rows  int64                // number of rows read

	name  string
	words []string // of the name
	fact  bool     // the name is that of a fact that people know about others
	// a codebook of a survey says that its numbers have no order
	isNominal bool
	typ       formats.Type
	position  int  // of a column of CSV without a name: see formats.Field
	differs   bool // its types in the files do not fit together
	parted    byte // the character between fields of CSV; 0: several, or no texts
	place     int  // position in the sample, -1 for a column that cannot be read
	texts     textProfile
	parts     []uint8 // see observeParts; nil: no value is a list of several
	role      *Role   // the proposal
	// the known numbers that nearly give it, though it is called like a class; nil: none
	givenBy    []*Profile
	remembered bool // it would be the class, but acquaintances remember it
	// share of the rows that have a value of their own, which is only known of few values
	alone float64
	// texts of a few kinds with many rows each are those of nearly all rows
	recurs bool
	// it is between items of a questionnaire, or one of them
	amongItems, isItem bool
	isLost             bool // as a sum it would go with a part of it: it stays
	isOption           bool // it has yes and no for one option of a question
	lasts              bool // a time and it give another time
	countsRows         bool // its numbers from 0 or 1 on are one more than in the row before

	// In a column whose values have an order: the number of every row, NaN for a null, as long as
	// there is a sample; the least and the greatest of them; the distance that the middle nine
	// tenths of its distinct values span; and the numbers with each percent of the rows below them.
	numbers   []float64
	least     float64
	greatest  float64
	low, high float64
	quantiles []float64
	broken    bool    // some of them have fractions
	rounding  float64 // the distance to which these are rounded; 0: none has one
	unknown   string  // which of them look like codes for unknown, as a part of a reason
	answers   int     // number of distinct ones but these
	digits    int     // of whole numbers, all of which have as many; 0: they have not
}

func newProfile(field formats.Field) *Profile {
	name := field.Name
	if ofQuestion(name) && field.Question != "" {
		name = field.Question
	}
	name = condition.ReplaceAllString(name, "")
	words := spelled(wordsOf(name))
	return &Profile{
		name:     field.Name,
		words:    words,
		fact:     isFact(spelled(wordsOf(questionOf(name)))) && !formerly.has(words),
		typ:      field.Type,
		position: field.Position,
		differs:  field.Differs != nil,
		parted:   field.Text.Parted,
		place:    -1,
		texts:    textProfile{absent: make([]int64, len(absent))},
	}
}

// ofQuestion is the form of names that are numbers of questions.
var ofQuestion = matches(`^Q(ID)?\d`)

// condition is the form of what stands behind a question: for whom it is.
var condition = regexp.MustCompile(`([.;:?!] |\.\.)(?i:only|if)\b.*$`)

// aside is the form of words in brackets, and ofYou that of what stands in front of what a question
// asks for.
var (
	aside = regexp.MustCompile(`\([^)]*\)`)
	ofYou = regexp.MustCompile(`^(?i:\W*\d*\W*what is your )`)
	// request matches what a request asks for, without how and for what
	request = regexp.MustCompile(`^(?i:\W*\d*\W*please (?:select|choose|indicate|describe|specify|` +
		`enter|state)) (.+?)(?:[.:]| (?:to|by|based|for|from|in which)\b|$)`)
)

// questionOf returns what a question or a request asks for, or the name: without words in brackets,
// and up to its question mark, behind which it says how to answer.
func questionOf(name string) string {
	if found := request.FindStringSubmatch(aside.ReplaceAllString(name, "")); found != nil {
		return found[1]
	}
	question, _, found := strings.Cut(name, "?")
	if !found {
		return name
	}
	return ofYou.ReplaceAllString(aside.ReplaceAllString(question, ""), "")
}

// textProfile counts rows by the form of their texts. Only columns of texts have one.
type textProfile struct {
	forms     [patterns]int64
	broken    int64            // number of texts that are not UTF-8
	absent    []int64          // rows of each of the texts that often stand for no value
	blanks    map[string]int64 // rows of other texts without a letter and a digit, if these are few
	fractions int64            // rows of numbers with a point
	meant     int64            // rows of texts that mean something among numbers
	written   [len(written)]int64
	timed     int              // largest number of characters of a time
	spaces    int64            // number of spaces between words
	padded    int64            // rows of texts that begin or end with a blank
	few       map[string]int64 // rows of each text, if they are few
	phrases   map[string]int64 // rows of the first entries of lists that were seen
	entries   int64            // number of all of these
	// around counts rows of numbers by the signs around their digits, for which N stands, as N%;
	// commas counts those with a comma that may be before a fraction, and plains the others
	around         map[string]int64
	commas, plains int64
	bracketed      int64 // rows of numbers in brackets
	length         int64 // in characters
	longest        int
	numbers        []float64             // of all rows with one, as long as they are measured
	low, high      float64               // the ends of the middle nine tenths of these
	different      int                   // number of different ones
	begins         [mostShared]beginning // by the number of characters, from one on
}

// beginning is the first characters of a column's texts that most rows have, if most have the same.
type beginning struct {
	text   string
	excess int64 // how many more rows have these characters than others that were seen
}

// mostShared is the largest number of first characters of texts that are compared.
const mostShared = 8

// observe counts n rows that begin with a text: of each row with other characters and one with
// these, neither counts any more (Boyer and Moore, MJRTY, 1991).
func (b *beginning) observe(text string, n int64) {
	switch {
	case b.text == text:
		b.excess += n
	case b.excess >= n:
		b.excess -= n
	default:
		b.text, b.excess = text, n-b.excess
	}
}

// observe counts the rows of a batch. It returns its scratch space.
func (p *Profile) observe(column *formats.Column, counts []int64) []int64 {
	p.Rows += int64(len(column.Codes))
	if p.typ.Ordered() {
		for _, code := range column.Codes {
			number := math.NaN()
			if code > 0 {
				number = column.Values.Float(int(code) - 1)
			}
			p.numbers = append(p.numbers, number)
		}
	}
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
	p.observeParts(column, counts)
	return counts
}

// measure measures the numbers of all rows.
func (p *Profile) measure() {
	p.countsRows = countsRows(p.numbers)
	if of := p.texts.numbers; len(of) > 0 {
		slices.Sort(of)
		p.texts.low, p.texts.high = of[len(of)/20], of[len(of)-1-len(of)/20]
		p.texts.different, p.texts.numbers = len(slices.Compact(of)), nil
	}
	sorted := slices.DeleteFunc(slices.Clone(p.numbers), math.IsNaN)
	slices.Sort(sorted)
	p.quantiles = quantiles(sorted)
	if !p.isTime() && !periods.has(p.words) {
		p.unknown, p.answers = unknownOf(sorted)
	} else if p.isTime() && isOtherLeast(sorted) {
		p.unknown = leastUnknown
	}
	if sorted = slices.Compact(sorted); len(sorted) > 0 {
		least, most := roundText(sorted[0]), roundText(sorted[len(sorted)-1])
		if len(least) == len(most) && sorted[0] >= 0 {
			p.digits = len(most)
		}
		p.least, p.greatest = sorted[0], sorted[len(sorted)-1]
		p.broken = slices.ContainsFunc(sorted, func(x float64) bool { return x != math.Trunc(x) })
		if p.broken {
			p.rounding = roundingOf(sorted)
		}
		p.low, p.high = sorted[len(sorted)/20], sorted[len(sorted)-1-len(sorted)/20]
	}
}

// countsRows reports whether numbers from 0 or 1 on are one more than the one before, but for a
// few.
func countsRows(numbers []float64) bool {
	others := 0
	for row := range numbers[min(1, len(numbers)):] {
		if numbers[row+1]-numbers[row] != 1 {
			others++
		}
	}
	return len(numbers) > 1 && (numbers[0] == 0 || numbers[0] == 1) &&
		others*renamed <= len(numbers)
}

// quantiles returns the numbers with each percent of sorted numbers below them.
func quantiles(sorted []float64) []float64 {
	const parts = 100
	if len(sorted) < parts {
		return nil
	}
	quantiles := make([]float64, parts)
	for i := range quantiles {
		quantiles[i] = sorted[i*len(sorted)/parts]
	}
	return quantiles
}

// observe counts n rows with a text.
func (t *textProfile) observe(value []byte, n int64) {
	if !utf8.Valid(value) {
		t.broken += n
		return
	}
	size := utf8.RuneCount(value)
	t.length += n * int64(size)
	t.longest = max(t.longest, size)
	t.spaces += n * int64(bytes.Count(bytes.TrimSpace(value), []byte(" ")))
	t.observePhrases(value, n)
	if size > mostMatched { // it may be large: it has no form
		return
	}
	text := string(value)
	if len(t.few) <= mostAlike {
		if t.few == nil {
			t.few = make(map[string]int64)
		}
		t.few[text] += n
	}
	if trimmed := strings.TrimSpace(text); trimmed != "" && trimmed != text {
		t.padded += n
	}
	if sign, commas := around(text); sign != "" {
		if t.around == nil {
			t.around = make(map[string]int64)
		}
		if t.around[sign] += n; commas {
			t.commas += n
		} else {
			t.plains += n
		}
		if strings.Contains(text, "(") {
			t.bracketed += n
		}
	}
	if at := slices.Index(absent, text); at >= 0 {
		t.absent[at] += n
	} else if !strings.ContainsFunc(text, isLetterOrDigit) {
		t.observeBlank(text, n)
	}
	characters := 0
	for at, r := range text {
		if characters == mostShared {
			break
		}
		t.begins[characters].observe(text[:at+utf8.RuneLen(r)], n)
		characters++
	}
	english := valueInEnglish(text)
	for form, match := range forms {
		if text != "" && match(text) || english != "" && match(english) {
			t.forms[form] += n
		}
	}
	for i := range written {
		if written[i].form(text) {
			t.written[i] += n
		}
	}
	if isMeant(text) {
		t.meant += n
	}
	if forms[timing](text) {
		t.timed = max(t.timed, size)
	}
	if x, err := strconv.ParseFloat(text, 64); err == nil && forms[number](text) {
		t.numbers = slices.Grow(t.numbers, int(n))
		for range n {
			t.numbers = append(t.numbers, x)
		}
		if strings.Contains(text, ".") {
			t.fractions += n
		}
	}
}

// mostBlanks is the largest number of texts without a letter and a digit that a column has: more
// of them mean something.
const mostBlanks = 16

func (t *textProfile) observeBlank(text string, n int64) {
	if t.blanks == nil {
		t.blanks = make(map[string]int64)
	}
	if len(t.blanks) <= mostBlanks || t.blanks[text] > 0 {
		t.blanks[text] += n
	}
}

func isLetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// mostMatched is the largest number of characters of a text that is compared with forms.
const mostMatched = 200

// share returns the share of the rows with a value whose text has a form.
func (p *Profile) share(form pattern) float64 {
	return float64(p.texts.forms[form]) / float64(max(1, p.Field.Rows))
}

// distinctShare returns the approximate share of the rows with a value that have a unique one: 1
// when all differ.
func (p *Profile) distinctShare() float64 {
	return float64(p.Field.Distinct) / float64(max(1, p.Field.Rows))
}

const (
	// proseLength and proseSpaces are the average numbers of characters and of spaces from which
	// texts are long, or have many words.
	proseLength, proseSpaces = 60, 4
	// proseShare is the share of the rows with a text of their own from which texts of many words
	// are free, longShare that of long texts, and fewShare that of few texts: with a smaller share
	// they are the answers to a question.
	proseShare, longShare, fewShare = 0.1, 0.01, 0.5
)

// isLong reports whether texts are long, and hasManyWords whether they have many words.
func (p *Profile) isLong() bool { return p.texts.length > proseLength*p.Field.Rows }

func (p *Profile) hasManyWords() bool { return p.texts.spaces > proseSpaces*p.Field.Rows }

// isProse reports whether texts are long, or have many words, and are neither those of few kinds,
// which nearly all rows have, nor lists of some.
func (p *Profile) isProse() bool {
	least := proseShare
	switch {
	case p.recurs || !p.isLong() && !p.hasManyWords() || p.texts.listsPhrases(p.Field.Rows):
		return false
	case p.Field.Distinct <= fewCodes:
		least = fewShare
	case p.isLong():
		least = longShare
	}
	return p.distinctShare() > least
}

// leastShared is the part of the rows by which more begin with the same characters than do not, if
// these characters distinguish few rows.
const leastShared = 0.6

// shared returns the number of first characters that most values have, as zip codes of one town.
func (p *Profile) shared() (n int) {
	if p.digits > 0 && len(p.quantiles) > 0 {
		tenth := len(p.quantiles) / 10
		low, high := p.quantiles[tenth], p.quantiles[len(p.quantiles)-tenth]
		for unit := math.Pow10(p.digits - 1); unit > 1 && math.Floor(low/unit) ==
			math.Floor(high/unit); unit /= 10 {
			n++
		}
		return n
	}
	for n < mostShared && n+1 < p.texts.longest &&
		float64(p.texts.begins[n].excess) >= leastShared*float64(p.Field.Rows) {
		n++
	}
	return n
}
