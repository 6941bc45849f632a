package draft

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/job"
)

// k counts an identifier that repeats if it has several values for each unit of k, and no more than
// some rows for each on average. The search ignores entities with more than about 800 rows, in
// larger tables sooner, and rounds the weight of rows, by less than half. So at most 5/8 of the
// entities are ignored, and those that are left are enough for k in the widest group.
//
// With fewer people k is a part of them. The fewest are enough for a k of 2.
const (
	entitiesByK       = 10
	fewestPeople      = 12
	mostRowsPerEntity = 500
	mostEntityRows    = 5_000_000
)

// mostOnce is the largest ratio of values to rows of an identifier that repeats not by mistake.
// That of a person may repeat in fewer rows, if they are k and more, but no name: some have
// namesakes.
const mostOnce = 0.98

// repeats reports whether a dropped column has values that belong to one person each, and repeat.
func (p *Profile) repeats() bool {
	return p.role.owned && p.Field.Distinct >= 2 && p.distinctShare() < 1 &&
		(p.role.facts || !ofThings.has(p.words))
}

// chooseEntity finds the column that k counts: among the identifiers that repeat, one of enough
// people for the highest k, then the one that looks most like that of people, and of equals the one
// with the fewest values, numbers before names. If k counts none of them it finds the one whose
// people may have several rows.
func (d *draft) chooseEntity() {
	for _, p := range d.profiles {
		p.role.facts = d.givesFacts(p)
		rank := p.entityRank()
		if rank >= 0 && p.isKind() && d.numbersRows(p, notTeachers) {
			p.role = &Role{Mask: job.MaskSuppress, Reason: distinctValues(p) +
				": groups of people, who have a number in each row"}
			continue
		}
		if rank < 0 || p.role.fullNames && d.numbersOthers(p) ||
			d.isOfSeveral(p) ||
			rank > 0 && d.numbersRows(p, persons.has) || d.numbersRows(p, p.isSisterOf) ||
			ofTeacher.has(p.words) && d.numbersRows(p, notTeachers) ||
			rank == ofIncident && d.numbersRows(p, isOnlyID) || d.numbersDeeds(p) {
			continue
		}
		of, higher := &d.uncounted, 0
		if d.countable(p) {
			of = &d.entity // people come before incidents, however few
			if *of != nil && p.numbersIncidents() == (*of).numbersIncidents() {
				higher = d.kOf(*of) - d.kOf(p)
			}
		}
		if *of == nil || cmp.Or(higher, p.isOftenNobody()-(*of).isOftenNobody(),
			p.entityRank()-(*of).entityRank(), p.isShared()-(*of).isShared(),
			cmp.Compare(p.Field.Distinct, (*of).Field.Distinct)) < 0 {
			*of = p
		}
	}
	if d.entity != nil {
		d.uncounted = nil
		for _, p := range d.profiles {
			if p.role.second = d.isSecond(p); p.role.second && p.isKind() {
				p.role = &Role{Mask: job.MaskSuppress, Reason: distinctValues(p) +
					": too few for people next to " + job.Quoted(d.entity.name)}
			}
			if (p.role.masked() || p.role.crowded) && d.isOfDesign(p) && d.isWave(p, d.entity) &&
				d.class == nil && !d.follows(p) {
				p.role = &Role{Mask: job.MaskKeep, Reason: distinctValues(p) +
					", of which nearly each one of " + job.Quoted(d.entity.name) +
					" has each once: nobody differs in it"}
			}
		}
	}
}

// isShared is 1 of a column of names, which several people may have, else 0.
func (p *Profile) isShared() int {
	if p.role.fullNames || directMeaning(p.words).meaning == namesOfPeople {
		return 1
	}
	return 0
}

// isSecond reports whether an identifier is that of another person or thing than the entity: the
// rows of each have several of the other, and neither is one of families.
func (d *draft) isSecond(id *Profile) bool {
	isFamily := d.entity.entityRank() == ofFamily || id.entityRank() == ofFamily
	return id != d.entity && id.repeats() && !id.role.names && !isFamily &&
		!d.determines(id, d.entity) && !d.determines(d.entity, id)
}

// mostApart is the largest share of the rows in which a column differs that follows from another.
const mostApart = 0.05

// follows reports whether a masked column determines one, nearly: a run refuses to keep that exact,
// as it would show what the other one hides, and what shows people together with the class.
func (d *draft) follows(p *Profile) bool {
	return slices.ContainsFunc(d.profiles, func(of *Profile) bool {
		return of != p && of.role.masked() && of.place >= 0 &&
			d.sample.Determines(of.place, p.place, int64(mostApart*float64(p.Rows)))
	})
}

