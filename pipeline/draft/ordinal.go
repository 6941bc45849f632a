package draft

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kcut/kcut/pipeline/job"
)

// mostOrdered is the largest number of values that a draft lists in their order, longestOrder the
// largest number of their characters, unless they have at most shortOrder each.
const (
	mostOrdered  = 30
	longestOrder = 400
	shortOrder   = 20
)

var (
	// nothings stand for the least of numbers, the first three on other scales, too, as do texts
	// that begin with a denial; those that begin with one of tops stand for the greatest, and
	// unsaids for no answer, behind all values.
	nothings = scale("none no never zero nothing nil new lowest")
	denials  = scale("no not never did do does without não nao nunca sem sin")
	tops     = scale("highest extremely")
	unsaids  = scale("unknown other others missing unspecified refused n/a na not_stated " +
		"not_known dk dk_na don't_know dont_know do_not_know not_applicable " +
		"no_answer no_response not_available declined unsure not_sure undisclosed refusal " +
		"valid_skip legitimate_skip skipped")
	unsaid = matches(`(prefer|rather|choose)_not_|^i_(don't|do_not|dont)_know`)
	// below and above are words for all numbers on one side of one.
	below = scale("< ≤ under below less fewer up until before younger maximum max most lt")
	above = scale("> ≥ + over above more greater older plus up after later minimum min least " +
		"beyond gt longer higher")
	// joints may stand around numbers.
	joints = scale("to t and or but than - – — = the of from between by at ~ .. , equal a an " +
		"about approx ( ) [ ] / per every each : . % st nd rd th grade " +
		"age aged ages old person persons people usd eur gbp rs inr " +
		"da de à von bis")
	rates = scale("/ a an per every each")
	// numerals are words for numbers from -1 on, and names of grades before the first one.
	numerals = scale("pk k one two three four five six seven eight nine ten eleven twelve")
	// often replaces words for how often something is by numbers, and those for the first grades of
	// a school by short ones.
	often = strings.NewReplacer("pre-kindergarten", "pk", "prekindergarten", "pk", "pre-k", "pk",
		"prek", "pk", "preschool", "pk", "kindergarten", "k", "zero", "0",
		"once", "1", "twice", "2", "few times", "3", "several times", "4", "multiple times", "4",
		"daily", "1 per day", "every day", "1 per day",
		"everyday", "1 per day", "weekly", "1 per week",
		"monthly", "1 per month", "yearly", "1 per year",
		"annually", "1 per year", "rarely", "0 per year", "seldom", "0 per year")
	// daysOf has the lengths of units of time, in days.
	daysOf = map[string]float64{"week": 7, "weeks": 7, "wk": 7, "wks": 7, "w": 7, "month": 30,
		"months": 30, "mo": 30, "mos": 30, "mth": 30, "year": 365, "years": 365, "yr": 365,
		"yrs": 365, "y": 365, "hour": 1. / 24, "hours": 1. / 24, "hr": 1. / 24, "hrs": 1. / 24,
		"h": 1. / 24, "minute": 1. / 1440, "minutes": 1. / 1440, "mins": 1. / 1440,
		"min": 1. / 1440, "day": 1, "days": 1, "d": 1}
)

// inOrder returns the values of a column of texts in their order, if they have one: numbers and
// ranges of them, as <5, 5-9 and 10+, or words of a scale. Values that stand for none come first,
// those that stand for no answer last.
func inOrder(texts []string) []string {
	if len(texts) < 3 || len(texts) > mostOrdered {
		return nil
	}
	order := slices.Sorted(slices.Values(texts))
	plain := withoutPoints(order)
	for _, placesOf := range append(byScales, bySchooling, byNumber, byRange) {
		places := placesOf(plain)
		if places == nil {
			continue
		}
		ranks := make(map[string]place, len(order))
		for i, text := range order {
			ranks[text] = places[i]
		}
		slices.SortFunc(order, func(a, b string) int { return ranks[a].compare(ranks[b]) })
		return order
	}
	return nil
}

// thousands matches numbers with points between groups of digits, decimals others with a point, and
// halfOpen a range of numbers as programs of statistics write it, with a comma between its ends.
var (
	thousands = regexp.MustCompile(`\b[1-9]\d{0,2}(\.\d{3})+\b`)
	decimals  = regexp.MustCompile(`\d\.\d`)
	halfOpen  = regexp.MustCompile(`^([\[(][\d.]+),([\d.]+[\])])$`)
)

