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
		"nick user login attorney lawyer"), staff, things, servants)}
)

// ofNamed are the names of columns of names that are those of people, also if these are initials
// and rare surnames.
var ofNamed = words{alone: pairs(people, nameWords)}

// names returns the dropped columns with the names of the person that a row is about, whole ones,
// or given and family names, and with the day of birth; nil: there are none, or not in all rows.
func (d *draft) names() []*Profile {
	switch parts, born := d.partsOfNames(); {
	case parts[wholeName] != nil:
		return append(parts[:1], born...)
	case parts[givenName] != nil && parts[familyName] != nil:
		return append(parts[1:], born...)
	}
	return nil
}

// partsOfNames returns the first dropped column of each kind of names of the person that a row is
// about, of whole ones those that are called so, or more of which are those of people than of
// places, and the columns with the day of birth.
func (d *draft) partsOfNames() (parts [namesOfOne]*Profile, born []*Profile) {
	for _, p := range d.profiles {
		isFilled := p.place >= 0 && p.Rows-p.Field.Rows <= p.Rows/renamed
		if isFilled && births.has(p.words) && p.hasMany() {
			born = append(born, p)
		}
		if !isFilled || p.role.Mask != job.MaskDrop || p.typ.Kind != formats.String ||
			!p.namesPeople() || otherNames.has(p.words) || ofRelatives.has(p.words) {
			continue
		}
		kind := kindOfName(p.words)
		if parts[kind] == nil && (kind != wholeName || p.share(person) >= 2*peopleShare ||
			ofNamed.has(p.words)) {
			parts[kind] = p
		}
	}
	return parts, born
}

// kindOfName returns the kind of names that a column of names has by its own name.
func kindOfName(name []string) int {
	return max(wholeName, slices.IndexFunc(kindsOfNames[:], func(words []string) bool {
		return slices.ContainsFunc(name, func(word string) bool {
			return slices.ContainsFunc(words, func(begin string) bool {
				return strings.HasPrefix(word, begin)
			})
		})
	}))
}

// takeSurnames takes surnames that repeat for people if nearly all rows of each have one given
// name.
func (d *draft) takeSurnames() {
	parts, _ := d.partsOfNames()
	given, family := parts[givenName], parts[familyName]
	if given != nil && family != nil && 2*family.Field.Distinct <= family.Field.Rows &&
		given.Field.Distinct > fewCodes &&
		d.sample.Determines(family.place, given.place, family.Rows/renamed) {
		family.role.owned, family.role.names = true, true
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
		return &repetition{columns: namesOf(names), rows: repeated, most: rows.Most}
	}
	return nil
}

// numbersEach reports whether each row has a number of its own that is called like a person's.
func (d *draft) numbersEach() bool {
	return slices.ContainsFunc(d.profiles, func(p *Profile) bool {
		return p.role.owned && p.distinctShare() > mostOnce && persons.has(p.words)
	})
}

// dropNames drops parts of names, such as first and last, if there is a column of names or another
// part.
func (d *draft) dropNames() {
	var parts []*Profile
	whole := ""
	isKind := func(kind int) func(p *Profile) bool {
		return func(p *Profile) bool {
			return p.typ.Kind == formats.String && len(p.words) == 1 &&
				slices.Contains(kindsOfNames[kind], p.words[0])
		}
	}
	haveBoth := slices.ContainsFunc(d.profiles, isKind(givenName)) &&
		slices.ContainsFunc(d.profiles, isKind(familyName))
	for _, p := range d.profiles {
		switch name := p.words; {
		case p.hasInitials() && p.role.masked():
			if initials.has(name) {
				parts = append(parts, p)
				break
			}
			p.role = drop("single letters, called like initials, with %s", distinctValues(p))
		case p.typ.Kind == formats.String && nameParts.has(name) && p.role.masked() &&
			(p.Field.Distinct > fewCodes || haveBoth || name[0] == "suffix"):
			parts = append(parts, p)
		case p.role.Mask == job.MaskDrop && directMeaning(name).meaning == namesOfPeople:
			whole = p.name
		}
	}
	for _, p := range parts {
		switch {
		case whole != "":
			p.role = drop("called like a part of names, while %s has whole names, with %s",
				job.Quoted(whole), distinctValues(p))
		case len(parts) > 1:
			p.role = drop("called like a part of names, as is another column, with %s",
				distinctValues(p))
		}
	}
}

