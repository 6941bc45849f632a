package draft

import (
	"slices"
	"strings"

	"github.com/kcut/kcut/formats"
)

// generic are words of names of files that say nothing of their subject.
var generic = slices.Concat(people, strings.Fields("data dataset datasets set table train "+
	"training test testing sample study csv raw clean cleaned final full small new uci "+
	"kaggle prediction predictions predict detection classification analysis indicators risk "+
	"rate rates records cases"))

// surveys are words of names of files with answers to questions.
var surveys = strings.Fields("survey surveys poll polls questionnaire")

// inflections are endings with which a word is that of the same thing: stroke and strokes, churn
// and churned; another one has salaries.
var inflections = []string{"", "s", "d", "ed", "n", "er", "r"}

// isAlike reports whether two words are about the same thing.
func isAlike(a, b string) bool {
	if a, b = withoutDoubles(a), withoutDoubles(b); len(a) > len(b) {
		a, b = b, a
	}
	if stem := strings.TrimSuffix(a, "s"); b == stem+"ed" { // visits and visited
		a = stem
	}
	rest, found := strings.CutPrefix(b, a)
	stem, isY := strings.CutSuffix(a, "y") // happy and happiness
	return found && len(a) >= 3 && slices.Contains(inflections, rest) ||
		isY && (b == stem+"ies" || b == stem+withoutDoubles("iness"))
}

// withoutDoubles returns a word with each of its letters once in a row: holliday is a holiday.
func withoutDoubles(word string) string {
	return string(slices.Compact([]rune(word)))
}

// withoutMarks returns the words of a name without the last ones that say only that a column has
// yes and no, or which codes.
func withoutMarks(name string) []string {
	words := wordsOf(name)
	if n := len(words); n > 0 && slices.Contains(marking, words[n-1]) {
		words = words[:n-1]
	}
	return words
}

// degrees are last words of columns with how high or good something is.
var degrees = strings.Fields("rating score level grade status category class")

// subjects returns the words of the name of the file that say what it is about: none of a survey.
func (d *draft) subjects() (file []string) {
	for _, word := range wordsOf(stemOf(d.Input[0])) {
		word = strings.TrimRight(word, "0123456789")
		if slices.Contains(surveys, word) {
			return nil
		}
		if word != "" && !slices.Contains(generic, word) {
			file = append(file, word)
		}
	}
	return file
}

// scored are names of columns with a number that a model may predict.
var scored = words{
	alone: append(strings.Fields("score scores mark marks gpa cgpa performance price premium "+
		"charges claim salary salaries wage earnings spending spent amount grade"),
		pairs(strings.Fields("attrition churn turnover"), []string{"rate"})...),
	whole: strings.Fields("target outcome response"),
	not:   append(slices.Clone(past.alone), "code", "id", "count", "time"),
}

// leveled are names of columns with a number for how much somebody has of what the file is about,
// and chances those of how likely something is.
var (
	leveled = words{last: []string{"level", "score", "index"}, not: scored.not}
	chances = words{alone: []string{"chance"}, last: []string{"probability", "likelihood"},
		not: scored.not}
)

// findNumber finds the number that a table without a class is about: the one that is called like
// the file, or the only chance in the last column, or of at most two with such a name, the last one
// that has a word of the name of the file, or is in the last column; and in that a level of the
// former.
func (d *draft) findNumber() {
	d.number = nil
	file, last := d.subjects(), d.last
	isOfFile := func(p *Profile) bool {
		return slices.ContainsFunc(p.words, func(word string) bool {
			return slices.ContainsFunc(file, func(of string) bool { return isAlike(word, of) })
		})
	}
	couldBe := func(p *Profile) bool {
		return p.place >= 0 && p.typ.Ordered() && !p.isTime() && !p.isCode() && !p.isBasic() &&
			p.Field.Distinct > longestScale && 2*p.Field.Rows >= p.Rows
	}
	isNumber := func(p *Profile) bool {
		return couldBe(p) &&
			(scored.has(p.words) || p == last && leveled.has(p.words) && isOfFile(p))
	}
	isChance := func(p *Profile) bool { return chances.has(p.words) }
	for _, p := range d.profiles {
		if couldBe(p) && (d.isCalledLikeFile(p) || p == last && isChance(p) &&
			numberOf(d.profiles, isChance) == 1) {
			d.number = p
			return
		}
	}
	if numberOf(d.profiles, isNumber) > mostVerdicts {
		return
	}
	for _, p := range d.profiles {
		if isNumber(p) && (d.isAtEnd(p) || isOfFile(p)) {
			d.number = p
		}
	}
}

// isCalledLikeFile reports whether a column has the name of the file, and no other.
func (d *draft) isCalledLikeFile(p *Profile) bool {
	name := strings.Join(p.words, "")
	return name != "" && name == strings.Join(d.subjects(), "")
}

// isMark reports whether a column has letters for ranges of a score or the like, and no class of a
// school.
func (d *draft) isMark(p *Profile) bool {
	graded := words{whole: []string{"grade"}, last: []string{"grade"}}
	return p.typ.Kind == formats.String && p.couldBeClass() && graded.has(p.words) &&
		slices.ContainsFunc(d.profiles, func(by *Profile) bool {
			return by.typ.Ordered() && by.Field.Distinct > fewCodes && scored.has(by.words) &&
				d.sample.Information(by.place, by.numbers, p.place, 1) >= mostGiven*d.entropy(p)
		})
}
