package draft

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/job"
)

// crowd is a table with columns of which too little is kept. Mostly they are too many for its rows:
// a search divides the people into at most one group for each k of them, and the labels of another
// column are known only where it halves groups.
type crowd struct {
	people      int64   // rows, or entities
	columns     int     // that could be masked
	kept        int     // that kept more than little when all were masked
	information float64 // the part that all together kept then
	most        int     // that are left
	times       int     // that columns were dropped as they are too many; 0: they are not
	byClass     bool    // those stay that say most about it
	parts       map[string]float64
	// columns that are dropped however many there are, as a search kept hardly anything of them,
	// with the reason
	hardly map[string]string
}

// isOfFew reports whether the rows are too few for the columns.
func (c *crowd) isOfFew() bool { return c != nil && c.times > 0 }

const (
	// usefulPart is the part of the information from which a release of many columns is useful.
	usefulPart = 0.35
	// usefulOfPeople is that of a table whose people have several rows: a label of a group covers
	// all rows of its people, and so little is left of columns that change from row to row.
	usefulOfPeople = 0.5
	// usefulForClass is that of a table with a class: below it, classifiers learn more from the
	// columns that say most about the class.
	usefulForClass, leftForClass = 0.6, 0.7 // before columns are dropped, and after
	// nearlyUseful is how much less is enough if all columns keep more than little.
	nearlyUseful = 0.05
	// mostTimes is the largest number of times that columns are dropped, the same part each time.
	mostTimes = 4
	// columnsByHalving is the least number of columns that are left for each time that groups can
	// be halved: groups of different people say something of different columns.
	columnsByHalving = 1.5
	// fewestLeft is the least number of columns that are left.
	fewestLeft = 4
	// mostLabels is the largest number of labels of a column that few groups show: values that
	// fewer rows have become a rest.
	mostLabels = 10
	// likeClass is the part of the information about the class from which a column says about the
	// same as the class, which is released as it is.
	likeClass = 0.9
)

// crowded returns the crowd that the chosen search shows, which leaves fewer columns than were
// tried; nil: none. A search for classifiers chooses columns itself, and so do those for more rows
// than are divided into groups.
func (d *draft) crowded() *crowd {
	t := d.tried
	if t == nil || t.Trial == nil || d.rows > mostGrouped || d.For != "" && d.For != ForCount {
		return nil
	}
	c := crowd{people: d.people(), columns: t.Masked, kept: t.keeps(), parts: t.Parts,
		information: t.Information, hardly: make(map[string]string)}
	if d.crowd != nil {
		c = *d.crowd
	}
	halvings := math.Log2(float64(d.people()) / float64(d.k()))
	least := max(fewestLeft, int(columnsByHalving*halvings))
	c.most = t.Masked
	most := 3*t.keeps() >= 2*t.counted()
	useful := d.useful()
	if d.crowd == nil && t.keeps() == t.counted() {
		useful -= nearlyUseful
	}
	enough := most && t.loses() == 0 && t.Information >= useful
	if most || t.Masked <= least {
		hardly := d.hardlyKept(t.Masked > least, enough)
		if n := len(hardly); n > 0 && n < t.Masked {
			maps.Copy(c.hardly, hardly)
			c.most -= n
			return &c
		}
	}
	if enough || t.Masked <= least {
		return nil
	}
	c.hardly = make(map[string]string) // these may be among those that say most about the class
	for c.most >= t.Masked {
		c.times++
		part := math.Pow(float64(least)/float64(c.columns), float64(c.times)/mostTimes)
		c.most = max(least, int(part*float64(c.columns)))
	}
	return &c
}