// fewestInitials is the least number of letters that are initials: grades have fewer.
const fewestInitials = 10

// hasInitials reports whether a column has single capital letters, and a name that initials have:
// the word may be cut short, or misspelled.
func (p *Profile) hasInitials() bool {
	return p.Field.Distinct >= fewestInitials && p.share(initial) >= most &&
		(initialed.has(p.words) || initials.has(p.words) ||
			slices.ContainsFunc(p.words, func(word string) bool {
				return strings.HasPrefix(word, "init")
			}))
}

// streets and partsOfStreets are words for streets and for what else a column says of them.
var (
	streets        = words{alone: []string{"street", "address", "addr", "st", "str", "road"}}
	partsOfStreets = words{
		alone: strings.Fields("type direction dir suffix prefix predir suf sfx number no num"),
		whole: strings.Fields("streettype streetdir streetdirection"),
	}
)

// cards are the names of columns of numbers of cards, and partsOfCards are words for what else has
// to be known to pay by one.
var (
	cards = words{alone: append(pairs(strings.Fields("credit debit payment bank"),
		[]string{"card"}), pairs(strings.Fields("card cc"), numbered)...)}
	partsOfCards = words{
		alone: append(pairs([]string{"exp"}, strings.Fields("date month year mm yy")),
			strings.Fields("expiry expiration expires expire validthru validuntil")...),
		last: []string{"exp"},
	}
)

// dropParts drops the kinds and directions of streets, and the expiry of cards, if there is a
// column of these.
func (d *draft) dropParts() {
	for _, of := range d.profiles {
		isStreet := directMeaning(of.words).meaning == streetAddresses
		isCard := cards.has(of.words) || of.share(card) > 0
		if of.role.Mask != job.MaskDrop || !isStreet && !isCard {
			continue
		}
		for _, p := range d.profiles {
			last := p.words[max(0, len(p.words)-1):]
			isPart := isStreet && streets.has(p.words) && (partsOfStreets.has(p.words) ||
				len(last) > 0 && len(last[0]) == 1) // as street_t
			if p.role.masked() && (isPart || isCard && partsOfCards.has(p.words)) {
				p.role = drop("called like a part of %s, with %s", job.Quoted(of.name),
					distinctValues(p))
			}
		}
	}
}

// dropNumbersOfNames drops columns whose values repeat, and go with one name of a person each,
// which few others have: they are numbers of people, whatever their name.
func (d *draft) dropNumbersOfNames() {
	for _, by := range d.profiles {
		for _, of := range d.profiles {
			n := by.Field.Distinct
			if by.role.masked() && of.role.Mask == job.MaskDrop && n >= manyValues &&
				n*rowsOfDate <= by.Rows && n <= 2*of.Field.Distinct &&
				of.namesPeople() && by.place >= 0 && of.place >= 0 &&
				d.sample.Determines(by.place, of.place, by.Rows/renamed) {
				by.role = drop("each of %s goes with one %s", distinctValues(by),
					job.Quoted(of.name))
				by.role.owned, by.role.names = true, true
			}
		}
	}
}

// namesPeople reports whether a column has names of people, or parts of them, by its name.
func (p *Profile) namesPeople() bool {
	name := p.words
	return directMeaning(name).meaning == namesOfPeople || nameParts.has(name)
}

// hasFullNames reports whether a column has texts of several words, with names of people.
func (p *Profile) hasFullNames() bool {
	return p.typ.Kind == formats.String && p.share(person) >= peopleShare &&
		float64(p.texts.spaces) >= most*float64(p.Field.Rows)
}
