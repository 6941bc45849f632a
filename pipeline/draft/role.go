package draft

import (
	"fmt"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/job"
)

// Role is what is proposed for a column.
type Role struct {
	Mask     string
	Taxonomy string // of generalize, a generator as YAML
	Reason   string
}

// masked reports whether the column is proposed as a quasi-identifier.
func (r *Role) masked() bool { return r.Mask != job.MaskKeep && r.Mask != job.MaskDrop }

func drop(format string, args ...any) *Role {
	return &Role{Mask: job.MaskDrop, Reason: fmt.Sprintf(format, args...)}
}

// rules are asked in order; the first that has a role decides, and the last one always has.
var rules = []func(p *Profile) *Role{unusable, patterned, named, unique, prose, ordered, dated, coded, ranged, categorical}

// roleOf proposes what becomes of a column that is not the class.
func roleOf(p *Profile) *Role {
	for _, rule := range rules {
		if role := rule(p); role != nil {
			return role
		}
	}
	return nil
}

// unusable drops what no mask is for.
func unusable(p *Profile) *Role {
	switch kind := p.typ.Kind; {
	case p.name == "":
		return drop("it has no name, as pandas' row numbers have none: only kept or dropped")
	case kind == formats.Nested:
		return drop("nested: it can be kept or dropped, not masked")
	case kind == formats.Binary:
		return drop("bytes whose meaning nobody declares")
	case p.Field.Rows == 0:
		return drop("no row that was looked at has a value")
	case p.texts.broken > 0:
		return drop("%s values are not UTF-8", text.Grouped(p.texts.broken))
	case p.texts.marks > 0:
		return drop("%s values are the mark of a suppressed value itself", text.Grouped(p.texts.marks))
	}
	return nil
}

// direct patterns tell who somebody is, when so large a part of the values has them.
var directPatterns = []struct {
	form  pattern
	part  float64
	looks string
}{
	{email, 0.05, "e-mail addresses"},
	{socialSecurity, 0.05, "social security numbers"},
	{iban, 0.05, "account numbers"},
	{card, 0.5, "numbers of payment cards"},
	{phone, 0.5, "telephone numbers"},
	{url, 0.5, "addresses of web pages"},
	{address, 0.5, "network addresses"},
	{uuid, 0.5, "UUIDs"},
}

// patterned drops what looks like something that tells who somebody is.
func patterned(p *Profile) *Role {
	if p.typ.Kind == formats.UUID {
		return drop("UUIDs")
	}
	for _, d := range directPatterns {
		if p.share(d.form) >= d.part {
			return drop("%s of %s values look like %s", text.Grouped(p.texts.forms[d.form]), text.Grouped(p.Field.Rows), d.looks)
		}
	}
	return nil
}

// What many different values are: a column with the name of an identifier has fewer only
// when it is about something else.
const (
	manyValues = 200
	manyShare  = 0.05
)

// named drops what is called like something that tells who somebody is.
func named(p *Profile) *Role {
	meaning := directMeaning(wordsOf(p.name))
	if meaning == "" || p.typ.Kind == formats.Boolean || p.Field.Distinct < manyValues && p.distinctShare() < manyShare {
		return nil
	}
	return drop("called like %s, with %s", meaning, distinctValues(p))
}

// unique drops what nearly every row has a value of its own in. Measurements may have that,
// too, unless they are whole numbers that are all different.
func unique(p *Profile) *Role {
	least := 2.0
	switch p.typ.Kind {
	case formats.String:
		least = 0.9
	case formats.Int, formats.Uint:
		least = 0.99
	}
	if p.Field.Rows < fewRows || p.distinctShare() < least {
		return nil
	}
	return drop("nearly every row has a value of its own: %s in %s rows", text.Grouped(p.Field.Distinct), text.Grouped(p.Field.Rows))
}

// fewRows is so few that values may differ by chance.
const fewRows = 20

func prose(p *Profile) *Role {
	if !p.isProse() {
		return nil
	}
	return drop("free text, %d characters long on average", p.texts.length/p.Field.Rows)
}

// ordered masks what has an order by intervals.
func ordered(p *Profile) *Role {
	if !p.typ.Ordered() {
		return nil
	}
	role := &Role{Mask: job.MaskDiscretize, Reason: distinctValues(p)}
	switch kind := p.typ.Kind; {
	case places.has(wordsOf(p.name)):
		role.Reason += "; coordinates tell an address"
	case kind == formats.Date || kind == formats.Timestamp:
		role.Reason += "; or generalize by {date: [month, year, decade]}"
	}
	return role
}

// dated masks texts that are dates by their months, years and decades.
func dated(p *Profile) *Role {
	if p.texts.forms[isoDate] < p.Field.Rows {
		return nil
	}
	return &Role{
		Mask: job.MaskGeneralize, Taxonomy: "{date: [month, year, decade]}",
		Reason: "dates as text, " + distinctValues(p),
	}
}

// most is the part of the values that must have a form before a column is taken for such.
const most = 0.95

// coded masks what is made of digits and capitals by its first characters.
func coded(p *Profile) *Role {
	role := &Role{Mask: job.MaskGeneralize}
	switch {
	case p.share(zip) >= most && p.Field.Distinct > fewCodes:
		role.Taxonomy, role.Reason = "{prefix: [5, 3, 1]}", "like zip codes"
	case p.share(diagnosis) >= most && p.Field.Distinct > fewCodes:
		role.Taxonomy, role.Reason = "{prefix: [3, 1]}", "like ICD codes"
	case postal.has(wordsOf(p.name)) && p.texts.longest <= 12:
		role.Taxonomy, role.Reason = "{prefix: [5, 3, 1]}", "called like zip codes"
	case p.share(code) >= most && p.share(number) < most && p.Field.Distinct > fewCodes:
		role.Taxonomy, role.Reason = prefixes(p.texts.longest), "like codes"
	default:
		return nil
	}
	role.Reason += ", " + distinctValues(p)
	return role
}

// fewCodes is so few that their first characters need not mean anything.
const fewCodes = 20

// prefixes is the generator of a third and two thirds of a code.
func prefixes(length int) string {
	return fmt.Sprintf("{prefix: [%d, %d]}", max(2, length*2/3), max(1, length/3))
}

// ranged masks numbers that are texts by ranges with round ends.
func ranged(p *Profile) *Role {
	if p.texts.forms[number] < p.Field.Rows || p.Field.Distinct <= fewCodes {
		return nil
	}
	return &Role{
		Mask: job.MaskGeneralize, Taxonomy: roundRanges(p.texts.low, p.texts.high),
		Reason: "numbers as text, " + distinctValues(p),
	}
}

// categorical masks everything else: values of which enough records have the same are disclosed.
func categorical(p *Profile) *Role {
	return &Role{Mask: job.MaskSuppress, Reason: distinctValues(p)}
}

func distinctValues(p *Profile) string {
	if p.Field.Distinct == 1 {
		return "one value"
	}
	return text.Grouped(p.Field.Distinct) + " distinct values"
}
