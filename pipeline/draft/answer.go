package draft

import (
	"slices"
	"strings"

	"github.com/kcut/kcut/formats"
)

// mostInAnswer is the largest number of words of a name that is no question.
const mostInAnswer = 3

// isYesOrNo reports whether a column has yes and no, true and false, or 1 and 0.
func (p *Profile) isYesOrNo() bool {
	return p.Field.Distinct == 2 && (p.share(answer) >= most || p.typ.Kind == formats.Boolean ||
		p.typ.Ordered() && !p.isTime() && p.least == 0 && len(p.numbers) > 0 && p.high == 1)
}

// mostAnswers is the largest number of columns of yes and no of which each may be the class.
const mostAnswers = 2

// isOneOfFewAnswers reports whether a column has yes and no, as hardly another one that is no fact.
func (d *draft) isOneOfFewAnswers(p *Profile) bool {
	is := func(p *Profile) bool { return p.isYesOrNo() && !p.isBasic() }
	return p.isYesOrNo() && numberOf(d.profiles, is) <= mostAnswers
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
