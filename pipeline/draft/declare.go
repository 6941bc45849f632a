package draft

import (
	"fmt"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/job"
)

// absent are texts that often stand for no value, the mark of suppressed values first.
var absent = []string{engine.Suppressed, " ", ".", "?", "-", "NA", "N/A", "n/a", "NaN", "nan",
	"null", "NULL", "None", "none", "Unknown", "unknown", "missing"}

// clocks are the forms of times that no reader takes for times, with the type that a job declares.
var clocks = map[pattern]string{clock: "time(hh:mm:ss)", minutes: "time(hh:mm)"}

// declare declares what CSV does not say of itself: texts that stand for no value, where all others
// of a column are numbers or times, and a type where these have one form. It reports whether there
// is something that was not declared before.
func (d *draft) declare(fields []formats.Field) bool {
	before, types := len(d.CSV.Nulls), len(d.types)
	for i, p := range d.profiles {
		if p.typ.Kind != formats.String || p.Field.Rows == 0 || !fields[i].Text.Found {
			continue
		}
		rows := p.Field.Rows
		for _, n := range p.texts.absent {
			rows -= n
		}
		typ := fields[i].Text.Type
		if fields[i].Text.Number && !p.isNumbered() {
			typ = "number"
		}
		for form, of := range clocks {
			if p.texts.forms[form] == rows {
				typ = of
			}
		}
		regular := 2*rows >= p.Field.Rows && (p.texts.forms[number] == rows || typ != "")
		for at, n := range p.texts.absent {
			if n > 0 && (regular || at == 0) && !slices.Contains(d.CSV.Nulls, absent[at]) {
				d.CSV.Nulls = append(d.CSV.Nulls, absent[at])
			}
		}
		if typ != "" && 2*rows >= p.Field.Rows {
			d.types = append(d.types, job.Column{Name: p.name, Type: typ, Mask: job.MaskDiscretize})
		}
	}
	return len(d.CSV.Nulls) > before || len(d.types) > types
}

// isNumbered reports whether the numbers of a column stand for something by its name, or identify
// somebody: their texts matter.
func (p *Profile) isNumbered() bool {
	name := wordsOf(p.name)
	return categories.has(name) || postal.has(name) || directMeaning(name).meaning != ""
}

// renamed returns the position of a column that is named by it, as an option of its mask, or "".
func (p *Profile) renamed() string {
	if p.position == 0 {
		return ""
	}
	return fmt.Sprintf("rename: %d", p.position)
}

// typeOf returns the type that is declared of a column, as an option of its mask, or "".
func (d *draft) typeOf(p *Profile) string {
	at := slices.IndexFunc(d.types, func(c job.Column) bool { return c.Name == p.name })
	if at < 0 || !p.role.masked() {
		return ""
	}
	return "type: " + d.types[at].Type
}
