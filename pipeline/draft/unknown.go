package draft

import (
	"maps"
	"math"
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/kcut/kcut/formats"
)

const (
	// unknownShare is the least share of the rows with a number that looks like a code for unknown,
	// and mostUnknownCodes the largest number of such codes.
	unknownShare     = 0.005
	mostUnknownCodes = 4
	// leastMeasured is the number of values from which numbers are measurements or counts: -1 next
	// to fewer may be one of them.
	leastMeasured = 10
	// leastGap is the least distance of such a number from the others: 9 may be one more than 8.
	leastGap = 3
)

// The reasons of columns with numbers that look like codes for unknown.
const (
	largestUnknown = "; its largest values look like a code for unknown"
	leastUnknown   = "; its least values look like a code for unknown"
)

// unknownOf finds in sorted numbers the largest or the least ones that look like codes for unknown,
// as surveys have 99 or -9: they hold some rows, and are as far from the others as these are from
// each other, or they are the only ones below 1, or below 0 and next to many others. It returns the
// number of the other values, too.
func unknownOf(sorted []float64) (reason string, others int) {
	values := slices.Compact(slices.Clone(sorted))
	n := len(values)
	held := func(rows int) bool { return float64(rows) >= unknownShare*float64(len(sorted)) }
	for codes := 1; codes <= mostUnknownCodes && n-codes >= 2 &&
		isUnknown(values[n-codes], values[n-1]); codes++ {
		first, _ := slices.BinarySearch(sorted, values[n-codes])
		known := values[n-codes-1]
		if gap := values[n-codes] - known; gap >= known-values[0] && gap >= leastGap &&
			(n-codes == 2 || held(len(sorted)-first)) {
			return largestUnknown, n - codes
		}
	}
	for codes := 1; codes <= mostUnknownCodes && n-codes >= 2 && values[codes-1] < 0 &&
		isUnknown(values[codes-1], values[0]); codes++ {
		end, _ := slices.BinarySearch(sorted, values[codes])
		known := values[codes]
		gap := known - values[codes-1]
		if held(end) && (gap >= values[n-1]-known && gap >= leastGap || known > 0 ||
			known == 0 && n-codes > leastMeasured) {
			return leastUnknown, n - codes
		}
	}
	return "", n
}

// isOtherLeast reports whether most of sorted times are the least one, and the others are further
// from it than from each other, as where 1900-01-01 stands for none.
func isOtherLeast(sorted []float64) bool {
	n := len(sorted)
	next := sort.Search(n, func(i int) bool { return sorted[i] > sorted[0] })
	return next < n && 2*next > n && sorted[next] < sorted[n-1] &&
		sorted[next]-sorted[0] >= sorted[n-1]-sorted[next]
}

// missing are numbers that surveys often have where there is no answer.
var missing = []float64{-9999, -999, -99, -9, -8, -7, -6, -5, -4, -3, -2, -1}

const (
	// fewestMissing is the least number of columns in which such a number recurs, and fewestAnswers
	// that of answers from 0 on next to -1, of which three may be a scale.
	fewestMissing = 3
	fewestAnswers = 4
)

// missingOf returns the numbers below 0 of a column, whether they are clearly codes for no answer,
// with a gap above some or next to many answers, and whether they are something else: others, a
// scale on both sides of 0, as -2 to 2, or measurements, which are rarer the lower they are.
func (p *Profile) missingOf() (codes []float64, isClear, isOther bool) {
	if !(p.least < 0) {
		return nil, false, false
	}
	sorted := slices.DeleteFunc(slices.Clone(p.numbers), math.IsNaN)
	slices.Sort(sorted)
	values := slices.Compact(slices.Clone(sorted))
	n, _ := slices.BinarySearch(values, 0)
	codes, answers := values[:n], values[n:]
	if p.Field.Distinct == 1 { // there are no answers
		return codes, false, false
	}
	if n > mostUnknownCodes || len(answers) == 0 || p.isTime() || p.broken ||
		slices.ContainsFunc(codes, func(x float64) bool { return !slices.Contains(missing, x) }) {
		return codes, false, true
	}
	if len(answers) <= n+1 && answers[len(answers)-1] == -codes[0] {
		return codes, false, len(values) != 3 // -1, 0 and 1 may be no answer, no and yes
	}
	if answers[0]-codes[0] > float64(n) {
		return codes, len(answers) > 1, false
	}
	getRarer, above := n > 1, 0
	for i := range codes {
		first, _ := slices.BinarySearch(sorted, values[i])
		end, _ := slices.BinarySearch(sorted, values[i+1])
		getRarer, above = getRarer && end-first >= above, end-first
	}
	many := len(answers) >= max(fewestAnswers, 2*n)
	return codes, many && !getRarer, many && getRarer
}