// withoutPoints returns texts without the points between groups of digits, unless some number has
// another point, and with the ranges that a spreadsheet took for days.
func withoutPoints(texts []string) []string {
	texts = slices.Clone(texts)
	for i, text := range texts {
		texts[i] = halfOpen.ReplaceAllString(text, "$1 to $2")
	}
	plain := make([]string, len(texts))
	for i, text := range texts {
		text = withoutMonth(text)
		plain[i] = thousands.ReplaceAllStringFunc(text, func(number string) string {
			return strings.ReplaceAll(number, ".", "")
		})
		if decimals.MatchString(plain[i]) {
			return texts
		}
	}
	return plain
}

// withoutMonth returns a range that a spreadsheet took for a day, as 5-Mar, as 3-5.
func withoutMonth(text string) string {
	day, month, _ := strings.Cut(text, "-")
	if monthForm(day) {
		day, month = month, day
	}
	if at := slices.IndexFunc(scales[0], func(names string) bool {
		return monthForm(month) && strings.Contains(names, strings.ToLower(month))
	}); at >= 0 && dayForm(day) {
		return strconv.Itoa(at+1) + "-" + day
	}
	return text
}

var monthForm, dayForm = matches(`^[A-Z][a-z]{2}$`), matches(`^\d{1,2}$`)

// place is the place of a value: a number, and on which side of it the values are.
type place struct {
	number float64
	side   int
}

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.number, q.number), cmp.Compare(p.side, q.side))
}

// The places of values that are none, of the greatest one, and of those that are no answer.
var (
	nonePlace   = place{number: -1, side: -2}
	topPlace    = place{number: 1e299}
	unsaidPlace = place{number: 1e300}
)

// special returns the place of a value that stands for none, for the greatest one or for no answer.
func special(folded string) (p place, is bool) {
	word, _, _ := strings.Cut(folded, "_")
	switch {
	case folded == "na" || folded == "n/a": // not applicable is no answer above the others
		return nonePlace, true
	case isUnsaid(folded):
		return unsaidPlace, true
	case slices.Contains(nothings, folded), slices.Contains(denials, word), isNone(folded):
		return nonePlace, true
	case slices.Contains(tops, word):
		return topPlace, true
	}
	return place{}, false
}

// isNone reports whether a folded text stands for none, and for nothing else.
func isNone(folded string) bool {
	return slices.Contains(nothings[:3], folded) || strings.HasPrefix(folded, "non-")
}

// isUnsaid reports whether a folded text stands for no answer, or for several reasons of none, as
// don't_know/refused.
func isUnsaid(folded string) bool {
	one, more, several := strings.Cut(folded, "/")
	return slices.Contains(unsaids, folded) || unsaid(folded) ||
		several && isUnsaid(strings.Trim(one, "_")) && isUnsaid(strings.Trim(more, "_"))
}

// folded returns a text in small letters, with _ between its words, up to its first bracket, and
// without points behind it.
func folded(text string) string {
	if at := strings.IndexByte(text, '('); at > 0 {
		text = text[:at]
	}
	text = strings.TrimRight(signs.Replace(strings.ToLower(text)), "….")
	return strings.Join(strings.Fields(text), "_")
}

// signs replaces signs that are written in several ways.
var signs = strings.NewReplacer("_", " ", "’", "'")

// byScales have a function for every scale that returns the places of texts on it, or nil if they
// have none.
var byScales = func() (all []func([]string) []place) {
	for _, places := range scales {
		at := make(map[string]int)
		for i, words := range places {
			for _, word := range strings.Split(words, "|") {
				at[word] = i
			}
		}
		all = append(all, func(texts []string) []place {
			return placesOn(withoutCommon(texts), func(word string) (int, bool) {
				i, is := at[word]
				if one, other, two := strings.Cut(word, "/"); two && !is { // intern/fresher
					i, is = at[one]
					_, two = at[other]
					is = is && two
				}
				return i, is
			}, true)
		})
	}
	return all
}()