// isKind reports whether an identifier of few values has many rows of each, as the subject of a
// test, and is called like nobody who serves.
func (p *Profile) isKind() bool {
	return p.Field.Distinct <= fewCodes && p.Field.Distinct*manyValues <= p.Rows &&
		!(&words{alone: staff}).has(p.words)
}

// kin are names of columns that number people of a family, or families, if they have many values:
// with few they count them, or say something of one, as her height.
var kin = words{whole: append(strings.Fields("mom mother father parent mum dad kid child baby "+
	"infant pupil woman man couple sibship"), households...)}

// households are those of them that number families.
var households = strings.Fields("household family hh pedigree")

// fewestKin is the least number of values of such a column.
const fewestKin = 100

// numbersKin reports whether a column numbers people of a family, or families.
func (p *Profile) numbersKin() bool {
	isWhole := p.typ.Kind == formats.Int || p.typ.Kind == formats.Uint || p.share(code) >= most
	return isWhole && p.Field.Distinct >= fewestKin && p.hasMany() && kin.has(p.words)
}

// related is the rule for such columns.
var related = []rule{{(*Profile).numbersKin, func(p *Profile) *Role {
	role := drop("called like people, with %s", distinctValues(p))
	role.owned = true
	return role
}}}

// ofIncident and ofFamily are the ranks of a number of complaints or the like, and of families,
// households or contracts, which k counts if nothing else.
const ofIncident, ofFamily = 3, 4

// incidents are words for what happens to several people, or to one several times.
var incidents = strings.Fields("complaint case incident stop arrest report crime offense offence " +
	"citation crash accident call referral petition")

// numbersIncidents reports whether a column has numbers of incidents, by its name, as case_id, but
// not caseid, as surveys call the number of somebody.
func (p *Profile) numbersIncidents() bool {
	n := len(p.words)
	return n > 1 && slices.Contains(incidents, p.words[n-2]) &&
		slices.Contains(numbered, p.words[n-1])
}

// waves are names of columns of when people were asked.
var waves = words{whole: strings.Fields("wave waves round survey surveyround year yr period " +
	"visit visitnum visitnumber avisit time timepoint session occasion eventname redcapeventname")}

// hasWaves reports whether the rows of one family are those of several times: none is there twice.
func (d *draft) hasWaves(family *Profile) bool {
	return slices.ContainsFunc(d.profiles, func(p *Profile) bool {
		return waves.has(p.words) && p.place >= 0 && p.Field.Distinct > 1 && d.isWave(p, family)
	})
}

// isWave reports whether nobody has two rows with the same value of a column, as of one time.
func (d *draft) isWave(p, of *Profile) bool {
	return d.sample.Figures([]int{of.place, p.place}, 1).Unique > mostOnce
}

// mostOfOthers is the largest share of the repeated rows of an identifier with another sex or
// country than the first one: more are no mistakes.
const mostOfOthers = 0.1

// mostAging is the number of years that people get older in a study that asks them again.
const mostAging = 25

// nations are names of columns of the country in which somebody was asked.
var nations = words{whole: strings.Fields("country cntry cnt nation countryid countrycode " +
	"cntryid countryname")}

// sites are names of columns of the places of a study, which may number their people anew.
var sites = words{alone: pairs(atSites, numbered), whole: atSites}

var atSites = strings.Fields("site school center centre hospital clinic lab college university")

// subjects are names of columns of people who may have answered for several, or been asked about
// them.
var subjects = words{alone: pairs(append([]string{"worker"}, people...), numbered), whole: people,
	not: []string{"bib"}} // each race has its own

