package draft

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/guard"
	"github.com/kcut/kcut/pipeline/job"
)

// mostClasses is the largest number of values of a class that is asked for, and usualClasses of one
// that is proposed, namedClasses of one whose name says that it is the class.
const (
	mostClasses  = 1000
	usualClasses = 20
	namedClasses = 50
)

// manifold are names of classes that may have many values in the last place, such as diseases.
var manifold = words{whole: strings.Fields("class label target prognosis")}

// mostOutcomes is the largest number of values of an outcome that only a part of the name shows.
const mostOutcomes = 5

// groups are the names of columns with the groups of people that a study compares, which may have
// been found or made.
var groups = words{
	whole: append(pairs([]string{"", "dx", "diagnosis", "diag", "disease"},
		[]string{"group", "grp", "cohort"}), "dx", "diagnosis"),
}

// chooseClass finds the column that models predict: the one that is asked for, or one of few values
// that has one of the likeliest names, or a name that ends like one, or that has a word for what
// came of somebody or, in the last or the first column, such a word; or else, if no purpose needs
// classes, the number that the table is about, unless a run refuses it.
func (d *draft) chooseClass() error {
	d.pairTimes()
	d.findEnds()
	if d.Class != "" {
		return d.takeClass()
	}
	for again := true; again; again = d.class != nil && len(d.class.givenBy) > 0 {
		d.class = d.likeliestClass()
		d.findGivers()
	}
	if d.class = d.readableClass(); d.class != nil && d.isRemembered(d.class) {
		d.class.remembered, d.class = true, nil
	}
	if d.class != nil {
		return nil
	}
	if d.For == ForClassify || d.For == ForBoth {
		return d.noClass("draft for %s: no column looks like the class", d.For)
	}
	// the one row with a high pay is that of somebody whom others know
	if d.findNumber(); d.number != nil && d.number.Field.Distinct <= mostClasses &&
		d.number.alone <= guard.MostUnique &&
		(!pay.has(d.number.words) || d.sample.Figures([]int{d.number.place}, 1).Unique == 0) {
		d.class = d.number
	}
	return nil
}

// readableClass returns the texts that go with the numbers of the class, one with each, or the
// class.
func (d *draft) readableClass() *Profile {
	if d.class == nil || !d.class.typ.Ordered() {
		return d.class
	}
	for _, p := range d.profiles {
		if p.typ.Kind == formats.String && p.couldBeClass() && !p.isBasic() &&
			d.determines(p, d.class) && d.determines(d.class, p) {
			return p
		}
	}
	return d.class
}

// takeClass takes the column that is asked for.
func (d *draft) takeClass() error {
	cause := ""
	i := slices.IndexFunc(d.profiles, func(p *Profile) bool { return p.name == d.Class })
	switch {
	case i < 0:
		cause = "the input has no such column"
	case d.profiles[i].typ.Kind == formats.Nested:
		cause = "it is nested"
	case d.profiles[i].Field.Distinct > mostClasses:
		cause = fmt.Sprintf("it has more than %d distinct values", mostClasses)
	default:
		d.class = d.profiles[i]
		d.findGivers()
		return nil
	}
	return d.noClass("take column %s as class: %s", job.Quoted(d.Class), cause)
}

// mostGiven is the part of the information about the class from which ten ranges of a number nearly
// give it: each limit between two classes is within one of them.
const mostGiven = 0.75

// findGivers finds the numbers that people know about others and that nearly give the class, as a
// level of obesity follows from weight and height, but not what came of somebody: such a class is
// a fact that they know.
func (d *draft) findGivers() {
	of := d.class
	if of == nil || of.place < 0 || d.isOutcome(of) {
		return
	}
	gives := func(p *Profile, numbers []float64) bool {
		return max(d.sample.Information(p.place, numbers, of.place, 1),
			d.sample.LimitInformation(numbers, of.place)) >= mostGiven*d.entropy(of)
	}
	for _, p := range d.profiles {
		if p == of || !p.typ.Ordered() || p.isCode() || p.Field.Distinct <= fewCodes ||
			!p.isNearlyFilled() {
			continue
		}
		if (p.isBasic() || d.isWeightOfHeight(p)) && gives(p, p.numbers) {
			of.givenBy = []*Profile{p}
			return
		}
		if height := d.heightOf(p); height != nil && height.typ.Ordered() {
			index := make([]float64, len(p.numbers)) // the body mass index, in any unit
			for row, weight := range p.numbers {
				index[row] = weight / (height.numbers[row] * height.numbers[row])
			}
			if gives(p, index) {
				of.givenBy = []*Profile{height, p}
				return
			}
		}
	}
}

// isRefused reports whether a run refuses the proposed class, because it identifies people whom k
// counts: it is none then. Of one that is asked for, it notes why.
func (d *draft) isRefused() bool {
	if d.class == nil || d.class.place < 0 {
		return false
	}
	figures, who := d.sample.Figures([]int{d.class.place}, 1), "rows"
	if d.entity != nil && d.entity.place >= 0 {
		figures, who = d.sample.FiguresOfPeople(d.class.place, d.entity.place), "entities"
		both := []int{d.class.place, d.entity.place} // a run divides by people, not by their values
		figures.Unique *= float64(d.sample.Figures(both, 1).Classes) /
			float64(d.sample.Figures(both[1:], 1).Classes)
	}
	found := guard.FoundOnClass(figures, who, job.Quoted(d.class.name), d.class.typ)
	if d.Class != "" {
		d.classFound = found
		return false
	}
	if found != "" {
		d.class.alone = 1
	}
	return found != ""
}

