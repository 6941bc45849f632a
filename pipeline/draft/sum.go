package draft

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/job"
)

// mostAdded is the largest number of columns among which sums are looked for.
const mostAdded = 40

// dropSums drops numbers that are the sum of two or three others, or of many values and the
// difference between two, but not those that everybody knows, and the parts of a whole pay.
func (d *draft) dropSums() {
	var terms []*Profile
	for _, p := range d.profiles {
		if p.role.masked() && p.typ.Ordered() && !p.isTime() && !p.isCode() &&
			p.Field.Distinct > 2 && 2*p.Field.Rows >= p.Rows {
			terms = append(terms, p)
		}
	}
	if len(terms) > mostAdded {
		return
	}
	for _, sum := range terms {
		d.dropNumberOfMarks(sum)
	}
	for _, sum := range terms {
		for i, a := range terms {
			for _, b := range terms[:i] {
				dropSum(sum, a, b)
			}
		}
	}
	for _, sum := range terms {
		for i, a := range terms {
			for j, b := range terms[:i] {
				for _, c := range terms[:j] {
					sum.dropAs("the sum of", sum, c, b, a)
				}
			}
		}
	}
}

// dropNumberOfMarks drops a number that is the sum of all marks whose names begin with its first
// word, as AcceptedAll of Accepted1 to Accepted5.
func (d *draft) dropNumberOfMarks(sum *Profile) {
	var marks []*Profile
	for _, p := range d.profiles {
		if p.role.masked() && p.typ.Ordered() && p.Field.Distinct == 2 && p.least == 0 &&
			len(p.words) > 0 && len(sum.words) > 0 &&
			withoutEnds(p.words)[0] == withoutEnds(sum.words)[0] {
			marks = append(marks, p)
		}
	}
	if len(marks) > 2 && !sum.isLost && !sum.isBasic() && isSum(sum, marks) {
		sum.role = drop("the sum of %s", quotedList(namesOf(marks)))
		sum.role.sum = marks
	}
}

// losesSums reports whether numbers are dropped as sums or differences of others one of which is
// dropped, too: they stay when roles are proposed again.
func (d *draft) losesSums() (loses bool) {
	for _, p := range d.profiles {
		if p.role.Mask == job.MaskDrop && slices.ContainsFunc(p.role.sum, func(of *Profile) bool {
			return !of.role.masked() && !of.role.crowded
		}) {
			p.isLost, loses = true, true
		}
	}
	return loses
}

// dropSum drops one of three numbers of which one is the sum of the others: the sum or, if only one
// part may be below 0, this part, which is the difference between two measurements, or one from the
// mean of a group. Between those of one thing at two times it is the change, of which their
// intervals say little: it stays.
func dropSum(sum, a, b *Profile) {
	isFromMean := func(p, mean *Profile) bool {
		return p.least < 0 && p.Field.Distinct*rowsToTell > p.Rows &&
			mean.Field.Distinct*rowsToTell <= mean.Rows && len(sum.name) <= len(p.name)
	}
	if isFromMean(b, a) {
		a, b = b, a
	}
	if isFromMean(a, b) && a.dropAs("the difference between", sum, a, b) {
		a.role.sum = []*Profile{sum} // its group may say the mean
		return
	}
	if sum.least < 0 || min(a.least, b.least) >= 0 || max(a.least, b.least) < 0 {
		sum.dropAs("the sum of", sum, b, a)
		return
	}
	if b.least < 0 {
		a, b = b, a
	}
	if areTwoTimes(sum, b) {
		if isSum(sum, []*Profile{a, b}) {
			a.role.changes = []*Profile{sum, b}
		}
		return
	}
	a.dropAs("the difference between", sum, a, b)
}

// moments are words for one of two times at which something is measured.
var moments = strings.Fields("pre post before after baseline base followup endline initial final " +
	"first last start end prior prev previous current now new old then t")