// greatestCodes returns the greatest numbers of a column that look like codes for unknown above a
// gap, and whether they clearly are: fewer rows have them, but not too few, and the gap is as wide
// as the range of the others, or the widest of all, behind numbers that would get rarer.
func (p *Profile) greatestCodes() (codes []float64, isClear bool) {
	if p.isTime() || p.broken || periods.has(p.words) || !isUnknown(p.greatest, p.greatest) {
		return nil, false
	}
	sorted := slices.DeleteFunc(slices.Clone(p.numbers), func(x float64) bool { return !(x >= 0) })
	slices.Sort(sorted)
	values := slices.Compact(slices.Clone(sorted))
	for at := len(values) - 1; at >= 2 && len(values)-at <= mostUnknownCodes &&
		isUnknown(values[at], p.greatest); at-- {
		gap, widest := values[at]-values[at-1], 0.0
		if gap < leastGap {
			continue
		}
		codes = values[at:]
		for i, x := range values[1:at] {
			widest = max(widest, x-values[i])
		}
		last, _ := slices.BinarySearch(sorted, values[at-1])
		end, _ := slices.BinarySearch(sorted, values[at])
		rows := len(sorted) - end
		if float64(rows) >= unknownShare*float64(len(sorted)) && 2*rows < len(sorted) &&
			(gap >= values[at-1]-values[0] || gap > widest && rows >= end-last) {
			return codes, true
		}
	}
	return codes, false
}

// means reports whether a number is a value of a column, but no number of a row.
func (p *Profile) means(x float64) bool {
	if p.typ.Ordered() {
		least, isWhole := uniqueShare[p.typ.Kind]
		return (!isWhole || p.distinctShare() < least) && slices.Contains(p.numbers, x)
	}
	return p.texts.few[roundText(x)] > 0 ||
		len(p.texts.few) > mostAlike && p.texts.forms[number] > 0
}

// declareMissing declares numbers that stand for no answer in CSV: those that clearly do in several
// columns, and those below 0 next to one of them, but none that is something else in some column.
// It reports whether there are new ones.
func (d *draft) declareMissing(fields []formats.Field) bool {
	clearly, others := make(map[float64]int), make(map[float64]bool)
	of, greatest := make(map[*Profile][]float64), make(map[*Profile][]float64)
	for i, p := range d.profiles {
		if !fields[i].Text.Found {
			continue
		}
		codes, isClear, isOther := p.missingOf()
		for _, code := range codes {
			others[code] = others[code] || isOther
		}
		if isClear {
			of[p] = append(of[p], codes...)
		}
		if greatest[p], isClear = p.greatestCodes(); isClear {
			of[p] = append(of[p], greatest[p]...)
		}
		for _, code := range of[p] {
			clearly[code]++
		}
	}
	before := len(d.CSV.Nulls)
	for _, code := range slices.Sorted(maps.Keys(clearly)) {
		isCode, isFraction := false, false
		for p, codes := range of {
			isNext := slices.ContainsFunc(codes, func(x float64) bool {
				return clearly[x] >= fewestMissing && !others[x] &&
					(x == code || x < 0 && code < 0)
			})
			if isNext && slices.Contains(codes, code) {
				isCode, isFraction = true, isFraction || p.isFractional()
			}
		}
		if !isCode || others[code] || slices.ContainsFunc(d.profiles, func(p *Profile) bool {
			return code > 0 && !slices.Contains(greatest[p], code) && p.means(code)
		}) {
			continue
		}
		texts := []string{roundText(code)}
		if isFraction {
			texts = append(texts, roundText(code)+".0")
		}
		for _, text := range texts {
			if !slices.Contains(d.CSV.Nulls, text) {
				d.CSV.Nulls = append(d.CSV.Nulls, text)
			}
		}
	}
	return len(d.CSV.Nulls) > before
}

