package draft

import (
	"slices"
	"strings"
)

// generic are words of names of files that say nothing of their subject.
var generic = slices.Concat(people, strings.Fields("data dataset datasets set table train "+
	"training test testing sample study csv raw clean cleaned final full small new uci "+
	"kaggle prediction predictions predict detection classification analysis indicators risk "+
	"rate rates records cases"))

// surveys are words of names of files with answers to questions.
var surveys = strings.Fields("survey surveys poll polls questionnaire")

// inflections are endings with which a word is that of the same thing: stroke and strokes, churn
// and churned.
var inflections = []string{"", "s", "d", "ed", "n", "er", "r"}

// isAlike reports whether two words are about the same thing.
func isAlike(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	rest, found := strings.CutPrefix(b, a)
	return found && len(a) >= 3 && slices.Contains(inflections, rest)
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

// isSubject reports whether a column of few values has the name of the file: stroke of stroke.csv,
// Churned of customer_churn.csv, or if it is the last one has words of the name, apart from one for
// a degree: PerformanceRating of staff_performance_2019.csv. What everybody knows of somebody, and
// a treatment, is none, and the file of a survey has the name of its questions.
func (d *draft) isSubject(p *Profile) bool {
	if !p.couldBeClass() || p.Field.Distinct > mostOutcomes || p.isBasic() ||
		treatments.has(p.words) || (&words{alone: earlier}).has(p.words) {
		return false
	}
	var file []string
	for _, word := range wordsOf(stemOf(d.Input[0])) {
		word = strings.TrimRight(word, "0123456789")
		if slices.Contains(surveys, word) {
			return false
		}
		if word != "" && !slices.Contains(generic, word) {
			file = append(file, word)
		}
	}
	name := slices.DeleteFunc(withoutMarks(p.name), func(word string) bool {
		return slices.Contains([]string{"is", "has", "had", "any"}, word)
	})
	if n := len(name); n > 1 && p == d.last() && slices.Contains(degrees, name[n-1]) {
		return !slices.ContainsFunc(name[:n-1], func(word string) bool {
			return !slices.Contains(file, word)
		})
	}
	isOfName := func(word string) bool { return slices.Contains(name, word) }
	return len(name) > 0 && len(file) > 0 && (slices.EqualFunc(name, file, isAlike) ||
		isSuffered(name) && numberOf(file, isOfName) == len(file))
}
