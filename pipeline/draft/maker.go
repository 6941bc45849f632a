package draft

import (
	"slices"
	"strings"

	"github.com/kcut/kcut/formats"
)

// made are the names of columns of those who made the table, also as makers, and checked are words
// for the days on which they checked it.
var (
	made = words{
		alone: pairs(strings.Fields("mined entered checked reviewed verified collected abstracted "+
			"extracted coded annotated recorded interviewed updated modified created filled"),
			[]string{"by"}),
		whole: slices.Concat(makers, pairs(makers, nameWords), pairs(makers, numbered)),
	}
	makers  = strings.Fields("interviewer coder abstractor enumerator annotator")
	checked = words{alone: strings.Fields("checked reviewed verified abstracted updated update " +
		"modified retrieved"),
		not: strings.Fields("in out")}
	// robotTest is the form of names of columns with what people typed to show that they are some.
	robotTest = matches(`captcha|robottest|notarobot`)
)

// isOfMakers reports whether a column has texts or numbers of those who made the table, or days on
// which they checked it, by its name.
func (p *Profile) isOfMakers() bool {
	last := p.words[max(0, len(p.words)-1):]
	isNumber := p.Field.Distinct > fewCodes || len(last) > 0 && slices.Contains(numbered, last[0])
	return p.isDated() && checked.has(p.words) || made.has(p.words) &&
		len(p.words) <= mostInAnswer && p.share(answer) < most &&
		(p.typ.Kind == formats.String || isNumber && !p.broken && !p.isTime())
}
