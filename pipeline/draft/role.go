package draft

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/job"
)

// Role is the proposal for a column.
type Role struct {
	Mask   string
	Detail string // of the mask, as YAML: a taxonomy or a step; empty: none
	Reason string
	owned  bool // its values belong to one person each
	names  bool // each of its values goes with one name, or with the facts about one person
	// its values are full names, which several people may have
	fullNames bool
	facts     bool // it determines what people know about others
	second    bool // it is an identifier of somebody or something else than the entity
	// it is dropped because the rows are few for all columns
	crowded bool
	// the column because of which it is dropped; nil: none
	by *Profile
	// the columns that determine it, though it stays, and those that it determines
	stays, shows []*Profile
	// the largest areas that its own are in, if these stay, too; nil: none do
	within *Profile
	// the columns of which it has the change between two times, and those of a sum because of which
	// it is dropped
	changes, sum []*Profile
}

// masked reports whether the column is proposed as a quasi-identifier.
func (r *Role) masked() bool { return r.Mask != job.MaskKeep && r.Mask != job.MaskDrop }

func drop(format string, args ...any) *Role {
	return &Role{Mask: job.MaskDrop, Reason: fmt.Sprintf(format, args...)}
}

// dropBy drops a column because of another one, with a reason behind the name of that.
func dropBy(by *Profile, reason string) *Role {
	role := drop("%s %s", job.Quoted(by.name), reason)
	role.by = by
	return role
}

// isDetermined is why a column is dropped that another one determines.
const isDetermined = "determines it"

// discretize splits intervals at round steps if there are many values.
func discretize(p *Profile, reason string) *Role {
	role := &Role{Mask: job.MaskDiscretize, Reason: reason}
	if step := p.step(); step != "" {
		at := "multiples of " + step
		switch {
		case p.isTime():
			at = "starts of " + step + "s"
		case p.isCoordinate():
			degrees, _ := strconv.ParseFloat(step, 64)
			at += ", about " + roundText(max(1, math.Round(degrees*kilometres))) + " km"
		}
		role.Detail, role.Reason = "round: "+step, reason+", cut at "+at
	}
	return role
}

func generalize(p *Profile, taxonomy, reason string) *Role {
	return &Role{
		Mask:   job.MaskGeneralize,
		Detail: "taxonomy: " + taxonomy,
		Reason: reason + ", " + distinctValues(p),
	}
}

// fewNulls is the number of rows without a value from which groups of their own are likely.
const fewNulls = 100

// rule proposes a role for the columns to which it applies.
type rule struct {
	applies func(p *Profile) bool
	role    func(p *Profile) *Role
}

// rules are in the order in which they are tried: columns that no mask fits, columns that identify
// people by their form, by their name, or by unique values, and then the masks of all others. Some
// numbers of people have the form of telephones: their name decides.
var rules = slices.Concat(unusable, looking, named, related, dialled, alone,
	quasiIdentifiers)

// roleOf proposes the role of a column that is not the class.
func roleOf(p *Profile) *Role {
	role := &Role{Mask: job.MaskSuppress, Reason: distinctValues(p)}
	if i := slices.IndexFunc(rules, func(r rule) bool { return r.applies(p) }); i >= 0 {
		role = rules[i].role(p)
	}
	if role.Mask == job.MaskDiscretize {
		role.Reason += p.unknown
		if n := p.Rows - p.Field.Rows; n > 0 && n < fewNulls {
			role.Reason += fmt.Sprintf("; %s of %s rows have no value: a group with others "+
				"may get the interval of all numbers", text.Grouped(n), text.Grouped(p.Rows))
		}
	}
	if p.Field.Distinct == 1 && role.Mask != job.MaskDrop {
		role.Reason += fmt.Sprintf(" in %s of %s rows, which it may mark",
			text.Grouped(p.Field.Rows), text.Grouped(p.Rows))
	}
	apart, joined := role.withOrder(p).withSpellings(p)
	if n := p.texts.padded; n > 0 && role.Mask != job.MaskDrop && p.texts.forms[spaced] == 0 &&
		!joined {
		role.Reason += fmt.Sprintf("; %s of %s values begin or end with a blank, which makes them "+
			"other values", text.Grouped(n), text.Grouped(p.Field.Rows))
	}
	role.Reason += apart
	return role
}

