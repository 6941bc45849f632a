package draft

import (
	"slices"
	"strings"

	"github.com/kcut/kcut/formats"
)

// mostAnswers is the largest number of columns of yes and no of which the last may be the class.
const mostAnswers = 2

// isOnlyAnswer reports whether a column has yes and no, as hardly another one.
func (d *draft) isOnlyAnswer(p *Profile) bool {
	has := func(p *Profile) bool { return p.Field.Distinct == 2 && p.share(answer) >= most }
	return has(p) && numberOf(d.profiles, has) <= mostAnswers
}

// isFirstAnswer reports whether a column is the first of a table of people, behind those with a
// value of its own in each row, and is yes or no, as tables of statistics have the class there, and
// most others have more values. It is no treatment, none of several with a name that begins alike,
// and no answer of respondents to the first of many questions.
func (d *draft) isFirstAnswer(p *Profile) bool {
	name := p.words
	isTwo := func(p *Profile) bool { return p.Field.Distinct == 2 }
	asks := func(p *Profile) bool { return slices.Contains(p.words, "respondent") }
	return p != d.last && d.isAtEnd(p) && p.couldBeClass() && p.isYesOrNo() && !p.isBasic() &&
		!treatments.has(name) && !states.has(name) && len(name) <= mostInAnswer &&
		!(&words{alone: earlier}).has(name) && !d.isOneOfSeveral(p) &&
		2*numberOf(d.profiles, isTwo) <= len(d.profiles) &&
		slices.ContainsFunc(d.profiles, (*Profile).isBasic) &&
		!slices.ContainsFunc(d.profiles, asks)
}

// states are names of columns that say only whether somebody is there.
var states = words{whole: strings.Fields("active isactive current iscurrent enabled isenabled")}

// mostInAnswer is the largest number of words of a name that is no question.
const mostInAnswer = 3

// isYesOrNo reports whether a column has yes and no, true and false, or 1 and 0.
func (p *Profile) isYesOrNo() bool {
	return p.Field.Distinct == 2 && (p.share(answer) >= most || p.typ.Kind == formats.Boolean ||
		p.typ.Ordered() && !p.isTime() && p.least == 0 && len(p.numbers) > 0 && p.high == 1)
}

// isOneOfSeveral reports whether the name of a column begins like that of another one, apart from
// digits, or is in it or has it.
func (d *draft) isOneOfSeveral(p *Profile) bool {
	stem := func(p *Profile) string {
		return strings.TrimRight(strings.Join(p.words, ""), "0123456789")
	}
	return slices.ContainsFunc(d.profiles, func(of *Profile) bool {
		return of != p && of.name != "" && (stem(p) == stem(of) || p.computedOf(of) > 0)
	})
}
