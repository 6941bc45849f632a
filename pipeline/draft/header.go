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
// numbers that rise, as years in a table with a column for each. Several that are values of as many
// rows each are a header that recurs in the midst of the rows.
func (d *draft) isHeadless() bool {
	texts, many, last, rises := 0, 0, 0.0, true
	again := make(map[int64]int) // columns whose name is the value of a number of rows
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
			again[p.texts.few[p.name]]++
		case !isNumber && p.Field.Distinct > fewCodes:
			many++
		case !isNumber || !p.typ.Ordered():
			return false
		}
		rises = rises && (at == 0 || number > last)
		last = number
	}
	recurs := len(again) == 1 && texts > mostVerdicts
	return len(d.profiles) > 1 && !recurs &&
		(texts > 1 || many == 0 && (texts > 0 || !rises)) &&
		slices.ContainsFunc(d.profiles, func(p *Profile) bool { return p.typ.Ordered() })
}
