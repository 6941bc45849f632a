package draft

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/job"
)

// crowd is a table with too many columns for its rows: a search divides the people into at most one
// group for each k of them, and the labels of another column are known only where it halves groups.
type crowd struct {
	people      int64   // rows, or entities
	columns     int     // that could be masked
	kept        int     // that kept more than little when all were masked
	information float64 // the part that all together kept then
	most        int     // that are left
	times       int     // that columns were dropped
	dropped     int
	parts       map[string]float64
	hardly      []string // columns that are dropped, as the search kept less than a tenth of them
}

const (
	// usefulPart is the part of the information from which a release of many columns is useful.
	usefulPart = 0.35
	// usefulOfPeople is that of a table whose people have several rows: a label of a group covers
	// all rows of its people, and so little is left of columns that change from row to row.
	usefulOfPeople = 0.5
	// usefulForClass is that of a table with a class: below it, classifiers learn more from the
	// columns that say most about the class.
	usefulForClass, leftForClass = 0.6, 0.7 // before columns are dropped, and after
	// mostTimes is the largest number of times that columns are dropped, the same part each time.
	mostTimes = 4
	// columnsByHalving is the least number of columns that are left for each time that groups can
	// be halved: groups of different people say something of different columns.
	columnsByHalving = 1.5
	// fewestLeft is the least number of columns that are left.
	fewestLeft = 4
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
	enough := t.loses() == 0 && 3*t.keeps() >= 2*t.Masked && t.Information >= d.useful()
	hardly := d.hardlyKept()
	if enough && (len(hardly) == 0 || d.crowd != nil) {
		return nil
	}
	halvings := math.Log2(float64(d.people()) / float64(d.k()))
	least := max(fewestLeft, int(columnsByHalving*halvings))
	if t.Masked <= least {
		return nil
	}
	c := crowd{people: d.people(), columns: t.Masked, kept: t.keeps(), parts: t.Parts,
		information: t.Information}
	if enough {
		c.most, c.hardly = t.Masked-len(hardly), hardly
		return &c
	}
	if d.crowd != nil {
		c = *d.crowd
	}
	c.dropped, c.most, c.hardly = 0, t.Masked, nil
	for c.most >= t.Masked {
		c.times++
		part := math.Pow(float64(least)/float64(c.columns), float64(c.times)/mostTimes)
		c.most = max(least, int(part*float64(c.columns)))
	}
	return &c
}

// hardlyKept returns the columns of which a search that groups people, and looks at no class, keeps
// less than a tenth, but those that an acquaintance knows: without them it keeps more of others.
func (d *draft) hardlyKept() (names []string) {
	if d.entity == nil || d.class != nil {
		return nil
	}
	for _, p := range d.profiles {
		if p.role.masked() && !p.isBasic() && (d.tried.isLittle(p.name) ||
			slices.Contains(d.tried.Lost, p.name)) {
			names = append(names, p.name)
		}
	}
	return names
}