// areTwoTimes reports whether two columns have the same at two times, by their names: wt71 and
// wt82, pretest and posttest.
func areTwoTimes(a, b *Profile) bool {
	stem := func(p *Profile) (stem string) {
		for _, word := range withoutEnds(p.words) {
			for _, moment := range []string{"pre", "post"} {
				word = strings.TrimPrefix(word, moment)
			}
			if !slices.Contains(moments, word) {
				stem += word
			}
		}
		return stem
	}
	return stem(a) == stem(b)
}

// dropAs drops a number of a sum, for a reason with the names of the others, which are all masked.
// It has a value only in rows in which they have theirs. It reports whether it did.
func (p *Profile) dropAs(why string, sum *Profile, parts ...*Profile) bool {
	all := append([]*Profile{sum}, parts...)
	if p == sum && wholePay.has(p.words) {
		return p.dropParts(parts)
	}
	if slices.Contains(parts, sum) || p.Field.Distinct <= fewCodes && p != sum ||
		slices.ContainsFunc(all, func(p *Profile) bool { return !p.role.masked() }) ||
		p.isLost || p.isBasic() || !isSum(sum, parts) || // which the first rows mostly show
		p.Field.Distinct <= fewCodes && !sum.exceeds(parts) {
		return false
	}
	var names []string
	others := slices.DeleteFunc(all, func(other *Profile) bool { return other == p })
	for _, other := range others {
		names = append(names, job.Quoted(other.name))
	}
	if !p.onlyWith(others) {
		return false
	}
	last := len(names) - 1
	p.role = drop("%s %s and %s", why, strings.Join(names[:last], ", "), names[last])
	p.role.sum = others
	return true
}

// wholePay are the names of columns of a pay that analyses ask for rather than for its parts.
var wholePay = words{
	alone: append(pairs([]string{"total"}, strings.Fields("pay compensation wage wages")),
		strings.Fields("gross salary income")...),
	not: slices.Concat(earlier, averages),
}

// dropParts drops the parts of a whole pay, which has a value where they have theirs. It reports
// whether it did.
func (p *Profile) dropParts(parts []*Profile) bool {
	stays := func(part *Profile) bool {
		return part == p || !part.role.masked() || part.isLost || part.isBasic() ||
			part.Field.Distinct <= fewCodes || !part.onlyWith([]*Profile{p})
	}
	if !p.role.masked() || slices.ContainsFunc(parts, stays) || !isSum(p, parts) {
		return false
	}
	for _, part := range parts {
		part.role = drop("a part of %s", job.Quoted(p.name))
		part.role.sum = []*Profile{p}
	}
	return true
}

// exceeds reports whether a number is none of others in some hundred rows: else a sum of few values
// may be one of its parts, of which the others are nearly always 0.
func (p *Profile) exceeds(parts []*Profile) bool {
	rows := 0
	for row, x := range p.numbers {
		if !math.IsNaN(x) && !slices.ContainsFunc(parts, func(part *Profile) bool {
			return part.numbers[row] == x
		}) {
			rows++
		}
	}
	return rows >= fewestExceeding
}

// fewestExceeding is the least number of rows in which a sum of few values is none of its parts.
const fewestExceeding = 200

// onlyWith reports whether a number is null in each row in which one of others is.
func (p *Profile) onlyWith(others []*Profile) bool {
	for _, other := range others {
		for row, x := range p.numbers {
			if !math.IsNaN(x) && math.IsNaN(other.numbers[row]) {
				return false
			}
		}
	}
	return true
}

// isSum reports whether numbers are the sums of others, apart from rounding, in all rows that have
// all of them, which are at least half. It looks at few rows first, which mostly show that they are
// not: the first rows may have none of them.
func isSum(sum *Profile, parts []*Profile) bool {
	apart, rows := sum.rounding, 0
	for _, p := range parts {
		apart = max(apart, p.rounding)
	}
	for _, every := range []int{rowsToTell, 1} {
		rows = 0
		for row := 0; row < len(sum.numbers); row += every {
			added, size := 0.0, 0.0
			for _, p := range parts {
				added, size = added+p.numbers[row], size+math.Abs(p.numbers[row])
			}
			whole := sum.numbers[row]
			if math.IsNaN(added) || math.IsNaN(whole) {
				continue
			}
			if math.Abs(added-whole) > max(1e-9*size, apart+apart/2) { // each may be off by a half
				return false
			}
			rows++
		}
	}
	return 2*rows >= len(sum.numbers)
}