// unusable are rules for columns that no mask fits.
var unusable = []rule{
	{func(p *Profile) bool {
		return p.name == ""
	}, dropped("it has no name, as pandas' row numbers have none: only kept or dropped")},
	{func(p *Profile) bool {
		return strings.TrimSpace(p.name) == "#"
	}, dropped("called like numbers of rows, or of things within others")},
	{func(p *Profile) bool {
		name := strings.TrimSpace(p.name)
		return strings.HasPrefix(name, "=") ||
			strings.HasPrefix(name, "#") && slices.Contains(absentElsewhere, name)
	}, dropped("called like a formula of a spreadsheet, or the error of one")},
	{func(p *Profile) bool {
		return p.differs
	}, dropped("the files have it with types that do not go together")},
	{ofKind(formats.Nested), dropped("nested: it can be kept or dropped, not masked")},
	{ofKind(formats.Binary), dropped("bytes whose meaning nobody declares")},
	{func(p *Profile) bool {
		return p.Field.Rows == 0
	}, dropped("no row that was looked at has a value")},
	{func(p *Profile) bool { return p.texts.broken > 0 }, func(p *Profile) *Role {
		return drop("%s values are not UTF-8", text.Grouped(p.texts.broken))
	}},
	{func(p *Profile) bool { return p.texts.absent[0] > 0 }, func(p *Profile) *Role {
		return drop("%s values are the mark of a suppressed value itself",
			text.Grouped(p.texts.absent[0]))
	}},
	{func(p *Profile) bool {
		return p.Field.Distinct == 1 && p.Field.Rows == p.Rows
	}, dropped("all rows have the same value, which carries no information")},
	{func(p *Profile) bool {
		return p.Field.Distinct == 1 && !p.marks()
	}, dropped("one value, where there is any: it carries hardly any information")},
}

func ofKind(kinds ...formats.Kind) func(p *Profile) bool {
	return func(p *Profile) bool { return slices.Contains(kinds, p.typ.Kind) }
}

func dropped(reason string) func(p *Profile) *Role {
	return func(*Profile) *Role { return drop("%s", reason) }
}

// looking are rules for columns that identify people if a large enough share of the values has the
// form.
var looking = []rule{
	{ofKind(formats.UUID), func(*Profile) *Role {
		return &Role{Mask: job.MaskDrop, Reason: "UUIDs", owned: true}
	}},
	likeDirect(email, 0.05, "e-mail addresses", true),
	likeDirect(socialSecurity, 0.05, "social security numbers", true),
	likeDirect(iban, 0.05, "account numbers", true),
	likeDirect(card, 0.5, "numbers of payment cards", true),
	likeDirect(url, 0.5, "addresses of web pages", false),
	likeDirect(address, 0.5, "network addresses", false),
	likeDirect(uuid, 0.5, "UUIDs", true),
}

// dialled is the rule for telephones whose name does not say whose number it is.
var dialled = []rule{likeDirect(phone, 0.5, "telephone numbers", true)}

func likeDirect(form pattern, part float64, looks string, owned bool) rule {
	return rule{func(p *Profile) bool { return p.share(form) >= part }, func(p *Profile) *Role {
		role := drop("%s of %s values look like %s", text.Grouped(p.texts.forms[form]),
			text.Grouped(p.Field.Rows), looks)
		role.owned = owned
		return role
	}}
}

const (
	// manyValues is the number of values from which they are many: a column with the name of an
	// identifier and fewer values is about something else.
	manyValues = 200
	manyShare  = 0.05
	// fewRows is the number of rows up to which values may differ by chance, fewCodes the number of
	// codes up to which their first characters need not mean anything.
	fewRows  = 20
	fewCodes = 20
	// most is the share of the values that must have a form for a column to have it.
	most = 0.95
)

// hasMany reports whether there are many different values.
func (p *Profile) hasMany() bool {
	return p.typ.Kind != formats.Boolean &&
		(p.Field.Distinct >= manyValues || p.distinctShare() >= manyShare)
}

// numbersPeople reports whether a column has the number of a person by its name, and more values
// than kinds of people, unless it is the id of one. A number of people from 0 on counts them.
func (p *Profile) numbersPeople() bool {
	name := p.words
	return idsOfPersons.has(name) || p.Field.Distinct > fewCodes && !p.broken &&
		(len(p.numbers) == 0 || p.least != 0) && ofPersons.has(name)
}

