package draft

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kcut/kcut/pipeline/job"
)

// declareHeader declares that CSV has no header where its first line looks like a row: a release
// would show it. It reports whether that was not declared before.
func (d *draft) declareHeader() bool {
	if d.CSV.Header != nil || !d.isHeadless() {
		return false
	}
	d.CSV.Header, d.headless = []string{job.NoHeader}, true
	return true
}

// isHeadless reports whether each name is a value of its column: a number of numbers, or one of few
// texts, or if several are such texts, also one of many, as names of people; and not all are
// numbers that rise, as years in a table with a column for each.
func (d *draft) isHeadless() bool {
	texts, many, last, rises := 0, 0, 0.0, true
	for at, p := range d.profiles {
		if p.position > 0 { // its name is that of another column, too
			continue
		}
		name := strings.TrimSpace(p.name)
		number, err := strconv.ParseFloat(name, 64)
		switch isNumber := err == nil; {
		case p.Field.Rows == 0:
			return false
		case p.texts.few[p.name] > 0:
			texts++
		case !isNumber && p.Field.Distinct > fewCodes:
			many++
		case !isNumber || !p.typ.Ordered():
			return false
		}
		rises = rises && (at == 0 || number > last)
		last = number
	}
	return len(d.profiles) > 1 && (texts > 1 || many == 0 && (texts > 0 || !rises)) &&
		slices.ContainsFunc(d.profiles, func(p *Profile) bool { return p.typ.Ordered() })
}
