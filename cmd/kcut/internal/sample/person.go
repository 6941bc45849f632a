package sample

import (
	"slices"
	"strconv"
)

// person is one row of the sample.
type person struct {
	row       int64
	value     [numColumns]uint32 // the position of a value in its column's domain
	null      [numColumns]bool   // it is missing
	band      uint32             // of the age
	schooling uint32             // the kind of education
}

// Numbers of values that the model treats specially.
const (
	maritalMarried, maritalSingle         = 0, 1
	workSelfEmployed, workSelfEmployedInc = 1, 2
)

// ageBandPoints are the contributions of ages up to 19, 24, 34, 54, 64, and over to the score of
// income.
var ageBandPoints = [...]int{-20, -12, -2, 4, 4, -1}

// make makes the person of a row. The order of draws is part of the model.
func (p *people) make(row int64, h *person) {
	r := randomAt(p.seed, row)
	*h = person{row: row}
	v := &h.value
	draw := func(column, kind uint32) { v[column] = p.Columns[column].draws[kind].draw(&r) }
	if r.below(100) >= 34 {
		v[colSex] = 1
	}
	draw(colAge, 0)
	age := int64(v[colAge]) + youngest
	h.band = above(age, 19, 24, 34, 54, 64)
	v[colBirth] = uint32(birthday(age, int64(r.below(365))) - p.oldestBirth)
	draw(colRace, 0)
	draw(colCountry, v[colRace])
	draw(colZip, 0)
	draw(colEducation, h.band)
	v[colEducationNum] = v[colEducation]
	// no degree, school or some college, bachelor, higher
	h.schooling = above(int64(v[colEducation]), 7, 11, 12)
	names := uint32(len(p.FirstNames) / 2)
	first := v[colSex]*names + uint32(r.below(uint64(names)))
	v[colName] = first*uint32(len(p.LastNames)) + uint32(r.below(uint64(len(p.LastNames))))
	draw(colMarital, v[colSex]*uint32(len(ageBandPoints))+h.band)
	draw(colRelationship, familyKind(h))
	draw(colWorkclass, h.schooling)
	draw(colOccupation, v[colSex]*4+h.schooling)
	draw(colHours, hourKind(h))
	if chance := 30 + 15*uint64(v[colEducation]); r.below(2600) < chance && age >= 22 {
		draw(colGain, 0)
	} else if r.below(1000) < 47 {
		draw(colLoss, 0)
	}
	if uint32(r.next()>>48) < p.Odds[min(max(p.score(h), 0), len(p.Odds)-1)] {
		v[colIncome] = 1
	}
	h.makeNulls(r.next())
}

// birthday returns a day of birth for somebody of the given age.
func birthday(age, days int64) int64 { return censusDay - age*1461/4 - days }

// above returns the number of ascending limits that a number exceeds.
func above(n int64, limits ...int64) uint32 {
	at, _ := slices.BinarySearch(limits, n)
	return uint32(at)
}

// familyKind returns the row of the weights of relationships for a person.
func familyKind(h *person) uint32 {
	switch marital := h.value[colMarital]; {
	case marital == maritalMarried:
		return h.value[colSex]
	case marital == maritalSingle && h.band < 2:
		return 2
	case marital == maritalSingle:
		return 3
	}
	return 4
}

// hourKind returns the row of the weights of hours for a person.
func hourKind(h *person) uint32 {
	age, work := h.value[colAge]+youngest, h.value[colWorkclass]
	switch {
	case age < 20 || age > 65:
		return 0
	case work == workSelfEmployed || work == workSelfEmployedInc:
		return 3
	}
	return 1 + h.value[colSex]
}

// score adds up the points for a higher income.
func (p *people) score(h *person) int {
	points := 20 + ageBandPoints[h.band] + min(max(int(h.value[colHours])+1-40, -20), 20)/2
	for i, c := range p.Columns {
		if c.Points != nil {
			points += c.Points[h.value[i]]
		}
	}
	return points
}

// makeNulls removes values that a census sometimes lacks, after everything has been drawn.
func (h *person) makeNulls(x uint64) {
	chance := uint64(40) // out of 1024
	if h.band == 0 || h.band == 5 {
		chance = 190
	}
	noWork := x&1023 < chance
	h.null[colWorkclass], h.null[colOccupation] = noWork, noWork
	h.null[colCountry] = x>>10&1023 < 18
	h.null[colBirth] = x>>20&1023 < 8
}

// appendOwn appends a person's unique value: a number, or an address that contains it.
func (p *people) appendOwn(text []byte, column int, h *person) []byte {
	if column == colEmail {
		text = append(text, p.addresses[h.value[colName]]...)
	}
	text = strconv.AppendInt(text, h.row+1, 10)
	if column == colEmail {
		text = append(text, "@example.org"...)
	}
	return text
}