const (
	// leastZeros is the least percentage of rows in which a count is 0.
	leastZeros = 5
	// mostCounted is the largest ratio of the middle one of the other numbers of a count to the
	// number of its different values, and mostSpread that of the largest number, so that no number
	// of somebody is among them by mistake.
	mostCounted = 0.25
	mostSpread  = 30
)

// counts reports whether a column counts something, by its name and its numbers from 0 on, of which
// most rows have small ones: the number of contacts, and no number of a contact.
func (p *Profile) counts() bool {
	name := p.words
	if n := len(name); n < 2 || name[n-1] != "number" && name[n-1] != "no" && name[n-1] != "nr" ||
		p.broken || p.least != 0 || len(p.quantiles) == 0 {
		return false
	}
	zeros, values := 0, float64(p.Field.Distinct)
	for zeros < len(p.quantiles) && p.quantiles[zeros] == 0 {
		zeros++
	}
	return zeros > leastZeros && zeros < len(p.quantiles) && p.greatest <= mostSpread*values &&
		p.quantiles[(zeros+len(p.quantiles))/2] <= mostCounted*values
}

// peopleShare is the share of the rows from which a column of many values, or one that is called
// a name, has names of people: more people than that have a known given name or surname, and fewer
// places, firms and the like.
const peopleShare = 0.1

// mostlyPeople is the share from which a column of few texts of several words has full names.
const mostlyPeople = 0.5

// orOwned returns the role of a dropped column of names of people: full names that repeat, on
// average twice, or in more rows than people have the same name, belong to one person each, as far
// as they are known, but no answers to a question.
func (r *Role) orOwned(p *Profile) *Role {
	again, rows := float64(p.Field.Rows-p.Field.Distinct), float64(p.Field.Rows)
	alike := mostNamesakes
	if p.share(byInitial) > partOfRare {
		alike = mostShortened
	}
	if p.hasFullNames() && !ofQuestion(p.name) && kindOfName(p.words) == wholeName &&
		(2*again >= rows || again >= max(repeatedShare, alike*rows)*rows) {
		r.owned, r.names, r.fullNames = true, true, true
	}
	return r
}

// mostNamesakes is the largest share of the other people who have the full name of somebody, and
// mostShortened that if some have an initial for the given name.
const mostNamesakes, mostShortened = 2e-5, 1e-4

// nameColumn are the names of columns of names of people or of others, few or many.
var nameColumn = words{whole: append([]string{"names", "person"}, nameWords...)}

// isFractional reports whether a column has numbers with fractions, which hardly identify anybody.
func (p *Profile) isFractional() bool {
	return p.typ.Kind == formats.Float || p.typ.Kind == formats.Decimal
}