// placesOn returns the places of folded texts on a scale, or nil if fewer than three have one, of
// which one may be for none, or more than one other text has none, or if several have one where
// that may not be.
func placesOn(texts []string, on func(text string) (int, bool), single bool) (found []place) {
	used := make(map[int]bool)
	nones, others := 0, 0
	for _, text := range texts {
		i, is := on(text)
		switch {
		case is && single && used[i]:
			return nil
		case is:
			used[i] = true
			found = append(found, place{number: float64(i)})
		default:
			p, is := special(text)
			switch {
			case !is:
				p = unsaidPlace
				others++
			case isNone(text):
				nones = 1
			}
			found = append(found, p)
		}
	}
	if len(used)+nones < 3 || others > 1 || others == 1 && len(used) < 4 {
		return nil
	}
	return found
}

// withoutCommon returns folded texts, up to their first comma, without the last word that all have
// which stand for an answer, and without the first one that all have which do not stand for none.
func withoutCommon(texts []string) []string {
	short := make([]string, len(texts))
	for i, text := range texts {
		text, _, _ = strings.Cut(text, ",")
		short[i] = folded(text)
	}
	short = withoutWord(short, isUnsaid, func(text string) (rest, word string) {
		at := max(0, strings.LastIndexByte(text, '_'))
		return text[:at], text[at:]
	})
	isSpecial := func(text string) bool { _, is := special(text); return is }
	return withoutWord(short, isSpecial, func(text string) (rest, word string) {
		word, rest, _ = strings.Cut(text, "_")
		return rest, word
	})
}

// withoutWord returns texts without a word that all but some have, at least two, and the texts if
// they have others, or a text has no other word.
func withoutWord(texts []string, but func(text string) bool,
	cut func(text string) (rest, word string)) []string {
	rests, common, found := slices.Clone(texts), "", 0
	for i, text := range texts {
		if but(text) {
			continue
		}
		rest, word := cut(text)
		if rest == "" || common != "" && word != common {
			return texts
		}
		rests[i], common = rest, word
		found++
	}
	if found < 2 {
		return texts
	}
	return rests
}

// schooling are parts of texts for how long somebody was in school, from the least on. The first
// one that a text has decides, from the last on, but for the words behind it, which it must not
// have.
var schooling = [][2]string{
	{"none|illiterate|no_education|no_schooling|no_formal|no_cert|uneducated", ""},
	{"preschool|nursery|kindergarten|reading|literate", "illiterate"},
	{"primary|elementary|8th|7th|grade_8", "post"},
	{"less_than_high|less_than_hs|below_high|below_hs|lesshs|lt-hs|<_hs|lt_hs|lt_high|no_high|" +
		"drop_out|" +
		"dropout|some_high|partial_high|middle|junior_high|lower_secondary|9th|10th|11th|" +
		"grades_9|incomplete_sec|school_or_below|school_or_less",
		""},
	{"lower_than_a_level", ""},
	{"high_school|highschool|highsc|graduated_high|hs|ged|secondary|12th|matric|a_level",
		"less_|below|lt-|lt_|<|drop|some_high|partial_|no_high|lower_|post-sec|junior|lesshs"},
	{"above_high|above_hs|more_than_high|more_than_hs", ""},
	{"some_college|partial_college|somcol|someps|below_college|some_univ|vocational|trade|" +
		"post-secondary|incomplete_higher|incomplete_univ",
		"high_school|highschool|hs_"},
	{"associate|college|certificate|diploma|2-year|two-year",
		"some_|partial_|below_college|no_college|no_cert|no_dip|high_school|highschool|hs_|" +
			"school_|vocational|trade|post-college|post_college"},
	{"bachelor|bach|undergrad|university|he_qual|degree|grad|4-year|four-year|tertiary|higher",
		"some_|incomplete|associate|high_school|hs_|_hs|post|no_degree|did_not|sub_degree|" +
			"school_degree|no_university|higher_sec|grade|graduated_high|no_cert|university_cert|" +
			"non-univ"},
	{"master|post-college|post_college|post_grad|postgrad|post-grad|grad_study|graduate_degree|" +
		"graduate_school|graduate_cert|advanced|academic_degree|gradwk|mba",
		"under|doctor"},
	{"doctor|phd|ph.d|professional", "professional_cert|professional_dip"},
}

