package draft

import (
	"slices"
	"strings"
)

// numberForm is the form of names of numbers of things, as filenum, but not of sums, works are
// words for things of which somebody has several, as movie_1 and movie_2, and quantities are words
// in longer names of numbers that count or measure.
var (
	numberForm = matches(`^[a-z]{3,}(num|number|nbr)$`)
	works      = strings.Fields("movie film song book video album playlist track artist")
	quantities = words{alone: append(strings.Fields("of count total size sum avg mean min max "+
		"rate score age"), amounts.alone...)}
)

// thingShare is the least ratio of thousands of values to the rows of a column that numbers things,
// as its name ends in a word for a number.
const thingShare = 0.2

// numbersThings reports whether a column has numbers of things, as tickets, by its name and its
// values: hardly one repeats, there are thousands, or they are few of those up to the greatest.
func (p *Profile) numbersThings() bool {
	name, n := strings.Join(p.words, ""), len(p.words)
	if !p.hasMany() || p.broken || p.isTime() || p.counts() || p.Field.Rows <= fewRows {
		return false
	}
	isNumber := n > 1 && (p.words[n-1] == "num" || p.words[n-1] == "nbr") &&
		!quantities.has(p.words)
	work := strings.TrimRight(name, "0123456789")
	isWork := work != name && slices.Contains(works, work) &&
		p.greatest >= mostSpread*float64(p.Field.Distinct)
	return p.distinctShare() >= rareShare && n <= 2 && numberForm(name) &&
		!strings.HasPrefix(name, "total") || isWork ||
		p.distinctShare() >= thingShare && p.Field.Distinct >= 5*manyValues && isNumber
}

// matched are the names of columns of the numbers of sets of people whom a study compares.
var matched = words{
	alone: append(pairs(strings.Fields("match matched matching"), strings.Fields("set pair group")),
		pairs(strings.Fields("stratum strata pair block"), numbered)...),
	whole: strings.Fields("stratum strata pair block"),
	last:  strings.Fields("stratum strata pair"),
}

// numbersMatches reports whether a column numbers sets of matched people, by its name and its
// whole numbers, of which few rows have each: they say about everything of these.
func (p *Profile) numbersMatches() bool {
	return matched.has(p.words) && p.typ.Ordered() && !p.broken && !p.isTime() &&
		p.Field.Distinct > fewCodes && p.Field.Distinct*usualK > p.Field.Rows
}