// isShifted reports whether a number with fractions is another one plus or minus a constant, apart
// from rounding, and has a value only where that has one.
func (p *Profile) isShifted(of *Profile) bool {
	if p.rounding == 0 || !of.typ.Ordered() || of.isTime() || of.Field.Distinct <= fewCodes ||
		p.Field.Distinct <= fewCodes {
		return false
	}
	apart := 2 * max(p.rounding, of.rounding)
	isConstant := func(sign float64) bool {
		low, high := math.Inf(1), math.Inf(-1)
		for row, x := range p.numbers {
			if math.IsNaN(x) {
				continue
			}
			rest := x - sign*of.numbers[row]
			if low, high = min(low, rest), max(high, rest); !(high-low <= apart) {
				return false
			}
		}
		return p.high-p.low >= fewCodes*apart
	}
	return isConstant(1) || isConstant(-1)
}

// dropCommon drops columns of two values that several others of two give, as blackfemale of black
// and female and needs_support of two needs: each of these has a value all of whose rows have one
// of the column. Of the marks of a kind, which exclude each other, none goes.
func (d *draft) dropCommon() {
	var marks []*Profile
	for _, p := range d.profiles {
		if p.role.masked() && p.Field.Distinct == 2 && p.Field.Rows == p.Rows {
			marks = append(marks, p)
		}
	}
	if len(marks) > mostAdded {
		return
	}
	classes := func(of []*Profile) int64 { return d.sample.Figures(placesOf(of), 1).Classes }
	for _, p := range marks {
		var terms []*Profile
		areCommon := false
		for _, a := range marks {
			if a != p && a.role.masked() && !d.sample.AreFree(a.place, p.place) {
				for _, b := range terms {
					areCommon = areCommon || d.sample.AreFree(a.place, b.place)
				}
				terms = append(terms, a)
			}
		}
		if areCommon && p.others() > fewRows && !p.isCompared() && !d.mayBeOutcome(p) {
			n := classes(terms)
			if n*usualK <= d.looked && classes(append(terms, p)) == n {
				p.role = drop("%s say it", quotedList(namesOf(terms)))
			}
		}
	}
}

// dropComposites drops texts of two others put together, as RACE_SEX of RACE and SEX by its name.
func (d *draft) dropComposites() {
	for _, p := range d.profiles {
		var parts []*Profile
		for _, of := range d.profiles {
			if of != p && of.role.masked() && len(of.words) > 0 && p.computedOf(of) > 0 &&
				d.determines(p, of) {
				parts = append(parts, of)
			}
		}
		if !p.role.masked() || p.typ.Kind != formats.String || len(parts) != 2 {
			continue
		}
		classes := func(of ...*Profile) int64 { return d.sample.Figures(placesOf(of), 1).Classes }
		if n := classes(parts...); n > max(parts[0].Field.Distinct, parts[1].Field.Distinct) &&
			n*usualK <= d.looked && n == classes(append(parts, p)...) {
			p.role = drop("%s say it", quotedList(namesOf(parts)))
		}
	}
}

// isNearly reports whether a number or a day of several values is nearly another one, as the
// children of those who live are all children, and the day of a first job that of a hire.
func (p *Profile) isNearly(of *Profile) bool {
	if !p.typ.Ordered() || !of.typ.Ordered() || p.isTime() && !p.isDay() || p.broken ||
		of.broken || p.isDay() != of.isDay() || p.Field.Distinct <= mostOutcomes ||
		of.Field.Distinct <= mostOutcomes {
		return false
	}
	number := func(p *Profile) func(row int) float64 {
		if p.isDay() {
			return func(row int) float64 { return math.Floor(p.numbers[row] / p.unitsOfDay()) }
		}
		return func(row int) float64 { return p.numbers[row] }
	}
	return p.goesNear(number(p), number(of))
}