// bySchooling returns the places of texts by how long somebody was in school.
func bySchooling(texts []string) []place {
	hasOne := func(text, parts string) bool {
		return parts != "" && slices.ContainsFunc(strings.Split(parts, "|"),
			func(part string) bool { return strings.Contains(text, part) })
	}
	short := make([]string, len(texts))
	for i, text := range texts {
		if short[i] = folded(text); short[i] == "school" {
			short[i] = "high_school"
		}
	}
	return placesOn(short, func(text string) (int, bool) {
		for i, s := range slices.Backward(schooling) {
			if hasOne(text, s[0]) && !hasOne(text, s[1]) {
				return i, true
			}
		}
		return 0, false
	}, false)
}

// byNumber returns the places of numbers and ranges of numbers, each on one place, or nil if texts
// are others. At most as many have no number, all have the same text before their numbers, and all
// that have one behind them the same.
func byNumber(texts []string) []place {
	var found []place
	seen, before, unit, others := make(map[place]bool), "", "", 0
	spans := make(map[float64]bool)
	for _, text := range texts {
		for _, token := range tokens(text) {
			if span := daysOf[token]; span > 0 {
				spans[span] = true
			}
		}
	}
	for _, text := range texts {
		p, name, measured, is := numberPlace(text, len(spans) > 1)
		if len(unit) < len(measured) {
			unit, measured = measured, unit
		}
		switch {
		case is && (seen[p] || len(seen) > 0 && name != before || !isPlural(unit, measured)):
			return nil
		case is:
			before = name
			seen[p] = true
		default:
			if p, is = special(folded(text)); !is {
				return nil
			}
			others++
		}
		found = append(found, p)
	}
	if others > len(seen) || len(seen) < 3 {
		return nil
	}
	return found
}

// fewestRanges is the least number of ranges of a column whose order they show.
const fewestRanges = 4