// named are rules for columns that are called like names of people, such with the name of another
// identifier and many values, and names of people by their values.
var named = []rule{{
	func(p *Profile) bool {
		name := p.words
		meaning := directMeaning(name).meaning
		if p.counts() || p.typ.Kind == formats.Boolean {
			return false
		}
		return p.typ.Kind == formats.String && ofPeople.has(name) ||
			meaning == identifiers && p.hasMany() && (!p.broken || ofThings.has(name) ||
				name[len(name)-1] == "id" && p.distinctShare() >= most) ||
			meaning != "" &&
				(p.hasMany() && !p.isFractional() || p.numbersPeople()) &&
				!(p.typ.Ordered() && (meaning == webPages || p.countsAddress() ||
					meaning == telephones && max(p.greatest, -p.least) < leastTelephone))
	},
	func(p *Profile) *Role {
		meaning := directMeaning(p.words)
		role := drop("called like %s, with %s", meaning.meaning, distinctValues(p))
		role.owned = !meaning.shared
		return role.orOwned(p)
	},
}, {
	(*Profile).numbersThings,
	func(p *Profile) *Role {
		return drop("called like numbers of things, with %s", distinctValues(p))
	},
}, {
	(*Profile).numbersMatches,
	func(p *Profile) *Role {
		return drop("called like numbers of matched people, few of each, with %s",
			distinctValues(p))
	},
}, {
	func(p *Profile) bool {
		return p.typ.Kind == formats.String && robotTest(strings.Join(p.words, ""))
	},
	dropped("called like a test that somebody is no robot"),
}, {
	(*Profile).isOfMakers,
	func(p *Profile) *Role {
		return drop("called like those who made the table, or when they checked it, with %s",
			distinctValues(p))
	},
}, {
	func(p *Profile) bool {
		isName := len(p.words) == 1 && p.Field.Distinct >= fewestServants || p.hasFullNames()
		return isName && ofServants.has(p.words) && p.share(proper) >= most
	},
	func(p *Profile) *Role {
		return drop("values like names, called like people who decide or care, with %s",
			distinctValues(p))
	},
}, {
	func(p *Profile) bool {
		return (p.hasMany() && p.Field.Distinct > fewCodes || nameColumn.has(p.words) ||
			p.hasFullNames() && p.Field.Distinct >= fewestServants &&
				p.share(person) >= mostlyPeople && !polled.has(p.words)) &&
			!ofRegions.has(p.words) && p.share(person) >= peopleShare
	},
	func(p *Profile) *Role {
		role := drop("%s of %s values have a name that many people have, with %s",
			text.Grouped(p.texts.forms[person]), text.Grouped(p.Field.Rows),
			distinctValues(p))
		if !p.hasMany() && !nameColumn.has(p.words) {
			return role // a few people that others have in common
		}
		return role.orOwned(p)
	},
}}

// leastTelephone is a number below which all numbers of a column are no telephones: these have at
// least seven digits.
const leastTelephone = 1_000_000

// countsAddress reports whether a column called address has a few numbers, as of years at one.
func (p *Profile) countsAddress() bool {
	return slices.Equal(p.words, []string{"address"}) && p.Field.Distinct < manyValues
}

// fewestServants is the least number of values of a column that has names of people who decide or
// care: fewer may be kinds of them.
const fewestServants = 6

// uniqueShare is the share of the rows with a unique value from which a column identifies people.
// Measurements may have that, too, unless they are whole numbers that are all different, and none
// is many times the middle one, as amounts are.
var uniqueShare = map[formats.Kind]float64{formats.String: 0.9, formats.Int: 0.99,
	formats.Uint: 0.99}

// mostSkewed is the largest ratio of the greatest number of a person or a thing to the middle one.
const mostSkewed = 20

// isSkewed reports whether the greatest number of a column is many times the middle one, as that of
// an amount.
func (p *Profile) isSkewed() bool {
	n := len(p.quantiles)
	return n > 0 && p.greatest > mostSkewed*p.quantiles[n/2]
}