// hardlyKept returns the columns of which a trial on all rows left a single label, or, of more than
// a few columns, those of many texts or codes of which it left less than a tenth, next to a class
// if enough is kept of all: else those go that say least about it. Those stay that nearly every
// analysis asks for, and those that another one of them determines: without that a search may keep
// more of them. Where nothing was dropped before, those of which it keeps less than a tenth are
// among them, if a tenth of the rows have a value and there is no class: without them it keeps more
// of others.
func (d *draft) hardlyKept(more, enough bool) map[string]string {
	more = more && d.crowd == nil && d.class == nil
	hardly, outcomes := make(map[string]string), d.outcomes()
	goFine := d.tried.Masked > fewestLeft && (enough || d.class == nil)
	var shown []*Profile
	for _, p := range d.profiles {
		isLost, isLittle := slices.Contains(d.tried.Lost, p.name), d.tried.isLittle(p.name)
		isFine := p.role.Mask != job.MaskDiscretize && p.Field.Distinct > fewCodes
		switch {
		case !p.role.masked(), d.afterAsked(p, outcomes) < 2, d.mayBecomeClass(p):
		case d.isBlurred(p):
			hardly[p.name] = blurred
			shown = append(shown, p.role.within)
		case d.isTooFine(p):
			hardly[p.name] = tooFine
		case d.tried.Rows == d.rows && (isLost || isFine && isLittle && goFine):
			hardly[p.name] = "less than a tenth of it was kept"
			if isLost {
				hardly[p.name] = "a single label of it was left"
			}
			shown = append(shown, p.role.shows...)
		case more && !slices.Contains(d.tried.sparse, p.name) && (isLost || isLittle):
			hardly[p.name] = "less than a tenth of it was kept"
		}
	}
	for _, p := range shown {
		delete(hardly, p.name)
	}
	if len(hardly) == 0 && goFine && d.tried.Rows == d.rows {
		fine := d.hardlySingle(outcomes)
		for _, p := range fine[:(len(fine)+1)/2] {
			hardly[p.name] = "few rows kept one value of it"
		}
	}
	return hardly
}

// hardlySingle returns the fine suppressed columns of the first set of which few rows keep one
// value, the finest ones first, but no areas that stand for coordinates: without these a search
// leaves more rows with one value of the others.
func (d *draft) hardlySingle(outcomes []*Profile) (fine []*Profile) {
	for _, p := range d.known.columns {
		single, tried := d.tried.Single[p.name]
		if tried && single < leastInDoubt/2 && p.role.Mask == job.MaskSuppress &&
			p.Field.Distinct > fewCodes && d.afterAsked(p, outcomes) == 2 && !d.mayBecomeClass(p) &&
			!d.replacesCoordinates(p) {
			fine = append(fine, p)
		}
	}
	slices.SortStableFunc(fine, func(a, b *Profile) int {
		return cmp.Compare(b.Field.Distinct, a.Field.Distinct)
	})
	return fine
}

// blurred is why areas are dropped that lie in larger ones.
const blurred = "few rows kept one value of it, which lies in larger areas"

// tooFine is why columns are dropped that another one says in fewer values, which stays.
const tooFine = "few rows kept one value of it, and another one says it in fewer values"

// isTooFine reports whether fewer than a third of the rows keep one value of a column because of
// which others with at most half as many values are dropped, but none with more.
func (d *draft) isTooFine(p *Profile) bool {
	single, tried := d.tried.Single[p.name]
	if !tried || 3*single >= 1 || p.role.Mask != job.MaskSuppress {
		return false
	}
	coarser := 0
	for _, of := range d.profiles {
		switch {
		case of.role.by != p || of.Field.Distinct < 3:
		case 2*of.Field.Distinct > p.Field.Distinct:
			return false
		default:
			coarser++
		}
	}
	return coarser > 0
}

// isBlurred reports whether fewer than half of the rows keep one area of a column as their label,
// and of the larger ones that stay next to it: both take cuts of each other.
func (d *draft) isBlurred(p *Profile) bool {
	isKept := func(p *Profile) bool {
		single, tried := d.tried.Single[p.name]
		return !tried || 2*single >= 1
	}
	return p.role.Mask == job.MaskSuppress && p.role.within != nil &&
		p.role.within.role.masked() && !isKept(p) && !isKept(p.role.within)
}

// holdsBlurred reports whether such areas of a column that was dropped are in its own, and these in
// no larger ones.
func (d *draft) holdsBlurred(p *Profile) bool {
	isHeld := func(of *Profile) bool {
		return d.crowd.hardly[of.name] == blurred && d.nests(of, p)
	}
	return d.crowd != nil && d.isArea(p) && p.role.within == nil &&
		slices.ContainsFunc(d.profiles, isHeld)
}

