package draft

import (
	"slices"
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/job"
)

// The kinds of names of a person.
const (
	wholeName = iota
	givenName
	familyName
	namesOfOne
)

// kindsOfNames are the beginnings of words for parts of a name. otherNames are words for parts that
// many people lack, and for the names of those who serve somebody, and of things.
var (
	kindsOfNames = [namesOfOne][]string{
		givenName:  {"first", "given", "fore", "fname"},
		familyName: {"last", "family", "surname", "lname"},
	}
	otherNames = words{alone: slices.Concat(strings.Fields("middle mname initial initials maiden "+
		"nick user login attorney lawyer"), staff, things, ofServants.whole)}
)

// names returns the dropped columns with the names of the person that a row is about, whole ones,
// more of which are those of people than of places, or given and family names, and with the day of
// birth; nil: there are none, or not in all rows.
func (d *draft) names() []*Profile {
	var parts [namesOfOne]*Profile
	var born []*Profile
	for _, p := range d.profiles {
		isFilled := p.place >= 0 && p.Rows-p.Field.Rows <= p.Rows/renamed
		if isFilled && births.has(p.words) && p.hasMany() {
			born = append(born, p)
		}
		if !isFilled || p.role.Mask != job.MaskDrop || p.typ.Kind != formats.String ||
			!p.namesPeople() || otherNames.has(p.words) || ofRelatives.has(p.words) {
			continue
		}
		kind := max(0, slices.IndexFunc(kindsOfNames[:], func(words []string) bool {
			return slices.ContainsFunc(p.words, func(word string) bool {
				return slices.ContainsFunc(words, func(begin string) bool {
					return strings.HasPrefix(word, begin)
				})
			})
		}))
		if parts[kind] == nil && (kind != wholeName || p.share(person) >= 2*peopleShare) {
			parts[kind] = p
		}
	}
	switch {
	case parts[wholeName] != nil:
		return append(parts[:1], born...)
	case parts[givenName] != nil && parts[familyName] != nil:
		return append(parts[1:], born...)
	}
	return nil
}

// fewerPeople is the largest ratio of people, by their names, to the values of an identifier that
// numbers events: more people may have their names in common.
const fewerPeople = 0.9

// findEvents finds identifiers that repeat seldom, are not called like those of people, and have
// more values than there are people, by their names: they number what happens to these, as arrests.
// Whole names are those of the people then.
func (d *draft) findEvents() {
	names := d.names()
	if names == nil {
		return
	}
	people := float64(d.sample.Tuples(placesOf(names)).Distinct)
	for _, p := range d.profiles {
		if p.repeats() && !p.role.names && p.distinctShare() >= rareShare &&
			directMeaning(p.words).meaning == identifiers && !persons.has(p.words) &&
			!families.has(p.words) && people <= fewerPeople*float64(p.Field.Distinct) {
			p.role.owned = false
			p.role.Reason += ", more than there are people by their names: it numbers events"
			if of := names[0]; float64(of.texts.spaces) >= most*float64(of.Field.Rows) {
				of.role.owned, of.role.names = true, true
			}
		}
	}
}

// namesakes finds rows with the same names and day of birth as another one, in a table in which no
// number of a person is another one in each row.
func (d *draft) namesakes() *repetition {
	names := d.names()
	if names == nil || d.numbersEach() {
		return nil
	}
	rows := d.sample.Tuples(placesOf(names))
	if repeated := rows.Rows - rows.Once; float64(repeated) >= repeatedShare*float64(rows.Rows) {
		return &repetition{namesOf(names), repeated, rows.Most}
	}
	return nil
}

// numbersEach reports whether each row has a number of its own that is called like a person's.
func (d *draft) numbersEach() bool {
	return slices.ContainsFunc(d.profiles, func(p *Profile) bool {
		return p.role.owned && p.distinctShare() > mostOnce && persons.has(p.words)
	})
}
