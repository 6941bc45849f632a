package draft

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/kcut/kcut/formats"
)

// years returns the year in which a time of a row is, with its fraction, or a year itself, of rows
// by number; nil: the column has no dates and no years.
func (p *Profile) years() func(row int) float64 {
	switch {
	case p.isDay():
		return func(row int) float64 {
			return 1970 + p.numbers[row]/p.unitsOfDay()/daysOf["year"]
		}
	case p.typ.Ordered() && !p.broken && p.low >= firstYear && p.high <= lastYear:
		return func(row int) float64 { return p.numbers[row] + 0.5 }
	}
	return nil
}

// withinYears is the number of years in which ages were asked that dates of birth determine.
const withinYears = 2

// areAgesOf reports whether nearly all ages of people who were born at some times are those of
// about one day, or of the days or years of another column. Without numbers of these times they may
// be.
func (d *draft) areAgesOf(birth, age *Profile) bool {
	born := birth.years()
	if born == nil {
		return true
	}
	days := []func(row int) float64{func(int) float64 { return 0 }}
	for _, p := range d.profiles {
		if at := p.years(); at != nil && p != birth && p != age && p.role.masked() {
			days = append(days, at)
		}
	}
	return slices.ContainsFunc([]float64{1, 1. / 12, 1. / 365}, func(scale float64) bool {
		return scale*(age.high-age.low) > withinYears &&
			slices.ContainsFunc(days, func(at func(row int) float64) bool {
				var apart []float64
				for row, x := range age.numbers {
					if x = born(row) + scale*x - at(row); !math.IsNaN(x) {
						apart = append(apart, x)
					}
				}
				slices.Sort(apart)
				few := len(apart) / fewRows
				return 2*int64(len(apart)) > age.Field.Rows &&
					apart[len(apart)-1-few]-apart[few] <= withinYears
			})
	})
}

const (
	// resumed is the share of rows, one in these, in which two days that say the same may differ.
	resumed = 10
	// near is the part of what times span, one in these, that hardly a label of a group resolves.
	near = 50
)

// areNear reports whether two columns of times have the same one, or none, in all but a few rows,
// or in most rows with either days that are at most a step of their labels apart, or a small part
// of what they span: nobody learns from labels how long it was from one to the other.
func areNear(a, b *Profile) bool {
	if a.typ == b.typ && differ(a, b, 0)*renamed <= len(a.numbers) {
		return true
	}
	if a.typ.Kind == formats.Time || b.typ.Kind == formats.Time {
		return false
	}
	unit, unitOfOther := a.unitsOfDay(), b.unitsOfDay()
	within := max(daysOf[a.step()], daysOf[b.step()], (a.high-a.low)/unit/near)
	rows, apart := 0, 0
	for row := range a.numbers {
		x, y := a.numbers[row]/unit, b.numbers[row]/unitOfOther
		if !math.IsNaN(x) || !math.IsNaN(y) {
			rows++
			if !(math.Abs(x-y) <= within) {
				apart++
			}
		}
	}
	return apart*resumed <= rows
}

// goesBefore compares which of two columns of times that are near stays: that of deaths, then one
// that people know, then the one with the earlier time in most rows.
func (p *Profile) goesBefore(of *Profile) bool {
	rank := func(p *Profile) (rank int) {
		if deaths.has(withoutEnds(p.words)) {
			rank = 2
		}
		if p.fact {
			rank++
		}
		return rank
	}
	earlier := 0
	for row, x := range p.numbers {
		earlier += cmp.Compare(of.numbers[row]/of.unitsOfDay(), x/p.unitsOfDay())
	}
	return cmp.Or(rank(p)-rank(of), earlier, of.place-p.place) > 0
}

// dropAges drops ages, if there are dates of birth, which determine them within a year; years,
// months and the like next to dates of which they are parts; and parts of a birth next to its year
// or an age, which say enough of it.
func (d *draft) dropAges() {
	for _, by := range d.profiles {
		isBirth := births.has(by.words)
		// where few rows have a value it may say who was born while a study went on
		born := isBirth && by.hasMany() && 2*by.Field.Rows >= by.Rows
		if of := d.ageOfEvent(by); born && by.role.masked() && of != nil {
			by.role = dropBy(of, "and it say the day of an event; to mask it: "+d.entry(by))
		}
		isAging := isBirth && yearly.has(by.words) ||
			by.typ.Ordered() && d.isAge(by) && !daily.has(by.words)
		if !by.role.masked() || !isBirth && !isAging && !by.isTime() && by.dateForm() == "" {
			continue
		}
		for _, p := range d.profiles {
			name := p.words
			if p == by || !p.role.masked() {
				continue
			}
			isAge := born && p.typ.Ordered() && slices.Contains(name, "age") && !aged.has(name) &&
				d.areAgesOf(by, p) && !p.countsYearsOf(by)
			isPart := !p.isTime() && (born && births.has(name) || periods.has(name)) &&
				(born || !isBirth || by.isDated()) && d.isPartOf(by, p)
			switch {
			case isAging && births.has(name) && daily.has(name) && p.Field.Distinct <= mostOfMonth:
				p.role = dropBy(by, "says enough of the birth; to mask it: "+d.entry(p))
			case isAge || isPart && d.determines(by, p):
				p.role = dropBy(by, isDetermined)
			case isPart:
				p.role = dropBy(by, isDetermined+" in nearly all rows")
			case by.isDay() && !isBirth && yearly.has(name) && p.isYearOf(by):
				p.role = dropBy(by, "says it, up to a year")
			}
		}
	}
}