// alone are rules for columns in which hardly two rows have the same value, and for free text. They
// do not apply to dates, which are generalized.
var alone = []rule{
	{func(p *Profile) bool { return p.share(hourless) >= most }, dropped("minutes and seconds of " +
		"times, whose hours a spreadsheet left out")},
	{(*Profile).hasShortDays, dropped("days as numbers of five or six digits: written as " +
		"1990-12-31 they can be generalized")},
	{func(p *Profile) bool { return p.dateForm() != "" }, func(p *Profile) *Role {
		form := isoDate
		if p.dateForm() != "date" {
			form = usDate
		}
		role := generalize(p, "{"+p.dateForm()+": [month, year, decade]}", "dates as text")
		return role.withOdd(p, form, "date", true)
	}},
	{func(p *Profile) bool {
		return p.Field.Distinct > fewCodes && p.share(partDate) >= most && p.share(number) < most
	}, prefixes("dates as text, some without a day or a month", 7, 4)},
	{func(p *Profile) bool { return p.share(someDate) >= most }, func(p *Profile) *Role {
		form := "dates in several forms"
		switch {
		case p.share(euroDate) >= most && p.texts.forms[monthFirst] == p.texts.forms[euroDate]:
			form = "dates with the day or the month first"
		case p.share(euroDate) >= most:
			form = "dates with the day first"
		}
		form += ", " + distinctValues(p) + ": written as 1990-12-31 they can be generalized"
		if p.distinctShare() >= rareShare {
			return drop("%s; hardly a value has several rows", form)
		}
		return &Role{Mask: job.MaskSuppress, Reason: form}
	}},
	{func(p *Profile) bool {
		return p.typ.Kind == formats.String && p.Field.Distinct > fewCodes &&
			p.share(priced)+p.share(spaced)+p.share(numeral)+p.share(number) >= most &&
			p.share(numeral)+p.share(number) < most
	}, func(p *Profile) *Role {
		signs := "numbers with signs such as $ or %: without these they can be discretized"
		if p.distinctShare() >= rareShare {
			return drop("%s; hardly a value has several rows", signs)
		}
		return &Role{Mask: job.MaskSuppress, Reason: distinctValues(p) + ", " + signs}
	}},
	{func(p *Profile) bool {
		return p.Field.Distinct > fewCodes && p.share(paired) >= most
	}, func(p *Profile) *Role {
		const split = "two numbers with / between them: in columns of their own they can be " +
			"discretized"
		if p.distinctShare() >= rareShare {
			return drop("%s; hardly a value has several rows", split)
		}
		return codes(split, max(2, p.texts.longest*2/3), max(1, p.texts.longest/3))(p)
	}},
	{func(p *Profile) bool {
		return diagnoses.has(p.words) && p.Field.Distinct > fewCodes && p.share(code) >= 0.9
	}, codes("codes, called like diagnoses", 3, 1)},
	{func(p *Profile) bool {
		return tracts.has(p.words) && p.Field.Distinct > fewCodes &&
			max(p.digits, p.texts.longest) > 5
	}, codes("codes, called like tracts of a county and a state", 5, 2)},
	{func(p *Profile) bool {
		least, countable := uniqueShare[p.typ.Kind]
		name := p.words
		text := p.typ.Kind == formats.String && p.share(number) < most
		// a long zip code differs in nearly all rows, its first characters do not
		isID := len(name) > 0 && strings.HasSuffix(name[len(name)-1], "id")
		return countable && (text || !amounts.has(name) && (isID || !p.isSkewed())) &&
			!postal.has(name) &&
			2*p.texts.fractions < p.Field.Rows && p.Field.Rows >= fewRows &&
			p.distinctShare() >= least
	}, func(p *Profile) *Role {
		return drop("nearly every row has a value of its own: %s in %s rows",
			text.Grouped(p.Field.Distinct), text.Grouped(p.Field.Rows))
	}},
	{(*Profile).isProse, func(p *Profile) *Role {
		return drop("free text, %d characters long on average", p.texts.length/p.Field.Rows)
	}},
}

// withOdd adds to the role of a column of texts of a form the number of rows with another text, and
// how these can be masked like the others. A generator may need a place for them.
func (r *Role) withOdd(p *Profile, form pattern, called string, placed bool) *Role {
	odd := p.Field.Rows - p.texts.forms[form]
	if odd == 0 {
		return r
	}
	if placed {
		r.Detail += ", unknown: root"
	}
	r.Reason += fmt.Sprintf("; no %s in %s of %s rows: without such texts (csv.nulls) it can be "+
		"discretized", called, text.Grouped(odd), text.Grouped(p.Field.Rows))
	return r
}