// noClass returns an error with a hint that names columns that could be the class.
func (d *draft) noClass(format string, args ...any) error {
	hint := "name a column with few distinct values with --class"
	var names []string
	for _, name := range d.classCandidates() {
		names = append(names, job.Quoted(name))
	}
	if len(names) > 0 {
		hint += ", as " + strings.Join(names, ", ")
	}
	return fault.Errorf(fault.Usage, hint, format, args...)
}

// likeliestClass returns the column with most evidence that it is the class, one at an end of the
// table and else the first one of several with as much; nil: none has enough.
func (d *draft) likeliestClass() (class *Profile) {
	most := fewestPoints
	for _, p := range d.profiles {
		points := d.classPoints(p)
		if points > most || points == most && (class == nil || d.isAtEnd(p)) {
			class, most = p, points
		}
	}
	return class
}

// isSurvey reports whether software of surveys wrote the table, with how each answer was given.
func (d *draft) isSurvey() bool {
	return slices.ContainsFunc(d.profiles, func(p *Profile) bool {
		return strings.EqualFold(p.name, "RecordedDate")
	})
}

// findEnds finds the first and the last column that could be a class: lines may begin and end with
// identifiers, weights or texts that differ in each row, and end with a sign too many, with who
// agreed to an interview, or with what hardly anybody has.
func (d *draft) findEnds() {
	isNone := func(p *Profile) bool { return p.isWeightOfRow() || roleOf(p).Mask == job.MaskDrop }
	d.first, d.last = nil, d.profiles[0]
	for _, p := range d.profiles {
		if p.distinctShare() < uniqueShare[formats.String] && !isNone(p) {
			d.first = p
			break
		}
	}
	for _, p := range slices.Backward(d.profiles) {
		if !isNone(p) && (!d.isNearlyConstant(p) || d.mayBeOutcome(p)) &&
			(p.position == 0 || d.headless) &&
			!strings.HasPrefix(p.name, "Unnamed: ") { // pandas calls it so
			d.last = p
			return
		}
	}
}

// isAtEnd reports whether a column is the first or the last one that could be a class.
func (d *draft) isAtEnd(p *Profile) bool { return p == d.first || p == d.last }

// isGiven reports whether known numbers nearly give a column that is called like a class, or people
// remember it.
func (p *Profile) isGiven() bool { return len(p.givenBy) > 0 || p.remembered }

// rowsOfFate is the number of rows, in units of k, that died and that did not from which hardly a
// row loses that in a set.
const rowsOfFate = 100

// isRemembered reports whether a class says who died, which acquaintances remember, in a table with
// enough rows of each value for k to count it as it is, and for no model and no trial, of which it
// is the endpoint.
func (d *draft) isRemembered(p *Profile) bool {
	isTreatment := func(p *Profile) bool {
		return p.Field.Distinct > 1 && p.Field.Distinct <= mostOutcomes && treatments.has(p.words)
	}
	return p.saysWhoDied() && d.For != ForClassify && d.For != ForBoth &&
		!slices.ContainsFunc(d.profiles, isTreatment) &&
		d.sample.Frequent(p.place, uint64(rowsOfFate*d.K), d.rows).AtLeast >= p.Field.Distinct
}

// isPredictable reports whether a column could be the class, at least k rows have another value
// than the most frequent one, most rows have a value, or enough if it says who left or stayed, or
// in the last place what came of somebody, where null may be a refusal, or how content somebody is,
// and it is no option of several.
func (d *draft) isPredictable(p *Profile) bool {
	return p.couldBeClass() && !d.isNearlyConstant(p) && !p.isOption && (2*p.Field.Rows >= p.Rows ||
		p.Field.Rows >= fewNulls && (left.has(withoutEnds(p.words)) ||
			p == d.last && (d.hasVerdicts(p) || judged.has(p.words))))
}

// couldBeClass reports whether a column has few values, with several rows each, and so few rows
// have a value of their own that a run takes it as class, and nothing that people know gives it.
func (p *Profile) couldBeClass() bool {
	if p.isGiven() {
		return false
	}
	switch p.typ.Kind {
	case formats.Float, formats.Decimal: // pandas writes 1.0 where a column had a null once
		if p.Field.Distinct > mostOutcomes {
			return false
		}
		fallthrough
	case formats.String, formats.Boolean, formats.Int, formats.Uint:
		most := int64(usualClasses)
		if manifold.has(p.words) {
			most = namedClasses
		}
		return p.Field.Distinct >= 2 && p.Field.Distinct <= most &&
			p.Field.Distinct*2 <= p.Field.Rows && p.alone <= guard.MostUnique &&
			p.texts.broken == 0
	}
	return false
}

// mostCandidates is the largest number of columns that are named if none looks like the class.
const mostCandidates = 6

// classCandidates names columns that could be the class: first those with a name that is likely,
// then the last one, since most tables have it there, then those with the fewest values, and at the
// end what everybody knows of somebody.
func (d *draft) classCandidates() (names []string) {
	last := d.last
	var could []*Profile
	for _, p := range d.profiles {
		if d.isPredictable(p) && !d.isOfCrowd(p) {
			could = append(could, p)
		}
	}
	place := func(p *Profile) int {
		switch {
		case p.isBasic():
			return 3
		case d.mayBeOutcome(p):
			return 0
		case p == last:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(could, func(a, b *Profile) int {
		return cmp.Or(place(a)-place(b), cmp.Compare(a.Field.Distinct, b.Field.Distinct))
	})
	for _, p := range could[:min(mostCandidates, len(could))] {
		names = append(names, p.name)
	}
	return names
}