// ofEvents are words for what people have at an age that studies are about.
var ofEvents = words{alone: slices.Concat(diagnoses.alone, deaths.alone,
	strings.Fields("diagnosed onset surgery operation transplant execution"))}

// ageOfEvent returns the column with the ages at which people became ill, died or the like, of most
// of those with a date of birth; nil: there is none.
func (d *draft) ageOfEvent(birth *Profile) *Profile {
	at := slices.IndexFunc(d.profiles, func(p *Profile) bool {
		return p != birth && p.role.masked() && p.typ.Ordered() && p.Field.Distinct > fewCodes &&
			slices.Contains(p.words, "age") && ofEvents.has(p.words) && !ofRelatives.has(p.words) &&
			2*p.Field.Rows >= birth.Field.Rows
	})
	if at < 0 {
		return nil
	}
	return d.profiles[at]
}

// yearly and daily are words for the year of a birth, and for parts that say its day with the year,
// of which each has at most as many values as a month has days.
var (
	yearly = words{alone: strings.Fields("year yr birthyear birthy byear")}
	daily  = words{alone: strings.Fields("quarter qrtr qtr month day birthq birthm birthmonth " +
		"birthday bmonth bday")}
)

const mostOfMonth = 31

// calendar are the parts of days of which columns have numbers or names.
var calendar = []func(day time.Time) int{
	time.Time.Year,
	func(day time.Time) int { return (int(day.Month()) + 2) / 3 },
	func(day time.Time) int { return int(day.Month()) },
	func(day time.Time) int { _, week := day.ISOWeek(); return week },
	time.Time.Day,
	func(day time.Time) int { return int(day.Weekday()) },
}

// isPartOf reports whether a column has one value for each year, month or the like of the days of
// another one, apart from mistakes. Days as text have no parts that are known.
func (d *draft) isPartOf(by, p *Profile) bool {
	if p.place < 0 || !by.typ.Ordered() {
		return false
	}
	parts := make([]uint64, len(by.numbers))
	others := d.sample.Exceptions(parts, p.place) // than those with the most frequent value
	return by.typ.Kind != formats.Time && slices.ContainsFunc(calendar,
		func(part func(day time.Time) int) bool {
			met := make(map[uint64]bool)
			for row, x := range by.numbers {
				if parts[row] = math.MaxUint64; !math.IsNaN(x) {
					day := int64(math.Floor(x / by.unitsOfDay()))
					parts[row] = uint64(part(time.Unix(day*86400, 0).UTC()))
				}
				met[parts[row]] = true
			}
			return len(met)*rowsOfDate <= len(parts) &&
				d.sample.Exceptions(parts, p.place)*renamed <= others
		})
}

// isYearOf reports whether a column has years that are nearly those of another one's days, as
// seasons that begin in autumn.
func (p *Profile) isYearOf(days *Profile) bool {
	own, year := p.years(), days.years()
	return own != nil && !p.isTime() && p.goesNear(
		func(row int) float64 { return math.Floor(own(row)) },
		func(row int) float64 { return math.Floor(year(row)) })
}

// countsYearsOf reports whether a column has the full years of another one's months or days in most
// rows, as ages those of days up to a birth, which are below 0.
func (p *Profile) countsYearsOf(of *Profile) bool {
	if !of.typ.Ordered() || p.isTime() || of.isTime() || p.broken ||
		p.Field.Distinct <= mostOutcomes || of.Field.Distinct <= p.Field.Distinct {
		return false
	}
	return slices.ContainsFunc([]float64{12, daysOf["year"]}, func(ofYear float64) bool {
		rows, apart := 0, 0
		for row, x := range p.numbers {
			y := math.Floor(math.Abs(of.numbers[row]) / ofYear)
			if x != 0 && !math.IsNaN(x) || y != 0 && !math.IsNaN(y) {
				rows++
				if x != y {
					apart++
				}
			}
		}
		return 2*rows > len(p.numbers) && apart*resumed <= rows
	})
}

// dateForm returns the generator of a text column of dates, or "". A few texts may be none, unless
// they are dates without a day.
func (p *Profile) dateForm() string {
	switch rows := p.Field.Rows; {
	case p.typ.Kind != formats.String || rows == 0:
		return ""
	case p.share(isoDate) >= most && p.texts.forms[isoDate] >= p.texts.forms[partDate]:
		return "date"
	// a day above 12 decides
	case p.share(usDate) >= most && p.texts.forms[euroDate] < p.texts.forms[usDate]:
		return "us_date"
	}
	return ""
}