// otherwise is the largest part, one in these, of the rows in which a number is another one than
// that which it nearly is.
const otherwise = 5

// goesNear reports whether numbers of the rows are others in most rows in which not both are 0, and
// at most 1 apart in nearly all of them, or the others in four fifths of them.
func (p *Profile) goesNear(number, other func(row int) float64) bool {
	rows, same, far := 0, 0, 0
	for row := range p.numbers {
		x := number(row)
		apart := math.Abs(x - other(row))
		if math.IsNaN(apart) || apart == 0 && x == 0 {
			continue
		}
		rows++
		if apart == 0 {
			same++
		} else if apart > 1 {
			far++
		}
	}
	return rows > fewRows && 2*rows >= len(p.numbers) && (2*same > rows && far*rowsToTell <= rows ||
		(rows-same)*otherwise <= rows)
}

// repeats reports whether a column of several numbers has those of another one in some rows, and
// always the same one, or none, in others.
func (d *draft) repeats(p, of *Profile) bool {
	return p != of && p.typ == of.typ && p.typ.Ordered() && p.Field.Distinct > mostOutcomes &&
		p.place >= 0 && of.place >= 0 && d.sample.Repeats(p.place, of.place)
}

// secondsOf are the seconds of units in which columns have how long something took.
var secondsOf = []float64{1, 60, 3600, 86400, 0.001, secondsOfMonth}

// secondsOfMonth are those of a month of the mean length.
const secondsOfMonth = 86400 * 365.2425 / 12

// interval is how long something took, with the times at which it began and ended.
type interval struct{ start, took, end *Profile }

// findIntervals finds numbers that together with a time give another one, whatever their names.
func (d *draft) findIntervals() {
	d.intervals = nil
	var times, numbers []*Profile
	for _, p := range d.profiles {
		switch {
		case len(p.numbers) == 0: // of those that cannot be read
		case p.isTime():
			times = append(times, p)
		case p.typ.Ordered() && p.Field.Distinct > 2:
			numbers = append(numbers, p)
		}
	}
	for _, end := range times {
		for _, start := range times {
			if end == start || end.typ != start.typ {
				continue
			}
			for _, took := range numbers {
				if isEnd(end, start, took) {
					took.lasts = true
					d.intervals = append(d.intervals, interval{start, took, end})
				}
			}
		}
	}
}

// dropEnds drops times that others and how long something took determine, as the end of a trip.
func (d *draft) dropEnds() {
	for _, of := range d.intervals {
		if of.end.role.masked() && of.start.role.masked() && of.took.role.masked() {
			of.end.role = drop("%s and %s determine it", job.Quoted(of.start.name),
				job.Quoted(of.took.name))
		}
	}
}

// isEnd reports whether a time is behind another one by a number, in some unit, in nearly all rows.
func isEnd(end, start, took *Profile) bool {
	return slices.ContainsFunc(secondsOf, func(seconds float64) bool {
		scale := seconds * start.unitsOfDay() / secondsOf[3]
		unit, part := max(1, scale), renamed
		if seconds == secondsOfMonth { // months are counted in several ways
			part = otherwise
		}
		follows := func(row int) float64 { return start.numbers[row] + scale*took.numbers[row] }
		return 2*scale*(took.high-took.low) >= fewCodes*unit &&
			inNearlyAll(end.numbers, follows, unit, part)
	})
}

// inNearlyAll reports whether numbers are those of a function of the row, up to less than a
// distance, in nearly all rows that have both, but one in part, which are at least half of those
// that have a number.
func inNearlyAll(numbers []float64, of func(row int) float64, distance float64, part int) bool {
	all, rows, others := 0, 0, 0
	for row, x := range numbers {
		if !math.IsNaN(x) {
			all++
		}
		if y := of(row); !math.IsNaN(x) && !math.IsNaN(y) {
			if rows++; !(math.Abs(x-y) < distance) {
				others++
			}
		}
		if others > fewRows && others*part > rows { // most end here, after few rows
			return false
		}
	}
	return 2*rows >= all && float64(all) >= fewestFilled*float64(len(numbers)) &&
		others*part <= rows
}