// useful returns the part of the information from which a release of many columns is useful.
func (d *draft) useful() float64 {
	switch {
	case d.class != nil && d.For != ForCount && d.crowd != nil:
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
// about the same as the class, then numbers that order the rows nearly as others do, then those
// that say least about the class, or without a class those of which the search with all columns
// kept least. Age, sex, height, weight, treatment, the time up to an event, and without a class the
// pay stay, which nearly every analysis asks for.
func (d *draft) dropCrowd() {
	if d.crowd == nil {
		return
	}
	all := math.Inf(1)
	if d.class != nil && d.class.place >= 0 {
		all = likeClass * d.sample.Information(d.class.place, nil, d.class.place, 1)
	}
	masked, worth := d.worths()
	masked = slices.DeleteFunc(masked, func(p *Profile) bool {
		same := worth[p] >= all && !d.endsWithClass(p)
		if same {
			d.leave(p, sameAsClass)
		}
		return same
	})
	masked = slices.DeleteFunc(masked, func(p *Profile) bool {
		is := slices.Contains(d.crowd.hardly, p.name)
		if is {
			d.leave(p, "less than a tenth of it was kept")
		}
		return is
	})
	outcomes := d.outcomes()
	slices.SortStableFunc(masked, func(a, b *Profile) int {
		return cmp.Or(d.afterAsked(a, outcomes)-d.afterAsked(b, outcomes),
			cmp.Compare(worth[b], worth[a]))
	})
	like := oneOfEach(masked, func(p *Profile) bool { return d.afterAsked(p, outcomes) < 2 })
	for _, p := range masked[min(d.crowd.most, len(masked)):] {
		why := "too few rows for it"
		if of := like[p]; of != nil {
			why += fmt.Sprintf(", and %s has nearly the same order", job.Quoted(of.name))
		}
		d.leave(p, why)
	}
}

// afterAsked is 0 for a column with an age, a date of birth or a sex, 1 for one with a race, a
// treatment, a time up to an event, a height or a weight, and for outcomes, and 2 for others.
func (d *draft) afterAsked(p *Profile, outcomes []*Profile) int {
	switch {
	case d.isAsked(p):
		return 0
	case p == d.firstRace(),
		p.Field.Distinct <= mostOutcomes && treatments.has(p.words), d.endsWithClass(p),
		p.typ.Ordered() && bodies.has(p.words), slices.Contains(outcomes, p):
		return 1
	}
	return 2
}

// firstRace returns the first masked column of few values with a race; nil: there is none.
func (d *draft) firstRace() *Profile {
	for _, p := range d.profiles {
		if p.role.masked() && p.isBasic() && p.Field.Distinct <= fewCodes &&
			called(&raced, p.words) {
			return p
		}
	}
	return nil
}

// isAsked reports whether a column has an age, a date of birth or a sex: that of a relative only if
// there is no other age.
func (d *draft) isAsked(p *Profile) bool {
	own := func(p *Profile) bool {
		name := p.words
		return p.isBasic() && first[0].has(name) && !ofRelatives.has(name)
	}
	return p.isBasic() && (rank(p) == 1 || rank(p) == 0 &&
		(own(p) || !slices.ContainsFunc(d.profiles, own)))
}

// mostLikeliest is the largest number of columns that are left as they may be the class.
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

// outcomes returns the masked columns that a table without a class may be about: those that may be
// the class, and the pay. If there are none, that is a number in the last column.
func (d *draft) outcomes() (found []*Profile) {
	found = d.likeliest()
	if pay := d.firstPay(); pay != nil {
		found = append(found, pay)
	}
	last := d.last()
	if d.class == nil && len(found) == 0 && last.role.masked() && last.typ.Ordered() {
		found = append(found, last)
	}
	return found
}

// firstPay returns the first masked column with what people are paid or charged, which a table
// without a class is mostly about; nil: there is none, or a class.
func (d *draft) firstPay() *Profile {
	i := slices.IndexFunc(d.profiles, func(p *Profile) bool {
		return d.class == nil && p.role.masked() && p.typ.Ordered() && pay.has(p.words)
	})
	if i < 0 {
		return nil
	}
	return d.profiles[i]
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
	alone: []string{"treatment", "treat", "treated", "trt", "arm", "rx", "intervention"},
	whole: []string{"therapy", "drug", "dose", "placebo", "group", "grp", "cohort"},
	not:   earlier,
}

// leave drops a column that could be masked, and says how.
func (d *draft) leave(p *Profile, why string) {
	p.role = drop("%s; to mask it: %s (%s)", why, d.entry(p), p.role.Reason)
	p.role.crowded = true
	d.crowd.dropped++
}

// crowdWords are about the columns that are dropped because the rows are few.
const crowdWords = `
# k = %d divides %s into at most %s: too few to say something of all
# %d columns that could be masked. Tried with all, %d of them kept a tenth of their
# information, and all together %.0f %%. So the draft drops %d:
# %s.
# To have one of them back, replace drop by the mask in its comment (and drop another one), and add
# it to the first set if an acquaintance knows it. Only what no recipient can know from elsewhere,
# such as a measurement or an answer to a survey, may be kept: {keep: {identifying: accepted}}.
`

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
	if c == nil {
		return
	}
	name := nameClassWords
	if d.class != nil {
		by = "those that say about the same as the class, and those that say least about it"
		name = ""
	}
	fmt.Fprintf(out, crowdWords, d.k(), people, text.Count(groups, "group"), c.columns,
		c.kept, 100*c.information, c.dropped, by)
	out.WriteString(name)
}