// leastInDoubt is the part of the rows with one value from which a column next to those in doubt is
// useful.
const leastInDoubt = 0.2

// doubtCosts reports whether a search keeps less than two thirds of the age, the sex or the race
// while columns in doubt are in the first set with it, or hardly anything of one of few values, or
// of fine ones that would be dropped.
func (d *draft) doubtCosts() bool {
	if d.tried == nil || d.tried.Trial == nil ||
		len(d.known.aside) == len(d.known.doubted) {
		return false
	}
	isKnown := func(p *Profile) bool { return !slices.Contains(d.known.doubted, p) }
	return slices.ContainsFunc(d.hardlySingle(d.outcomes()), isKnown) ||
		slices.ContainsFunc(d.known.columns, func(p *Profile) bool {
			part, is := d.wholePartOf(p)
			single, tried := d.tried.Single[p.name]
			return is && 3*part < 2 || tried && single < leastInDoubt &&
				p.role.Mask == job.MaskSuppress && p.Field.Distinct <= mostCutFirst
		})
}

// ageCosts reports whether a search keeps less than two thirds of the age, or of a level that stays
// for the pay, which are cut as others.
func (d *draft) ageCosts() bool {
	return d.tried != nil && d.tried.Trial != nil && !d.ageFirst &&
		slices.ContainsFunc(d.known.columns, func(p *Profile) bool {
			part, is := d.tried.Parts[p.name]
			return is && d.isCutFirst(p) && 3*part < 2
		})
}

// cutLate returns the columns of few values outside the first set of which a search left fewer than
// half of the rows with one value, if most others there are numbers, which were cut before them.
func (d *draft) cutLate() (late []string) {
	if d.tried == nil || d.tried.Trial == nil {
		return nil
	}
	numbers, others := 0, 0
	for _, p := range d.masked() {
		single, tried := d.tried.Single[p.name]
		switch {
		case slices.Contains(d.known.columns, p):
		case p.role.Mask == job.MaskDiscretize:
			numbers++
		default:
			others++
			if tried && 2*single < 1 && p.role.Mask == job.MaskSuppress && p.Field.Distinct > 1 &&
				p.Field.Distinct <= mostOutcomes && 2*p.Field.Rows >= p.Rows {
				late = append(late, p.name)
			}
		}
	}
	if numbers <= others {
		return nil
	}
	return late
}

// wholePartOf returns the part of an age, or of the rows with one value of the sex or the race as
// their label: sets of the frequent ones say little, though they leave the rare ones out.
func (d *draft) wholePartOf(p *Profile) (part float64, is bool) {
	if p == d.race() || d.isAsked(p) && rank(p) == 1 {
		part, is = d.tried.Single[p.name]
		return part, is
	}
	part, is = d.tried.Parts[p.name]
	return part, is && d.isAsked(p)
}

// dropHardly drops the columns of which a search kept hardly anything.
func (d *draft) dropHardly() {
	for _, p := range d.profiles {
		if d.crowd != nil && d.crowd.hardly[p.name] != "" && p.role.masked() {
			d.leave(p, d.crowd.hardly[p.name])
		}
	}
}

// useful returns the part of the information from which a release of many columns is useful.
func (d *draft) useful() float64 {
	switch {
	case d.class != nil && d.For != ForCount && d.crowd.isOfFew():
		return leftForClass
	case d.class != nil && d.For != ForCount:
		return usefulForClass
	case d.entity != nil:
		return usefulOfPeople
	}
	return usefulPart
}

// people returns the number of rows, or of entities.
func (d *draft) people() int64 {
	if d.entity != nil {
		return min(d.rows, d.entity.Field.Distinct)
	}
	return d.rows
}