// byRange returns the places of ranges of numbers that do not overlap, whatever words are around
// them, or nil if fewer than four texts have one. Others have one number, which is below a range
// that begins with it as the first one, or stand for none or no answer.
func byRange(texts []string) []place {
	var ranges [][2]float64
	found, numbers := make([]place, len(texts)), make([]int, len(texts))
	for i, text := range texts {
		var all []float64
		for _, token := range tokens(text) {
			if number, thousands, is := amountOf(token); is {
				if all = append(all, number); thousands && len(all) == 2 {
					all[0] = inThousands(all[0], number)
				}
			}
		}
		p, isSpecial := special(folded(text))
		switch numbers[i] = len(all); {
		case len(all) == 2 && all[0] < all[1]:
			ranges = append(ranges, [2]float64(all))
			fallthrough
		case len(all) == 1:
			p = place{number: all[0]}
		case len(all) > 0 || !isSpecial:
			return nil
		}
		found[i] = p
	}
	if len(ranges) < fewestRanges {
		return nil
	}
	slices.SortFunc(ranges, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
	for i, of := range ranges[1:] {
		if ranges[i][1] > of[0] {
			return nil
		}
	}
	seen := make(map[place]bool)
	for i, p := range found {
		if numbers[i] == 1 && p.number == ranges[0][0] {
			p.side = -1
			found[i] = p
		}
		if seen[p] && numbers[i] > 0 {
			return nil
		}
		seen[p] = true
	}
	return found
}

// inThousands returns the first number of a range whose last one is in thousands, as 10-20k.
func inThousands(first, last float64) float64 {
	if first < last/1000 {
		return first * 1000
	}
	return first
}

// isPlural reports whether a unit is the other one, or its plural, also with another vowel behind
// it, as anno and anni, or there is no other one.
func isPlural(unit, of string) bool {
	rest, is := strings.CutPrefix(unit, of)
	stem := strings.TrimRight(of, "aeio")
	return is && (of == "" || rest == "" || rest == "s" || rest == "ren") ||
		len(stem) > 2 && len(of) == len(stem)+1 && stem == strings.TrimRight(unit, "aei")
}

// numberPlace returns the place of a text with a number or a range, the words before it that say
// nothing of it, as Grade in Grade 10, and its unit. Units of time count if texts have several.
func numberPlace(text string, timed bool) (p place, before, unit string, is bool) {
	span, numbers, isRate, isEvery, side := 0.0, 0, false, false, 0
	for _, token := range tokens(text) {
		if number, thousands, ok := amountOf(token); ok {
			if numbers++; numbers == 1 {
				p.number, side = number, p.side
			} else if thousands {
				p.number = inThousands(p.number, number)
			}
			if numbers == 2 {
				p.side = side // $5,000 to under $10,000
			}
			continue
		}
		switch {
		case numbers > 0 && daysOf[token] > 0:
			if timed {
				span = max(span, daysOf[token])
			}
		case slices.Contains(above, token) && (numbers > 0 || !slices.Contains(below, token)):
			p.side = 1
		case slices.Contains(below, token): // also 5 or less
			p.side = -1
		case slices.Contains(joints, token) ||
			isCurrency([]rune(token)[0]):
			isRate = isRate || numbers > 0 && slices.Contains(rates, token)
			isEvery = isEvery || numbers == 0 && token == "every"
		case numbers == 0:
			before += token + " "
		case len(token) < 2: // 7p
			return place{}, "", "", false
		default:
			unit += token
		}
	}
	switch {
	case span > 0 && isRate: // 2 times a week
		p.number /= span
	case span > 0 && isEvery: // every 3 months
		p.number = 1 / (p.number * span)
	case span > 0:
		p.number *= span
	}
	return p, before, unit, numbers == 1 || numbers == 2
}

// tokens splits a text into words in small letters, numbers and signs.
func tokens(text string) (list []string) {
	class := func(r rune) int {
		switch {
		case unicode.IsLetter(r) || r == '\'':
			return 1
		case unicode.IsDigit(r):
			return 2
		}
		return 0
	}
	runes := []rune(often.Replace(strings.ToLower(text)))
	for i := 0; i < len(runes); {
		of, begin := class(runes[i]), i
		for i++; i < len(runes) && of > 0; i++ {
			inNumber := of == 2 && (runes[i] == '.' || runes[i] == ',') && i+1 < len(runes) &&
				class(runes[i+1]) == 2 ||
				of == 2 && (i-begin <= 3 || class(runes[i-4]) == 0) && grouped(string(runes[i:]))
			if class(runes[i]) != of && !inNumber {
				break
			}
		}
		if of == 2 && i < len(runes) && (runes[i] == 'k' || runes[i] == 'm') &&
			(i+1 == len(runes) || class(runes[i+1]) == 0) {
			i++
		}
		if token := strings.TrimSpace(string(runes[begin:i])); token != "" && token != "_" {
			list = append(list, token)
		}
	}
	return list
}

// grouped matches a blank between groups of digits, as in 10 000, and the group behind it.
var grouped = matches(`^[ \x{a0}\x{202f}]\d{3}\b`)

// withoutSigns removes the signs between groups of digits.
var withoutSigns = strings.NewReplacer(",", "", " ", "", "\u00a0", "", "\u202f", "")

// amountOf returns the number of a token such as 10,000, 1.5, 20k or two, and whether it is in
// thousands.
func amountOf(token string) (number float64, thousands, is bool) {
	if i := slices.Index(numerals, token); i >= 0 {
		return float64(i - 1), false, true
	}
	token, thousands = strings.CutSuffix(token, "k")
	token, millions := strings.CutSuffix(token, "m")
	number, err := strconv.ParseFloat(withoutSigns.Replace(token), 64)
	switch {
	case err != nil || token[0] < '0' || token[0] > '9':
		return 0, false, false
	case thousands:
		number *= 1e3
	case millions:
		number *= 1e6
	}
	return number, thousands, true
}

// parties are names of columns of parties, which have an order only by degrees of support.
var parties = words{whole: strings.Fields("party partyname partyid politicalparty affiliation"),
	last: []string{"party"}}

// withOrder lists the values of suppressed texts in their order.
func (r *Role) withOrder(p *Profile) *Role {
	if r.Mask != job.MaskSuppress || r.Detail != "" || int64(len(p.texts.few)) != p.Field.Distinct {
		return r
	}
	var texts []string
	for text := range p.texts.few {
		texts = append(texts, text)
	}
	if parties.has(p.words) && len(texts) < mostOutcomes ||
		ofRegions.has(p.words) && byNumber(texts) != nil {
		return r
	}
	order := inOrder(texts)
	switch list := quotedList(order); {
	case order == nil:
	case slices.IsSorted(order):
		r.Reason += "; their order is that of their texts"
	case utf8.RuneCountInString(list) <= max(longestOrder, shortOrder*len(texts)):
		r.Detail = "order: [" + list + "]"
	}
	return r
}
