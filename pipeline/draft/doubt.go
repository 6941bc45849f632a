package draft

import (
	"cmp"
	"slices"

	"github.com/kcut/kcut/formats"
)

// doubtedOf returns those of other columns that an acquaintance may know, by their names, and those
// that one of these determines, but none that a column determines which hardly anybody knows, and
// next to which it stays. If one has parts of days, as months, all others that have such join, and
// so do other parts of the day of one. In a table of patients these are only columns that name
// institutions, and nobody knows what an experiment did to whom.
func (d *draft) doubtedOf(known, others []*Profile, person int) (doubted []*Profile) {
	var may []*Profile
	clinical := d.isClinical()
	others = slices.DeleteFunc(slices.Clone(others), func(p *Profile) bool {
		return p.isOfExperiment() || d.isOfCustomer(p)
	})
	for _, p := range others {
		if !clinical && (d.mayBeKnown(p) || d.isOnlyPeriod(p)) ||
			clinical && d.mayBeKnown(p) && p.namesInstitutions() {
			may = append(may, p)
		}
	}
	for _, p := range others {
		if slices.Contains(may, p) || slices.ContainsFunc(may, func(of *Profile) bool {
			return d.sample.ReliablyDetermines(of.place, p.place, person)
		}) {
			doubted = append(doubted, p)
		}
	}
	haveParts := slices.ContainsFunc(doubted, (*Profile).hasPartsOfDays)
	for _, p := range others {
		joins := haveParts && p.hasPartsOfDays() && !unknown.has(p.words) ||
			slices.ContainsFunc(doubted, func(of *Profile) bool { return areOfOneDay(p, of) })
		if joins && !slices.Contains(doubted, p) {
			doubted = append(doubted, p)
		}
	}
	all := slices.Concat(known, doubted)
	return slices.DeleteFunc(doubted, func(p *Profile) bool {
		return slices.ContainsFunc(p.role.stays, func(by *Profile) bool {
			return by.role.masked() && !slices.Contains(all, by)
		})
	})
}

// asideOf returns those of the columns in doubt that are not in the first set: all of which much
// speaks against being known, or more than may be, and what one of these determines, or is a dummy
// of its kind; but none of some that are published, as days of what happened.
func (d *draft) asideOf(known, doubted []*Profile, isPublished func(p *Profile) bool) []*Profile {
	type weighed struct {
		*Profile
		votes   int
		entropy float64
	}
	in, sorted := slices.Clone(known), []weighed(nil)
	for _, p := range doubted {
		if isPublished(p) {
			in = append(in, p)
		} else {
			sorted = append(sorted, weighed{p, d.votes(p, known), d.entropy(p)})
		}
	}
	slices.SortStableFunc(sorted, func(a, b weighed) int {
		return cmp.Or(b.votes-a.votes, cmp.Compare(a.entropy, b.entropy))
	})
	var out []*Profile
	for i, c := range sorted {
		in = append(in, c.Profile)
		if i >= d.mostInDoubt || c.votes < fewestVotes || d.numberOfFacts(in) > mostKnown {
			in, out = in[:len(in)-1], append(out, c.Profile)
		}
	}
	goesOut := func(p *Profile) bool {
		return slices.ContainsFunc(out, func(of *Profile) bool {
			return p == of || slices.Contains(d.kindOf(of), p) ||
				d.sample.ReliablyDetermines(of.place, p.place, d.person())
		})
	}
	return slices.DeleteFunc(slices.Clone(doubted), func(p *Profile) bool {
		return isPublished(p) || !goesOut(p)
	})
}

const (
	// fewestVotes is the least number of votes with which a column in doubt is in the first set.
	fewestVotes = -1
	// nearKnown is the number of columns from one in doubt within which a known one speaks for it.
	nearKnown = 2
	// fineKnown is the largest number of values of a fine fact, such as a place or a job.
	fineKnown = 100
	// wideTable is the largest number of columns of a table that is about its people.
	wideTable = 40
)

// votes returns how much more speaks for a column in doubt being known than against it: one next to
// known ones, of some tens of values, or of people who have several rows, rather than a text, one
// of few numbers, or one of a table that is wide or has a class. Each weighs about the same in a
// logistic model fitted to what experts said of such columns of a thousand public tables.
func (d *draft) votes(p *Profile, known []*Profile) int {
	at := slices.Index(d.profiles, p)
	near := d.profiles[max(0, at-nearKnown):min(len(d.profiles), at+nearKnown+1)]
	isKnown := func(of *Profile) bool { return slices.Contains(known, of) }
	n := p.Field.Distinct
	votes := 0
	for _, is := range []bool{slices.ContainsFunc(near, isKnown), n > fewCodes && n <= fineKnown,
		d.entity != nil} {
		if is {
			votes++
		}
	}
	for _, is := range []bool{p.typ.Kind == formats.String, p.typ.Ordered() && n <= fewNumbers,
		d.class != nil, len(d.profiles) > wideTable} {
		if is {
			votes--
		}
	}
	return votes
}

// fewNumbers is the largest number of values of a column of few numbers.
const fewNumbers = 10