// dropCrowd drops columns until the rows are enough for those that are left: first those that say
// about the same as the class, then those that say least about it, or without a class those of
// which the search with all columns kept least. Age, sex, race, height, weight, treatment, the pay
// and the time up to an event stay, which nearly every analysis asks for.
func (d *draft) dropCrowd() {
	if !d.crowd.isOfFew() {
		return
	}
	all := math.Inf(1)
	masked, worth := d.worths(max(d.k(), int(d.looked)/mostLabels))
	if d.crowd.byClass {
		all = likeClass * d.sample.Information(d.class.place, nil, d.class.place, 1)
	}
	masked = slices.DeleteFunc(masked, func(p *Profile) bool {
		same := worth[p] >= all && !d.endsWithClass(p)
		if same {
			d.leave(p, sameAsClass)
		}
		return same
	})
	outcomes := d.outcomes()
	slices.SortStableFunc(masked, func(a, b *Profile) int {
		return cmp.Or(d.afterAsked(a, outcomes)-d.afterAsked(b, outcomes),
			cmp.Compare(worth[b], worth[a]))
	})
	for _, p := range masked[min(d.crowd.most, len(masked)):] {
		d.leave(p, "too few rows for it")
	}
}

// afterAsked is 0 for a column with an age, a date of birth or a sex, 1 for one with a race, a
// treatment, a visit, a time up to an event, a height or a weight, and for outcomes, and 2 for
// others.
func (d *draft) afterAsked(p *Profile, outcomes []*Profile) int {
	switch {
	case d.isAsked(p):
		return 0
	case p == d.race(), p.isBasic() && rank(p) == 1,
		p.Field.Distinct <= mostOutcomes && treatments.has(p.words), d.endsWithClass(p),
		p.Field.Distinct <= usualClasses && waves.has(p.words) && !periods.has(p.words),
		p.typ.Ordered() && bodies.has(p.words), slices.Contains(outcomes, p):
		return 1
	}
	return 2
}

// race returns the masked column of few values with a race of which most rows differ from the
// most frequent one, one of an officer or the like only if there is no other; nil: there is none.
func (d *draft) race() (race *Profile) {
	for _, p := range d.profiles {
		if p.role.masked() && p.isBasic() && p.Field.Distinct <= fewCodes && d.kindOf(p) == nil &&
			called(&raced, p.words) && (race == nil || isOfServant(race) && !isOfServant(p) ||
			isOfServant(race) == isOfServant(p) && p.others() > race.others()) {
			race = p
		}
	}
	return race
}

// isOfServant reports whether a column is about somebody who decides about people or cares for
// them, as the sex of an officer.
func isOfServant(p *Profile) bool { return ofServants.has(p.words[:min(1, len(p.words))]) }

// isAsked reports whether a column has an age, a date of birth or a sex: that of a relative, an
// officer or the like only if there is no other.
func (d *draft) isAsked(p *Profile) bool {
	own := func(of *Profile) bool {
		return of.isBasic() && rank(of) == rank(p) && (rank(p) > 0 || first[0].has(of.words)) &&
			!ofRelatives.has(of.words) && !isOfServant(of)
	}
	return p.isBasic() && rank(p) < 2 && (own(p) || !slices.ContainsFunc(d.profiles, own))
}

// isAge reports whether a column has an age or a date of birth, for which most readers ask.
func (d *draft) isAge(p *Profile) bool { return rank(p) == 0 && d.isAsked(p) }

// mostLikeliest is the largest number of columns that are left as they may be the class, and of
// those that are left as scores.
const mostLikeliest = 2

// likeliest returns the first masked columns that may be the class of a table without one.
func (d *draft) likeliest() (first []*Profile) {
	for _, p := range d.profiles {
		if d.class == nil && len(first) < mostLikeliest && p.role.masked() && d.mayBeOutcome(p) {
			first = append(first, p)
		}
	}
	return first
}

// outcomes returns the masked columns that a table may be about: the pay, and without a class those
// that may be it, and scores. If there are none, that is a number in the last column, but no dummy
// of a kind.
func (d *draft) outcomes() (found []*Profile) {
	found = append(d.likeliest(), d.firstScores()...)
	if pay := d.firstPay(); pay != nil {
		found = append(found, pay)
	}
	if d.number != nil && d.number.role.masked() {
		found = append(found, d.number)
	}
	last := d.last
	if d.class == nil && len(found) == 0 && last.role.masked() && last.typ.Ordered() &&
		d.kindOf(last) == nil {
		found = append(found, last)
	}
	return found
}

