package sample

import "slices"

// person is one row of the sample.
type person struct {
	row       int64
	value     [numColumns]uint32 // the place of a value in its column's domain
	null      [numColumns]bool   // it is missing
	band      uint32             // of the age
	schooling uint32             // the kind of education
}

// Numbers of values that the model treats in a way of their own.
const (
	maritalMarried, maritalSingle         = 0, 1
	workSelfEmployed, workSelfEmployedInc = 1, 2
)

// make fills in the person of a row. The order of draws is part of the model.
func (p *people) make(row int64, h *person) {
	r := randomAt(p.seed, row)
	*h = person{row: row}
	p.makeBasics(&r, h)
	v := &h.value
	v[colMarital] = p.marital[v[colSex]][h.band].draw(&r)
	v[colRelationship] = p.relationship[familyKind(h)].draw(&r)
	p.makeWork(&r, h)
	v[colIncome] = p.drawIncome(&r, h)
	p.makeNulls(&r, h)
}

func (p *people) makeBasics(r *random, h *person) {
	v := &h.value
	if r.below(100) >= 34 {
		v[colSex] = 1
	}
	v[colAge] = p.age.draw(r)
	age := int64(v[colAge]) + youngest
	h.band = above(age, 19, 24, 34, 54, 64)
	v[colBirth] = uint32(birthday(age, int64(r.below(365))) - p.oldestBirth)
	v[colRace] = p.race.draw(r)
	v[colCountry] = p.country[v[colRace]].draw(r)
	v[colZip] = p.zip.place.draw(r)
	v[colEducation] = p.education[h.band].draw(r)
	v[colEducationNum] = v[colEducation]
	h.schooling = above(int64(v[colEducation]), 7, 11, 12)
	first := v[colSex]*uint32(len(femaleNames)) + uint32(r.below(uint64(len(femaleNames))))
	v[colName] = first*uint32(len(lastNames)) + uint32(r.below(uint64(len(lastNames))))
}

// birthday returns a day on which somebody of the given age was born.
func birthday(age, days int64) int64 { return censusDay - age*1461/4 - days }

// above returns how many of some ascending limits a number is above.
func above(n int64, limits ...int64) uint32 {
	at, _ := slices.BinarySearch(limits, n)
	return uint32(at)
}

// familyKind returns the row of relationshipWeights that holds for a person.
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

func (p *people) makeWork(r *random, h *person) {
	v := &h.value
	v[colWorkclass] = p.workclass[h.schooling].draw(r)
	v[colOccupation] = p.occupation[v[colSex]][h.schooling].draw(r)
	v[colHours] = p.hours[hourKind(h)].draw(r)
	if chance := 30 + 15*uint64(v[colEducation]); r.below(2600) < chance && v[colAge]+youngest >= 22 {
		v[colGain] = p.gain.draw(r)
	} else if r.below(1000) < 47 {
		v[colLoss] = p.loss.draw(r)
	}
}

// hourKind returns the row of hourPeaks that holds for a person.
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

// makeNulls takes away what a census does not always learn, after everything has been drawn.
func (p *people) makeNulls(r *random, h *person) {
	x := r.next()
	chance := uint64(40) // of 1024
	if h.band == 0 || h.band == 5 {
		chance = 190
	}
	noWork := x&1023 < chance
	h.null[colWorkclass], h.null[colOccupation] = noWork, noWork
	h.null[colCountry] = x>>10&1023 < 18
	h.null[colBirth] = x>>20&1023 < 8
}
