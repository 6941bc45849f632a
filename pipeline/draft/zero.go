package draft

import (
	"slices"

	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/job"
)

// fewestZeros is the least share of rows in which a number is 0.
const fewestZeros = 0.01

// noteZeros notes numbers outside the first set that are 0 in all rows with one value of a column
// of that set and in no others, as the income of the unemployed: an interval may show this value.
func (d *draft) noteZeros() {
	for _, p := range d.profiles {
		if !p.role.masked() || !p.typ.Ordered() || p.isDated() ||
			slices.Contains(d.known.columns, p) {
			continue
		}
		zeros, n := make([]bool, len(p.numbers)), 0
		for row, x := range p.numbers {
			if x == 0 {
				zeros[row] = true
				n++
			}
		}
		if n == 0 || float64(n) < fewestZeros*float64(len(zeros)) {
			continue
		}
		var shown []string
		for _, of := range d.known.columns {
			if of.Field.Distinct <= mostClasses && d.sample.AreRowsOf(zeros, of.place) {
				shown = append(shown, job.Quoted(of.name))
			}
		}
		if len(shown) > 0 {
			p.role.Reason += "; 0 in all rows with one value of " + text.List(shown, mostLost) +
				" and in no others: an interval may show it"
		}
	}
}