// firstPay returns the first masked column with what people are paid or charged, for which most
// analyses of such a table ask; nil: there is none.
func (d *draft) firstPay() *Profile {
	i := slices.IndexFunc(d.profiles, func(p *Profile) bool {
		return p.role.masked() && p.typ.Ordered() && pay.has(p.words)
	})
	if i < 0 {
		return nil
	}
	return d.profiles[i]
}

// scores are the names of columns with the result of a test or the sum of its items, as those of
// the usual ones for patients.
var scores = words{
	alone: strings.Fields("updrs mmse moca adas hamd hdrs madrs phq gad bdi panss edss"),
	last:  []string{"score"},
}

// firstScores returns the first two masked columns with a score of a table without a class. An item
// of a test has fewer values.
func (d *draft) firstScores() (found []*Profile) {
	for _, p := range d.profiles {
		if d.class == nil && len(found) < mostLikeliest && p.role.masked() && p.typ.Ordered() &&
			p.Field.Distinct > longestScale && scores.has(withoutEnds(p.words)) {
			found = append(found, p)
		}
	}
	return found
}

// bodies are the names of columns with a person's size.
var bodies = words{whole: strings.Fields("height hgt ht weight wgt wt bmi")}

// pay are the names of columns with what people are paid or charged.
var pay = words{
	alone: strings.Fields("wage wages salary earnings income charges expenses"),
	not:   earlier,
}

// treatments are the names of columns by which studies compare people.
var treatments = words{
	alone: []string{"treatment", "treat", "treated", "trt", "tx", "arm", "rx", "intervention"},
	whole: []string{"therapy", "drug", "dose", "placebo", "group", "grp", "cohort"},
	last:  []string{"strategy", "program", "programme", "policy"},
	not:   earlier,
}

// leave drops a column that could be masked, and says how.
func (d *draft) leave(p *Profile, why string) {
	p.role = drop("%s; to mask it: %s (%s)", why, d.entry(p), p.role.Reason)
	p.role.crowded = true
}

// tooFewWords are about rows that are few for the columns, and crowdWords about the columns that
// are dropped.
const (
	tooFewWords = `# k = %d divides %s into at most %s: too few to say something of all
# columns.
`
	crowdWords = `# Tried with all %d columns that could be masked, %d of them kept a tenth of their
# information, and all together %.0f %%. So the draft drops %d:
# %s.
# To have one of them back, replace drop by the mask in its comment (and drop another one), and add
# it to the first set if an acquaintance knows it. Only what no recipient can know from elsewhere,
# such as a measurement or an answer to a survey, may be kept: {keep: {identifying: accepted}}.
`
)

// littleToSayWords are about few people, without too many columns for them.
const littleToSayWords = `
# k = %d divides %s into at most %s: expect little of each column.
`

// fewGroups is the number of groups below which people are few, however few the columns are.
const fewGroups = 20

// nameClassWords follow those of a draft without a class.
const nameClassWords = `# Name the class first, with kcut init --class NAME, if a model is to predict one: that draft keeps
# the columns that say most about it.
`

// writeCrowd writes which columns were dropped because the rows are few.
func (d *draft) writeCrowd(out *strings.Builder) {
	c, by := d.crowd, "those whose information it kept least of"
	people := text.Count(int(d.people()), "row")
	if d.entity != nil {
		people = text.Count(int(d.people()), "value") + " of " + job.Quoted(d.entity.name)
	}
	groups := int(d.people()) / d.k()
	if c == nil && groups < fewGroups {
		fmt.Fprintf(out, littleToSayWords, d.k(), people, text.Count(groups, "group"))
	}
	dropped := numberOf(d.profiles, func(p *Profile) bool { return p.role.crowded })
	if c == nil || dropped == 0 {
		return
	}
	if c.byClass && c.isOfFew() {
		by = "those that say about the same as the class, and those that say least about it"
	}
	out.WriteString("\n")
	if c.isOfFew() {
		fmt.Fprintf(out, tooFewWords, d.k(), people, text.Count(groups, "group"))
	}
	fmt.Fprintf(out, crowdWords, c.columns, c.kept, 100*c.information, dropped, by)
	if c.isOfFew() && d.class == nil {
		out.WriteString(nameClassWords)
	}
}
