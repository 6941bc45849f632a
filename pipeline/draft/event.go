package draft

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/job"
)

// repetition is rows of the same people at the same time, or copies of rows, without an identifier
// of them.
type repetition struct {
	columns []string // the time, and facts about a person; none: all
	apart   []string // from those that number the rows
	rows    int64    // that have the same values of them as another one
	most    int64    // rows with the same values
}

const (
	// repeatedShare is the least share of the rows that repeat, and timelyShare the least share of
	// those with the same time as another row that do: others meet by chance.
	repeatedShare = 0.05
	timelyShare   = 0.5
)

// raced are the names of columns of races.
var raced = words{alone: strings.Fields("race ethnicity ethnic hispanic")}

// copied returns rows that another one has all values of, apart from numbers of rows; nil: few
// have, or by chance. Where people are alike by chance, as in a table of few categories, some
// column distinguishes many of those that all others leave alike. None distinguishes copies.
func (d *draft) copied() *repetition {
	var all, kept []int
	var apart []string
	areMarks := true
	for _, p := range d.profiles {
		switch {
		case p.place < 0:
			continue
		case p.numbersEachRow():
			apart = append(apart, p.name)
			continue
		case p.role.Mask != job.MaskDrop:
			kept = append(kept, p.place)
			areMarks = areMarks && p.Field.Distinct <= 2
		}
		all = append(all, p.place)
	}
	rows := d.sample.Tuples(all)
	copied := rows.Rows - rows.Once
	if areMarks || float64(copied-rows.Most) < repeatedShare*float64(rows.Rows) {
		return nil // also rows without a value
	}
	people := d.sample.Tuples(kept)
	for i := range kept {
		without := d.sample.Tuples(slices.Delete(slices.Clone(kept), i, i+1))
		if alikeBut*(people.Distinct-without.Distinct) > people.Distinct ||
			alikeBut*(people.Once-without.Once) > people.Rows-people.Once {
			return nil
		}
	}
	return &repetition{apart: apart, rows: copied, most: rows.Most}
}

// alikeBut is the largest part, one in these, of the people, and of the rows with copies, that are
// alike but for one column.
const alikeBut = 5

// numbersEachRow reports whether a dropped column has another number, or code, in each row.
func (p *Profile) numbersEachRow() bool {
	return p.role.Mask == job.MaskDrop && p.distinctShare() > mostOnce && !p.isTime() &&
		(p.typ.Ordered() || directMeaning(p.words).meaning == identifiers)
}

// findRepetition finds rows with the same values, the same names, or the same time, age, sex and
// race.
func (d *draft) findRepetition() {
	d.repetition, d.census = nil, nil
	if d.entity != nil || d.uncounted != nil {
		return
	}
	if d.repetition = d.copied(); d.repetition == nil && d.panel == nil {
		d.repetition = d.namesakes()
	}
	if d.repetition != nil {
		return
	}
	columns := d.moment()
	if d.panel == nil && !d.numbersEach() {
		d.census = d.findCensus()
	}
	if d.panel != nil || d.census != nil || columns == nil {
		return
	}
	none := float64(d.sample.Lacking(placesOf(columns))) // these rows are not of the same time
	repeated := func() float64 {
		rows := d.sample.Tuples(placesOf(columns))
		return max(0, float64(rows.Rows-rows.Once)-none)
	}
	timely := repeated()
	for _, w := range []words{{alone: []string{"age"}}, sexes, raced} {
		at := slices.IndexFunc(d.profiles, func(p *Profile) bool {
			return p.place >= 0 && p.fact && called(&w, p.words) && !ofRelatives.has(p.words)
		})
		if at < 0 {
			return
		}
		columns = append(columns, d.profiles[at])
	}
	if rows := repeated(); rows >= repeatedShare*float64(d.looked) && rows >= timelyShare*timely {
		d.repetition = &repetition{columns: namesOf(columns), rows: int64(rows)}
	}
}

// findCensus returns a column of days on each of which the same people have a row, as in a census
// of a prison; nil: there is none. Rows with the same facts about people are then rarely of one
// day: fewer than those of other people, who meet by chance.
func (d *draft) findCensus() *Profile {
	for _, day := range d.profiles {
		var facts []int
		for _, p := range d.profiles {
			if p.place >= 0 && p.fact && p.role.masked() && !p.isDated() && p != day {
				facts = append(facts, p.place)
			}
		}
		if day.place < 0 || !day.isDated() || births.has(day.words) || len(facts) < fewestFacts ||
			2*day.Field.Distinct > d.looked || float64(day.Field.Rows) < most*float64(d.looked) {
			continue
		}
		alike, rows := d.sample.Pairs(facts), float64(d.looked)
		both, ofDay := d.sample.Pairs(append(facts, day.place)), d.sample.Pairs([]int{day.place})
		byChance := alike * ofDay / (rows * (rows - 1) / 2)
		// rows of other days that a row has beyond chance, and how surely
		if more := byChance - both; more*alike >= leastRecurring*rows/2*byChance &&
			more >= leastBeyond*byChance && more*more >= surely*surely*byChance {
			return day
		}
	}
	return nil
}