// declareUnsaid declares texts that say that there is no answer where a column has an order without
// them, those for none in the row below the header that software of surveys adds, and signs in
// several columns of texts. It reports whether there are some.
func (d *draft) declareUnsaid(fields []formats.Field) bool {
	before := len(d.CSV.Nulls)
	columns, looked := make(map[string]int), make(map[string]bool)
	for i, p := range d.profiles {
		if p.typ.Kind != formats.String || !fields[i].Text.Found || p.name == d.Class {
			continue
		}
		for _, text := range []string{"Response", "Open-Ended Response", ".", "-"} {
			if n := p.texts.few[text]; n == 1 || n > 0 && len(text) == 1 {
				columns[text]++
			}
			if columns[text] == fewestOdd && !slices.Contains(d.CSV.Nulls, text) {
				d.CSV.Nulls = append(d.CSV.Nulls, text)
			}
		}
		if int64(len(p.texts.few)) != p.Field.Distinct || inOrder(p.replies()) == nil {
			continue
		}
		for _, text := range slices.Sorted(maps.Keys(p.texts.few)) {
			if looked[text] || !isNoAnswer(text) || slices.Contains(d.CSV.Nulls, text) {
				continue
			}
			if looked[text] = true; !d.isReply(text) { // each text is looked for in all columns
				d.CSV.Nulls = append(d.CSV.Nulls, text)
			}
		}
	}
	return len(d.CSV.Nulls) > before
}

// isNoAnswer reports whether a text says that there is no answer, and no more: who is not sure, or
// names a number, gives one.
func isNoAnswer(text string) bool {
	folded := folded(text)
	return isUnsaid(folded) && !strings.ContainsFunc(text, unicode.IsDigit) &&
		!slices.Contains([]string{"other", "others", "unsure", "not_sure"}, folded)
}

// replies returns the texts of a column that are answers, if it has few; else none.
func (p *Profile) replies() []string {
	if p.Field.Distinct > 2*mostOrdered {
		return nil
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(p.texts.few)), isNoAnswer)
}

// isReply reports whether a text that says that there is no answer means something in a column:
// one without an order has few other texts, as yes and no, or the text in many rows.
func (d *draft) isReply(text string) bool {
	return slices.ContainsFunc(d.profiles, func(p *Profile) bool {
		if p.texts.few[text] == 0 {
			return false
		}
		replies := p.replies()
		return (len(replies) < fewestAnswers && p.Field.Distinct <= mostOrdered ||
			p.texts.few[text]*oftenUnsaid > p.Field.Rows) && inOrder(replies) == nil &&
			!p.isOrderly(p.filled(func(gap) bool { return true }))
	})
}

// oftenUnsaid is the part, one in these, of the rows in which a text is an answer rather than none.
const oftenUnsaid = 10

// isUnknown reports whether a number has the form of a code for unknown, with as many digits as
// another one: 9 or 8 or 7 in all places, or 9 in all but the last one, as 97 and 998, or -1.
func isUnknown(x, like float64) bool {
	if x == -1 {
		return true
	}
	text := roundText(math.Abs(x))
	if len(text) != len(roundText(math.Abs(like))) {
		return false
	}
	last := text[len(text)-1]
	return last >= '6' && last <= '9' && len(text) > 1 &&
		strings.Trim(text[:len(text)-1], "9") == "" ||
		last >= '7' && last <= '9' && strings.Trim(text, string(last)) == ""
}
