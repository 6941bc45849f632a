package draft

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kcut/kcut/formats"
)

const (
	// mostEdges is the approximate number of ranges of a draft, and mostSteps the largest number of
	// multiples of a step in the middle values.
	mostEdges = 8
	mostSteps = 20
	// mostBetween is the largest part of the rows, one in these, whose different values are between
	// two multiples of a step.
	mostBetween = 3
)

// step returns the value of round for a column: the ends of intervals are its multiples. There are
// at most mostSteps of them between the middle nine tenths of the values, unless most rows are
// between a few of them, as with amounts of money, of which few are large. It is empty if there are
// hardly more values. A step depends only on the order of magnitude: it is no value of the data.
func (p *Profile) step() string {
	span := p.high - p.low
	if p.Field.Distinct <= 2*mostSteps || math.IsInf(span, 0) || math.IsNaN(span) ||
		p.high > mostExact || p.low < -mostExact {
		return ""
	}
	if p.isTime() {
		return p.unit(span / p.unitsOfDay())
	}
	step, least := roundUp(span/mostSteps), math.Pow10(-p.typ.Scale)
	if p.typ.Kind == formats.Float {
		least = leastStep
	}
	if p.isCoordinate() { // where most rows are in one town, smaller steps would be streets
		step = max(step, leastDegrees)
	} else {
		for step > least && p.crowds(step) {
			step = roundUp(step / 3) // the next smaller one
		}
	}
	switch {
	case span <= 0, p.typ.Kind == formats.Float && step < least:
		return ""
	case p.typ.Kind != formats.Float && step <= least: // every value is a multiple
		return ""
	}
	return roundText(step)
}

// crowds reports whether too many rows are between two multiples of a step. Those with the most
// frequent value do not count, since no step divides them: neither those in the whole column nor
// those between the two multiples.
func (p *Profile) crowds(step float64) bool {
	crowd, all, frequent := 0, 0, 0 // quantiles in an interval, and with the most frequent number
	n := len(p.quantiles)
	for i := 0; i < n; {
		begin, own := i, 0
		for floor := math.Floor(p.quantiles[i] / step); i < n &&
			math.Floor(p.quantiles[i]/step) == floor; {
			first := i
			for i++; i < n && p.quantiles[i] == p.quantiles[first]; i++ {
			}
			own = max(own, i-first)
		}
		crowd, frequent = max(crowd, i-begin-own), max(frequent, own)
		all += i - begin
	}
	return crowd*mostBetween > all-frequent
}

const (
	mostExact = 1 << 53 // beyond it floats are not exact
	leastStep = 1e-6
	// leastDegrees is the least step of coordinates, about a kilometre.
	leastDegrees = 0.01
	kilometres   = 111 // of a degree of latitude
)

// isCoordinate reports whether a column has coordinates in degrees.
func (p *Profile) isCoordinate() bool {
	return p.isFractional() && places.has(p.words)
}

// clockUnits are the units of a clock that the middle nine tenths of some times span for at least a
// number of days, the longest first.
var clockUnits = []struct {
	name string
	days float64
}{
	{"hour", 10. / 24}, {"minute", 5. / (24 * 60)}, {"second", 10. / 86400},
}

// unit returns the longest unit of time of which the days, which the middle nine tenths of the
// values span, contain enough for a useful number of intervals.
func (p *Profile) unit(days float64) string {
	switch kind := p.typ.Kind; {
	case kind != formats.Time && days >= 10*365:
		return "year"
	case kind != formats.Time && (days >= 10*30 || days >= 2*30 && isOfInterview(p.name)):
		return "month"
	case kind == formats.Date:
		return ""
	case kind == formats.Timestamp && days >= 10:
		return "day"
	}
	for _, unit := range clockUnits {
		if days >= unit.days {
			return unit.name
		}
	}
	return ""
}

// interviews are parts of words for interviews and their days.
var interviews = strings.Fields("interview intrv intvw inwd intdat intdt")

// isOfInterview reports whether a column has the time of an interview, by its name. It says nothing
// of a person but when somebody asked, which a few know to the day.
func isOfInterview(name string) bool {
	return slices.ContainsFunc(wordsOf(name), func(word string) bool {
		return slices.ContainsFunc(interviews, func(part string) bool {
			return strings.Contains(word, part)
		})
	})
}

// unitsOfDay returns the number of units of a date, a time or a timestamp in a day.
func (p *Profile) unitsOfDay() float64 {
	unit := p.typ.Unit
	switch {
	case p.typ.Kind == formats.Date:
		return 1
	case p.typ.Wide:
		unit = formats.Nano
	}
	return 86400 * math.Pow(1000, float64(unit))
}

// roundRanges returns a generator of ranges with round ends that divide the numbers from low to
// high. The ends depend only on the order of magnitude: they are no values of the data. None is
// outside: few rows there would be in no group of their own.
func roundRanges(low, high float64) string {
	step := roundUp((high - low) / mostEdges)
	var edges []string
	for i := math.Floor(low/step) + 1; i*step <= high || len(edges) < 2; i++ {
		edges = append(edges, roundText(i*step))
	}
	return "{ranges: [" + strings.Join(edges, ", ") + "]}"
}

// roundText formats a number without rounding errors.
func roundText(x float64) string {
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(x, 'f', 12, 64), "0"), ".")
}

// roundUp returns the next number that is 1, 2 or 5 times a power of ten.
func roundUp(x float64) float64 {
	if x <= 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, digit := range []float64{1, 2, 5} {
		if x <= digit*power {
			return digit * power
		}
	}
	return 10 * power
}
