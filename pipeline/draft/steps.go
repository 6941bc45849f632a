package draft

import (
	"math"
	"strconv"
	"strings"

	"github.com/kcut/kcut/formats"
)

const (
	// mostEdges is the approximate number of ranges of a draft, and mostSteps the largest number of
	// multiples of a step in the middle values.
	mostEdges = 8
	mostSteps = 20
)

// step returns the value of round for a column: the ends of intervals are its multiples. There are
// at most mostSteps of them between the middle nine tenths of the values. It is empty if there are
// hardly more values. A step depends only on the order of magnitude: it is no value of the data.
func (p *Profile) step() string {
	span := p.high - p.low
	if p.Field.Distinct <= 2*mostSteps || math.IsInf(span, 0) || math.IsNaN(span) ||
		p.high > mostExact || p.low < -mostExact {
		return ""
	}
	switch p.typ.Kind {
	case formats.Date:
		return p.unit(span)
	case formats.Timestamp:
		return p.unit(span / p.unitsOfDay())
	case formats.Time:
		return "hour"
	}
	step := roundUp(span / mostSteps)
	switch least := math.Pow10(-p.typ.Scale); {
	case span <= 0, p.typ.Kind == formats.Float && step < leastStep:
		return ""
	case p.typ.Kind != formats.Float && step <= least: // every value is a multiple
		return ""
	}
	return roundText(step)
}

const (
	mostExact = 1 << 53 // beyond it floats are not exact
	leastStep = 1e-6
)

// unit returns the shortest unit of time for which the days contain at most some tens of units.
func (p *Profile) unit(days float64) string {
	switch {
	case days >= 10*365:
		return "year"
	case days >= 10*30:
		return "month"
	case p.typ.Kind == formats.Timestamp && days >= 10:
		return "day"
	case p.typ.Kind == formats.Timestamp && days >= 0.5:
		return "hour"
	}
	return ""
}

// unitsOfDay returns the number of units of a timestamp in a day.
func (p *Profile) unitsOfDay() float64 {
	unit := p.typ.Unit
	if p.typ.Wide {
		unit = formats.Nano
	}
	return 86400 * math.Pow(1000, float64(unit))
}

// roundRanges returns a generator of ranges with round ends that cover the numbers from low to
// high. The ends depend only on the order of magnitude: they are no values of the data.
func roundRanges(low, high float64) string {
	step := roundUp((high - low) / mostEdges)
	first := math.Floor(low / step)
	var edges []string
	for i := first; i*step <= high || len(edges) < 2; i++ {
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