// mostPlaces is the largest number of places behind the point of a ratio.
const mostPlaces = 6

// terms returns the numbers of many values of most rows, unless they are too many for all ratios.
// Where most are 0, ratios that hold for these alone say nothing.
func (d *draft) terms() (terms []*Profile) {
	for _, p := range d.profiles {
		if p.role.masked() && p.typ.Ordered() && !p.isTime() && !p.isCode() &&
			p.Field.Distinct > fewCodes && 2*p.Field.Rows >= p.Rows && !p.isMostlyLeast() {
			terms = append(terms, p)
		}
	}
	if len(terms) > mostAdded {
		return nil
	}
	return terms
}

// noteRatios notes numbers with a fraction that are the ratio of two others, as that of a loan to
// an income: they stay, since the intervals of these say less.
func (d *draft) noteRatios() {
	terms := d.terms()
	for _, ratio := range terms {
		distance := ratio.rounding
		if distance == 0 || ratio.high-ratio.low < fewCodes*distance {
			continue
		}
		for _, part := range terms {
			for _, whole := range terms {
				if ratio != part && ratio != whole && part != whole &&
					inNearlyAll(ratio.numbers, func(row int) float64 {
						return part.numbers[row] / whole.numbers[row]
					}, distance, renamed) {
					ratio.role.Reason += fmt.Sprintf("; %s by %s gives it", job.Quoted(part.name),
						job.Quoted(whole.name))
				}
			}
		}
	}
}

// roundingOf returns the distance to which numbers with fractions are rounded.
func roundingOf(numbers []float64) float64 {
	for places := 1; places < mostPlaces; places++ {
		if !slices.ContainsFunc(numbers, func(x float64) bool {
			scaled := x * math.Pow10(places)
			return math.Abs(scaled-math.Round(scaled)) > 1e-6*max(1, math.Abs(scaled))
		}) {
			return math.Pow10(-places)
		}
	}
	return math.Pow10(-mostPlaces)
}

// dropIndexes drops body mass indexes, which a weight and a height give: whatever they are called,
// numbers that go with one by the square of another one in nearly all rows.
func (d *draft) dropIndexes() {
	terms := d.terms()
	for _, index := range terms {
		distance := roundedIndex * index.low // mistakes may be far apart
		if !index.isFractional() || distance <= 0 || index.high-index.low < 4*distance {
			continue
		}
		for _, height := range terms {
			if height.low <= 0 || height.high < (1+2*roundedIndex)*height.low {
				continue
			}
			for _, weight := range terms {
				if weight != index && height != index && weight != height &&
					index.role.masked() && height.role.masked() && weight.role.masked() &&
					index.isIndexOf(weight, height, distance) {
					index.role = drop("%s and %s give it", job.Quoted(height.name),
						job.Quoted(weight.name))
				}
			}
		}
	}
}

// isIndexOf reports whether numbers are those of a weight by the square of a height, in some units,
// up to a distance.
func (p *Profile) isIndexOf(weight, height *Profile, distance float64) bool {
	var units []float64 // in most rows one
	for row := 0; row < len(p.numbers) && len(units) <= fewRows; row++ {
		y := height.numbers[row]
		if unit := p.numbers[row] * y * y / weight.numbers[row]; unit > 0 && unit < math.Inf(1) {
			units = append(units, unit)
		}
	}
	slices.Sort(units)
	return len(units) > fewRows && inNearlyAll(p.numbers, func(row int) float64 {
		y := height.numbers[row]
		return units[fewRows/2] * weight.numbers[row] / (y * y)
	}, distance, renamed)
}

// roundedIndex is the part by which indexes may differ from those of rounded weights and heights.
const roundedIndex = 0.05