const (
	// fewestFacts is the least number of facts by which people are known again, and leastRecurring
	// the least number of other rows of the same people, on average.
	fewestFacts, leastRecurring = 3, 0.5
	// leastBeyond is the least part of the rows of one day that chance has and the table lacks, and
	// surely how many standard deviations from chance are none.
	leastBeyond, surely = 0.03, 6
)

// moment returns the columns with the time of day, and the day, of what each row is about; nil:
// there are none.
func (d *draft) moment() []*Profile {
	find := func(is func(p *Profile) bool) *Profile {
		at := slices.IndexFunc(d.profiles, func(p *Profile) bool {
			return p.place >= 0 && !births.has(p.words) && p.hasMany() && is(p)
		})
		if at < 0 {
			return nil
		}
		return d.profiles[at]
	}
	if stamp := find((*Profile).hasHours); stamp != nil {
		return []*Profile{stamp}
	}
	day := find(func(p *Profile) bool { return p.typ.Kind == formats.Date || p.dateForm() != "" })
	hour := find(func(p *Profile) bool {
		return p.typ.Kind == formats.Time || p.share(timing) >= most
	})
	if day == nil || hour == nil {
		return nil
	}
	return []*Profile{day, hour}
}

// hasHours reports whether a column has days with times of day.
func (p *Profile) hasHours() bool {
	if p.typ.Kind != formats.Timestamp {
		return false
	}
	at := 0
	for _, x := range p.numbers {
		if math.Mod(x, p.unitsOfDay()) != 0 { // also where there is none
			at++
		}
	}
	return 2*at > len(p.numbers)
}

// visits are words for what a person may do several times, with a row for each time.
var visits = strings.Fields("trip ride rental visit encounter appointment booking reservation " +
	"order transaction invoice session")

// findVisits finds the column whose name says that each row is a visit or the like, in a table in
// which nothing numbers people.
func (d *draft) findVisits() {
	d.visit = nil
	ids := words{alone: pairs(visits, numbered)}
	measures := words{alone: pairs(strings.Fields("trip ride rental"),
		[]string{"duration", "distance"})} // sessions and visits may be usual ones
	if d.entity != nil || d.uncounted != nil || d.panel != nil || d.repetition != nil ||
		d.census != nil || d.numbersEach() {
		return
	}
	at := slices.IndexFunc(d.profiles, func(p *Profile) bool {
		return ids.has(p.words) && p.distinctShare() > mostOnce || measures.has(p.words)
	})
	if at < 0 {
		return
	}
	d.visit = d.profiles[at]
}

// visitWords say that k does not count the people of visits.
const visitWords = `
# k COUNTS ROWS, NOT PEOPLE: each row seems to be one of the trips, visits or orders of somebody,
# as %s says, and no column identifies the people. A group of k rows may be one of them:
# give one row of each, or add a column with the number of a person and name it as entity.
`

// censusWords say that k does not count the people of a census.
const censusWords = `
# k COUNTS ROWS, NOT PEOPLE: the same people seem to have a row on each day of %s, as facts
# about them recur more often than by chance. A group of k rows may be one of them: give the rows of
# one day, or add a column with the number of a person and name it as entity.
`

// repetitionWords say that k does not count the people of repeated rows.
const repetitionWords = `
# k COUNTS ROWS, NOT PEOPLE: %s of %s rows have the same %s as
# another one, and may be those of one person. A group of k rows may be one of them: give one row of
# each, or add a column with the number of a person and name it as entity.
`

// alikeWords name a k for people of repeated rows.
const alikeWords = `# At most %d rows are alike: kcut init --k %d makes groups of at least %d people.
`

// lackingWords say that some rows are nobody's.
const lackingWords = `
# %s of %s rows have no value in any masked column. They count as people, and hide none:
# leave them out.
`

// writeRepetition writes that k does not count the people of repeated rows, or of visits, and how
// many rows have no value.
func (d *draft) writeRepetition(out *strings.Builder) {
	if d.known.empty >= int64(d.k()) {
		fmt.Fprintf(out, lackingWords, text.Grouped(d.known.empty), text.Grouped(d.looked))
	}
	if r := d.repetition; r != nil {
		same := "values in all columns"
		if len(r.columns) > 0 {
			same = text.List(quoted(r.columns), mostLost)
		} else if len(r.apart) > 0 {
			same += " but " + text.List(quoted(r.apart), mostLost)
		}
		fmt.Fprintf(out, repetitionWords, text.Grouped(r.rows), text.Grouped(d.looked), same)
		if k := usualK * r.most; r.most > 0 && int64(d.K) < k && fewGroups*k <= d.rows {
			fmt.Fprintf(out, alikeWords, r.most, k, usualK)
		}
	}
	if d.census != nil {
		fmt.Fprintf(out, censusWords, job.Quoted(d.census.name))
	}
	if d.visit != nil {
		fmt.Fprintf(out, visitWords, job.Quoted(d.visit.name))
	}
}
