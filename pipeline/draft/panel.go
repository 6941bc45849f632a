package draft

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/job"
)

// panel is a table with several rows of each person, one after another, and no identifier of them.
type panel struct {
	counter  *Profile // it rises in the rows of a person, and starts anew with the next one
	personal []string // facts about a person that stay the same in these rows
	people   int      // about
	rows     int      // of each, on average
}

const (
	// fewestInPanel is the least number of people in a panel, leastOfEach and mostOfEach the least
	// and the largest number of rows of each, on average.
	fewestInPanel = 10
	leastOfEach   = 1.8
	mostOfEach    = 50
	// mostInside is the largest share of the changes of a constant that are in the rows of one
	// person, as some of the next ones go on where the last one ended. leastBetween is the least
	// share of people in whom a constant differs from the person before.
	mostInside   = 0.05
	leastBetween = 0.05
	// leastConstant is the least number of constants: another order of rows may make one.
	leastConstant = 2
	// panelBits is the number of bits of changes that no chance places only between people.
	panelBits = 40
	// numberShare is the share of people from which values, or combinations of them, number these.
	numberShare = 0.9
)

// inborn are the names of facts about people that do not change, or seldom.
var inborn = words{
	alone: slices.Concat(sexes.alone, births.alone, strings.Fields("race ethnicity ethnic ethn "+
		"eth hispanic hispan hisp hispa black white asian nonwhite nwhite nationality religion "+
		"native education educ ed schooling degree")),
	whole: sexes.whole,
	not:   slices.Concat(births.not, unknown.alone),
}

// findPanel finds a panel. In one a column counts, as years or visits do, and starts anew where
// another person begins: only there change others, among them a fact that stays with a person. It
// is none if the sex changes elsewhere: then these are the people of a household or a firm. It is
// none if a column that is called like a place or a thing numbers what has several rows, or if all
// combinations of the constants are there once: then these are cells of a table of counts.
func (d *draft) findPanel() {
	d.panel = nil
	if d.entity != nil || d.uncounted != nil {
		return
	}
	for _, p := range d.profiles {
		if p.place < 0 || !p.typ.Ordered() || p.Field.Distinct < 2 {
			continue
		}
		for _, begins := range [][]bool{beginsOfSteps(p.numbers), beginsOfRises(p.numbers)} {
			if d.panel = d.panelOf(p, begins); d.panel != nil {
				return
			}
		}
	}
}

// beginsOfSteps returns the rows whose number is not that of the row before and the usual step.
func beginsOfSteps(numbers []float64) []bool {
	steps, usual := make(map[float64]int), 0.0
	stepTo := func(row int) float64 { // 43.87748 - 42.87748 is not 1 in binary
		return math.Round(1e6*(numbers[row]-numbers[row-1])) / 1e6
	}
	for row := 1; row < len(numbers); row++ {
		if step := stepTo(row); step > 0 {
			if steps[step]++; steps[step] > steps[usual] {
				usual = step
			}
		}
	}
	begins := make([]bool, len(numbers))
	for row := range numbers {
		begins[row] = row == 0 || stepTo(row) != usual
	}
	return begins
}

// beginsOfRises returns the rows whose number is not above that of the row before, if most of them
// have the same number, and as many rows up to the next one; else no row.
func beginsOfRises(numbers []float64) []bool {
	type series struct {
		first float64
		rows  int
	}
	begins := make([]bool, len(numbers))
	alike, all, begin := make(map[series]int), 0, 0
	for row := range numbers {
		if begins[row] = row == 0 || !(numbers[row] > numbers[row-1]); begins[row] {
			alike[series{numbers[begin], row - begin}]++
			all, begin = all+1, row
		}
	}
	for _, n := range alike {
		if 2*n > all {
			return begins
		}
	}
	return make([]bool, len(numbers))
}

// panelOf returns the panel with a column that counts, whose people begin in some rows; nil: it is
// none.
func (d *draft) panelOf(counter *Profile, begins []bool) *panel {
	found := &panel{counter: counter}
	for _, begin := range begins {
		if begin {
			found.people++
		}
	}
	rows := float64(len(begins)) / float64(max(1, found.people))
	if found.people < fewestInPanel || rows < leastOfEach || rows > mostOfEach ||
		counter.Field.Distinct > int64(found.people) && !d.isAge(counter) {
		return nil
	}
	found.rows = int(math.Round(rows))
	var constants []*Profile
	cells, surely := 1.0, 0
	for _, p := range d.profiles {
		if p == counter || p.place < 0 || p.Field.Distinct < 2 {
			continue
		}
		inside, between := d.changes(p, begins)
		name := p.words
		isConstant := between*math.Log2(rows) >= panelBits &&
			between >= leastBetween*float64(found.people)
		switch isNumber := float64(p.Field.Distinct) >= numberShare*float64(found.people); {
		case inside > mostInside*(inside+between):
			if sexes.has(name) || p.hasSexes() {
				return nil
			}
			continue
		case isConstant && (called(&inborn, name) || p.hasSexes()):
			found.personal = append(found.personal, p.name)
		case !isNumber:
		case called(&first[2], name) || others.has(name):
			return nil
		}
		if constants = append(constants, p); isConstant && p.role.masked() {
			surely++
		}
		cells *= float64(p.Field.Distinct)
	}
	of := d.sample.Figures(placesOf(constants), 1).Classes
	areCells := float64(of) >= numberShare*cells && float64(of) >= numberShare*float64(found.people)
	if found.personal == nil || surely < leastConstant || areCells {
		return nil
	}
	return found
}

// changes returns in how many rows a column has another value than before, without and with those
// in which a person begins.
func (d *draft) changes(p *Profile, begins []bool) (inside, between float64) {
	for row := range begins[1:] {
		switch {
		case !d.sample.Changes(p.place, row+1):
		case begins[row+1]:
			between++
		default:
			inside++
		}
	}
	return inside, between
}

// panelWords are the comment on a panel.
const panelWords = `
# k COUNTS ROWS, NOT PEOPLE: the rows seem to be those of about %s people, %d of each, as
# %s rises in them without a change of %s. No column identifies the people, and a
# group of k rows may be one of them: give one row of each, or add a column with the number of a
# person and name it as entity.
`

// writePanel writes that k does not count the people of a panel.
func (d *draft) writePanel(out *strings.Builder) {
	p := d.panel
	if p == nil {
		return
	}
	people, counter := text.Grouped(int64(p.people)), job.Quoted(p.counter.name)
	constant := text.List(quoted(p.personal), mostLost)
	fmt.Fprintf(out, panelWords, people, p.rows, counter, constant)
}
