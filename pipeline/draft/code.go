package draft

import (
	"slices"
	"strings"

	"github.com/kcut/kcut/formats"
)

// isCode reports whether a column has whole numbers that stand for something, by its name, or
// tracts such as 6114.02, or few numbers for origins. Those that are only called like a thing count
// it if they begin with 0.
func (p *Profile) isCode() bool {
	name := p.words
	return (p.typ.Kind == formats.Int || p.typ.Kind == formats.Uint ||
		p.isFractional() && (tracts.has(name) ||
			p.Field.Distinct <= fewCodes && (!p.broken || origins.has(name)))) &&
		(categories.has(name) || categories.has(withoutDigits(name)) || postal.has(name) ||
			slices.Equal(withoutEnds(name), name) && called(&categories, name) ||
			p.isNominal && p.Field.Distinct > 2 || p.isCluster() ||
			numbersOfPlaces.has(name) || numbersOfPlaces.has(withoutDigits(name)) ||
			p.Field.Distinct > 2 && p.Field.Distinct <= fewCodes &&
				(kindsOfLife.has(name) || isOfKind(name)) ||
			p.Field.Distinct > manyValues/2 && classesOfPupils.has(name) ||
			p.Field.Distinct <= longestScale && groups.has(name) || codesInShort.has(name)) &&
		!p.countsKind() && !p.isItem &&
		!(p.least == 0 && counted.has(name)) &&
		!(p.Field.Distinct > fewCodes && extents.has(name)) &&
		!(p.Field.Distinct > 2*usualClasses && slices.Contains(name, "type"))
}

// isSerial reports whether a column has numbers of things or of people, by its name, of which the
// first digits say nothing: those of places and kinds may.
func (p *Profile) isSerial() bool {
	return serials.has(p.words) || serials.has(withoutDigits(p.words))
}

// serials are names of columns of such numbers.
var serials = words{
	alone: slices.Concat(ofThings.alone, pairs(belongings, numbered), pairs(staff, numbered)),
	whole: slices.Concat(things, belongings, staff, classesOfPupils.whole),
	not:   strings.Fields("station site county state district type kind code cd"),
}

// origins are names of columns of facts without an order, whatever their numbers.
var origins = words{alone: strings.Fields("country ethnicity ethnic race raceth nationality " +
	"region province religion marital maritalstatus gender sex")}

// codesInShort are other names of columns of such numbers, cut short or written as one word.
var codesInShort = words{whole: strings.Fields("arm arms indust denomina denomination villnum " +
	"villno villid villcode")}

// classesOfPupils are names of columns that have the numbers of classes if they are many.
var classesOfPupils = words{whole: strings.Fields("class classroom homeroom")}

// isOfKind reports whether the last word of a name ends in one for kinds, as injtype and jobcat, or
// in one for groups, which may be alone behind another. Those of measurements have an order.
func isOfKind(name []string) bool {
	measured := strings.Fields("age bmi inc income educ edu weight wt height ht size dose time " +
		"score risk wage price parity year tenure experience salary")
	last := strings.TrimRight(strings.Join(name[max(0, len(name)-1):], ""), "0123456789")
	if n := len(name) - 1; n > 0 && (last == "group" || last == "grp") {
		last = name[n-1] + last
	}
	for _, end := range []string{"type", "code", "cat", "group", "grp"} {
		stem, found := strings.CutSuffix(last, end)
		if found && len(stem) >= 2 && !slices.ContainsFunc(measured, func(of string) bool {
			return strings.HasSuffix(stem, of)
		}) {
			return true
		}
	}
	return false
}

// ofKinds are last words of names of few whole numbers that stand for something next to other codes
// about the same: alone a class or a position may have an order.
var ofKinds = words{last: strings.Fields("class kind movement position manoeuvre maneuver method")}

// findKinds finds such columns, as casualty_class next to casualty_type.
func (d *draft) findKinds() {
	for _, p := range d.profiles {
		p.isNominal = p.isNominal || ofKinds.has(p.words) && p.Field.Distinct <= fewCodes &&
			slices.ContainsFunc(d.profiles, func(of *Profile) bool {
				return of != p && p.isAbout(of) && of.isCode()
			})
	}
}

// isAbout reports whether two columns are called like the same thing: both names begin with a word
// that has another one behind it.
func (p *Profile) isAbout(of *Profile) bool {
	return len(p.words) > 1 && len(of.words) > 1 && p.words[0] == of.words[0]
}

// withoutDigits returns the words of a name without the digits behind them, as race of race4, but
// not those of short words, as cd4. Only one that had digits is a word.
func withoutDigits(name []string) (words []string) {
	for _, word := range name {
		if plain := strings.TrimRight(word, "0123456789"); len(plain) >= 3 && plain != word {
			words = append(words, plain)
		}
	}
	return words
}