// isOfSeveral reports whether rows with the same value of an identifier, with the same full name or
// e-mail address are those of several people, as names, the sex, the age or the country show, and
// the site, too, of one that is called like a person's: each country or site numbers its own
// people, and some have a name in common.
func (d *draft) isOfSeveral(id *Profile) bool {
	isSubject := subjects.has(id.words)
	mayBeOfSeveral := directMeaning(id.words).meaning == identifiers || id.role.fullNames ||
		id.share(email) > 0 || isSubject
	if !mayBeOfSeveral || families.has(id.words) {
		return false
	}
	again := float64(id.Field.Rows - id.Field.Distinct)
	differs := func(p *Profile) bool {
		return id.place >= 0 && p.place >= 0 && p.Field.Distinct > 1 &&
			!d.sample.Determines(id.place, p.place, int64(mostOfOthers*again)+p.Rows-p.Field.Rows)
	}
	return d.isOfNames(id) || slices.ContainsFunc(d.profiles, func(p *Profile) bool {
		if slices.Contains(p.words, "age") && p.typ.Ordered() && p.isBasic() && id.place >= 0 &&
			p.place >= 0 && p.high <= oldest && !ofRelatives.has(p.words) {
			older := d.sample.Beyond(id.place, p.numbers, mostAging)
			return !isSubject && float64(older) > mostOfOthers*again && !d.hasWaves(id)
		}
		isSex := (called(&sexes, p.words) || p.hasSexes()) && !p.countsKind()
		return (isSex || !isSubject && nations.has(p.words)) && !ofRelatives.has(p.words) &&
			(!isOfServant(p) || isOfServant(id)) && differs(p)
	}) && (!isSubject || slices.ContainsFunc(d.profiles, func(p *Profile) bool {
		return sites.has(p.words) && differs(p)
	}))
}

// mostNames is the largest share of the repeated rows of an identifier with another name than the
// first one, next to those of one value, which may be nobody's.
const mostNames = 0.5

// isOfNames reports whether the rows of an identifier have the names of several people, as those of
// a customer that is a firm, in columns whose names do not say who else has these.
func (d *draft) isOfNames(id *Profile) bool {
	again := float64(id.Field.Rows - id.Field.Distinct - id.Field.Most)
	names := d.names()
	return id.place >= 0 && names != nil && names[0] != id && !id.role.fullNames &&
		again >= repeatedShare*float64(id.Field.Rows) &&
		!persons.has(names[0].words) &&
		!d.sample.Determines(id.place, names[0].place, id.Field.Most+int64(mostNames*again))
}

// numbersDeeds reports whether a column that is called id only numbers what people did: a column of
// full names has far fewer values.
func (d *draft) numbersDeeds(id *Profile) bool {
	return isOnlyID(id.words) && slices.ContainsFunc(d.profiles, func(p *Profile) bool {
		return p.role.fullNames && 2*p.Field.Distinct <= id.Field.Distinct &&
			p.entityRank() >= 0 && !d.isOfSeveral(p)
	})
}

// isOnlyID reports whether a name says nothing but that it is an identifier.
func isOnlyID(name []string) bool { return slices.Equal(name, []string{"id"}) }

// numbersRows reports whether each row has another number of a person, in a column of some name:
// then people with one name are several, and what else repeats is no number of people. Next to
// another column of full names, numbers that only count the rows from 0 or 1 on are none of people.
func (d *draft) numbersRows(of *Profile, called func(name []string) bool) bool {
	return slices.ContainsFunc(d.profiles, func(p *Profile) bool {
		return p.role.owned && p.distinctShare() > mostOnce && called(p.words) &&
			!(of.role.fullNames && p.countsRows)
	})
}

// numbersOthers reports whether each row has another number of a person than a column. One that is
// only called id may number what those of a column that is called like people did.
func (d *draft) numbersOthers(p *Profile) bool {
	isNamed := persons.has(p.words) && !isOnlyID(p.words)
	return d.numbersRows(p, func(name []string) bool {
		return notOthers(name) && !(isNamed && isOnlyID(name))
	})
}

// isSisterOf reports whether a name is that of another number of the same, as player_id and
// player_code.
func (p *Profile) isSisterOf(name []string) bool {
	n := len(name) - 1
	return n > 0 && n == len(p.words)-1 && slices.Equal(name[:n], p.words[:n]) &&
		name[n] != p.words[n] && slices.Contains(numbered, name[n])
}

// checkPeople refuses a table of fewer people than k, as it is one of fewer rows. Another
// identifier of people may have those whom the table is about.
func (d *draft) checkPeople() error {
	p := d.uncounted
	if p == nil || d.looked < d.rows || p.Field.Distinct >= int64(d.K) ||
		!numbersOf.has(p.words) || slices.ContainsFunc(d.profiles, func(o *Profile) bool {
		return o.role.owned && persons.has(o.words) && o.Field.Distinct >= int64(d.K)
	}) {
		return nil
	}
	return fault.Errorf(fault.Privacy, fmt.Sprintf("give the rows of %d people and more, or a "+
		"smaller k with --k", entitiesByK*d.K), "draft a job: the input has %s of %s, k is %d",
		text.Count(int(p.Field.Distinct), "value"), job.Quoted(p.name), d.K)
}