// quasiIdentifiers mask ordered columns by intervals with round ends, numbers in texts by ranges,
// codes by their first characters, and everything else by suppression: values with enough records
// are disclosed.
var quasiIdentifiers = []rule{
	{func(p *Profile) bool {
		return p.typ.Ordered() && places.has(p.words)
	}, func(p *Profile) *Role {
		return discretize(p, distinctValues(p)+"; coordinates determine an address")
	}},
	{func(p *Profile) bool {
		return p.isCode() && p.Field.Distinct > fewCodes && p.digits > 2 && !p.isSerial()
	},
		func(p *Profile) *Role {
			return codes("numbers that are codes by their name", max(2, p.digits*2/3),
				max(1, p.digits/3))(p)
		}},
	{func(p *Profile) bool {
		return p.isCode() && p.Field.Distinct > fewCodes && p.high > 999 && p.high <= 99_999 &&
			postal.has(p.words)
	}, func(p *Profile) *Role {
		// 1960 is 01960: its first characters are other ones, but [1900,2000) are the codes 019..
		return &Role{Mask: job.MaskDiscretize, Detail: "round: 100", Reason: distinctValues(p) +
			", called like zip codes, some without leading zeros: those between two multiples of " +
			"100 have the same first digits"}
	}},
	{(*Profile).isCode, func(p *Profile) *Role {
		return &Role{
			Mask:   job.MaskSuppress,
			Reason: distinctValues(p) + ": numbers that are codes by their name, without order",
		}
	}},
	{func(p *Profile) bool {
		return p.typ.Ordered() && !p.isTime() && (p.Field.Distinct <= 2 ||
			p.unknown != "" && p.answers <= 2)
	}, func(p *Profile) *Role {
		// labels 0 and 1 are read more easily than (,1) and [1,), and an interval holds no null,
		// and no code for unknown: few of them would cost all groups the numbers
		return &Role{Mask: job.MaskSuppress, Reason: distinctValues(p) + p.unknown}
	}},
	{func(p *Profile) bool {
		return p.typ.Ordered()
	}, func(p *Profile) *Role { return discretize(p, distinctValues(p)) }},
	{func(p *Profile) bool {
		return p.typ.Kind == formats.String && postal.has(p.words) &&
			p.texts.longest <= 12 && p.share(zip) < most
	}, func(p *Profile) *Role {
		role := codes("called like zip codes", 5, 3, 1)(p)
		if n := p.texts.forms[shortZip]; n > 0 && p.texts.forms[zip] > 0 {
			role.Reason += fmt.Sprintf("; %s of %s rows have fewer than 5 digits: if these lost a "+
				"leading zero, their first characters are those of other places",
				text.Grouped(n), text.Grouped(p.Field.Rows))
		}
		return role
	}},
	{func(p *Profile) bool {
		return p.hasCodes(zip, most) && !amounts.has(p.words)
	}, codes("like zip codes", 5, 3, 1)},
	{func(p *Profile) bool {
		return p.hasCodes(diagnosis, most) && directMeaning(p.words).meaning != identifiers
	}, codes("like ICD codes", 3, 1)},
	{func(p *Profile) bool {
		return p.hasCodes(code, most) &&
			(p.share(number) < most || categories.has(p.words))
	}, func(p *Profile) *Role {
		length := p.texts.longest // prefixes have a third and two thirds of it
		return codes("like codes", max(2, length*2/3), max(1, length/3))(p)
	}},
	{func(p *Profile) bool {
		return p.Field.Distinct > fewCodes && p.share(number) >= most
	}, func(p *Profile) *Role {
		role := generalize(p, roundRanges(p.texts.low, p.texts.high), "numbers as text")
		return role.withOdd(p, number, "number", true)
	}},
	{func(p *Profile) bool { return p.Field.Distinct > fewCodes }, func(p *Profile) *Role {
		return &Role{
			Mask:   job.MaskSuppress,
			Reason: distinctValues(p) + ": the frequent ones are released, the rest becomes *",
		}
	}},
}

// hasCodes reports whether a share of the values has a form, and these are many.
func (p *Profile) hasCodes(form pattern, part float64) bool {
	return p.Field.Distinct > fewCodes && p.share(form) >= part
}

// years are words for years that begin in one and end in the next.
var years = words{alone: []string{"season", "year", "schoolyear"}}

// prefixes generalizes texts to their first characters.
func prefixes(reason string, lengths ...int) func(p *Profile) *Role {
	return func(p *Profile) *Role {
		return generalize(p, fmt.Sprintf("{prefix: [%s]}",
			strings.Trim(strings.ReplaceAll(fmt.Sprint(lengths), " ", ", "), "[]")), reason)
	}
}

// codes generalizes codes to their first characters. Those that most codes share distinguish few
// rows: with the next one, they take the place of shorter beginnings.
func codes(reason string, lengths ...int) func(p *Profile) *Role {
	return func(p *Profile) *Role {
		n := p.shared()
		if n == 0 {
			return prefixes(reason, lengths...)(p)
		}
		longer := slices.DeleteFunc(slices.Clone(lengths), func(length int) bool {
			return length <= n+1
		})
		if n+1 < max(p.digits, p.texts.longest) {
			longer = append(longer, n+1)
		}
		return prefixes(reason, append(longer, n)...)(p)
	}
}

func distinctValues(p *Profile) string {
	if p.Field.Distinct == 1 {
		return "one value"
	}
	return text.Grouped(p.Field.Distinct) + " distinct values"
}