// kOf returns the k of the first set if it counts the values of a column: a tenth of these, and at
// least 2, if there are too few for the k that is asked for.
func (d *draft) kOf(p *Profile) int {
	return min(d.K, max(2, int(p.Field.Distinct)/entitiesByK))
}

// k returns the k of the first set.
func (d *draft) k() int {
	k := d.K
	if d.entity != nil {
		k = d.kOf(d.entity)
	}
	if d.known != nil && d.known.isNobody && d.usualK {
		k = min(k, nobodysK)
	}
	return k
}

// fewest returns the least number of values of a column that k counts. k is not lowered for few
// values where a name says only that they are identifiers, and facts differ in rows of one, or
// where each row has another number of a person: an id may be that of what one did.
func (d *draft) fewest(p *Profile) int {
	name := p.words
	isPeople := persons.has(name) || ofPersons.has(name) || p.role.names || p.role.facts
	if isPeople && !d.numbersOthers(p) {
		return max(fewestPeople, d.K)
	}
	return entitiesByK * d.K
}

// givesFacts reports whether an identifier with several rows for each determines facts about
// people, the only ones, with an age or a birth among them: then it is that of one person, even if
// it is called like a thing, as the number of a stay in a hospital.
func (d *draft) givesFacts(id *Profile) bool {
	if !id.role.owned || id.Field.Distinct < 2 || 2*id.Field.Distinct > id.Field.Rows {
		return false
	}
	n, hasAge := 0, false
	for _, p := range d.profiles {
		if p.fact && p.place >= 0 && p.Field.Distinct > 1 && p != id {
			if !d.determines(id, p) {
				return false
			}
			n++
			hasAge = hasAge || called(&first[0], p.words) && p.Field.Distinct > 2
		}
	}
	return n >= fewestFacts && hasAge
}

// countable reports whether k can count the values of a column, which are enough for it.
func (d *draft) countable(p *Profile) bool {
	n := p.Field.Distinct
	repeats := p.distinctShare() <= mostOnce ||
		persons.has(p.words) && !p.hasFullNames() && p.Field.Rows-n >= int64(d.K)
	return d.rows <= mostEntityRows && repeats && n >= int64(d.fewest(p)) &&
		p.Field.Extrapolate(d.rows).AtLeast*mostRowsPerEntity >= d.rows &&
		float64(p.Rows-p.Field.Rows) <= mostUnknown*float64(p.Rows)
}

// isOftenNobody is 1 of a column whose least number is 0 or less, as -1, in many rows: it stands
// for nobody. Else it is 0.
func (p *Profile) isOftenNobody() int {
	rows := 0
	for _, x := range p.numbers {
		if x == p.least && x <= 0 {
			rows++
		}
	}
	if float64(rows) > mostUnknown*float64(p.Rows) {
		return 1
	}
	return 0
}

// mostUnknown is the largest share of rows that are of nobody.
const mostUnknown = 0.1

// persons and numbersOf are words and numbers of those whom a table is about, others are words of
// others and of things.
var (
	persons   = words{alone: slices.Concat(people, ofPersons.alone)}
	numbersOf = words{alone: ofPersons.alone}
	others    = words{alone: slices.Concat(staff, things, belongings, ofThings.alone,
		pairs(belongings, numbered), regions, housed), whole: ofThings.whole}
	families = words{alone: housed, whole: households}
)

// notTeachers reports whether a name is that of the number of somebody who is no teacher.
func notTeachers(name []string) bool {
	return persons.has(name) && !isOnlyID(name) && !ofTeacher.has(name)
}

func notOthers(name []string) bool { return !others.has(name) }

// entityRank returns a rank for how much a column looks like the number of a person, 0 for the
// most; −1: it does not. Amounts are no numbers of people, and these share telephones and accounts.
func (p *Profile) entityRank() int {
	name := p.words
	meaning := directMeaning(name).meaning
	switch {
	case p.repeats() && families.has(name):
		return ofFamily
	case p.repeats() && p.numbersKin():
		return 1
	case !p.repeats() || others.has(name) && !p.role.facts || p.isFractional():
		return -1
	case p.numbersIncidents():
		return ofIncident
	case persons.has(name):
		return 0
	case others.has(name):
		return ofIncident
	case p.role.names || meaning == identifiers:
		return 1
	case meaning == numbersOfPeople || p.typ.Kind == formats.UUID || p.share(uuid) > 0 ||
		p.share(email) > 0:
		return 2
	}
	return -1
}
