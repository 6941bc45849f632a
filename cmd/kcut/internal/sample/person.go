package sample

// person is one row of the sample: numbers of values in their domains, and which of them
// are missing.
type person struct {
	row                        int64
	age, born                  int64 // years; days since 1970-01-01
	sex, race, country, zip    uint32
	education, schooling, band uint32
	marital, relationship      uint32
	workclass, occupation      uint32
	hours, gain, loss, income  uint32
	firstName, lastName        uint32

	noWork, noCountry, noBirth bool
}

// Numbers of values that the model treats in a way of their own.
const (
	maritalMarried, maritalSingle         = 0, 1
	workSelfEmployed, workSelfEmployedInc = 1, 2
)

// make fills in the person of a row.
func (p *people) make(row int64, h *person) {
	r := randomAt(p.seed, row)
	*h = person{row: row}
	p.makeBasics(&r, h)
	p.makeFamily(&r, h)
	p.makeWork(&r, h)
	h.income = p.drawIncome(&r, h)
	p.makeNulls(&r, h)
}

func (p *people) makeBasics(r *random, h *person) {
	if r.below(100) >= 34 {
		h.sex = 1
	}
	h.age = youngest + int64(p.age.draw(r))
	h.band = ageBand(h.age)
	h.born = birthday(h.age, int64(r.below(365)))
	h.race = p.race.draw(r)
	h.country = p.country[h.race].draw(r)
	h.zip = p.zip.place.draw(r)
	h.education = p.education[h.band].draw(r)
	h.schooling = schooling(h.education)
	h.firstName = h.sex*uint32(len(femaleNames)) + uint32(r.below(uint64(len(femaleNames))))
	h.lastName = uint32(r.below(uint64(len(lastNames))))
}

// birthday returns a day on which somebody of the given age was born.
func birthday(age, days int64) int64 { return censusDay - age*1461/4 - days }

func ageBand(age int64) uint32 {
	band := uint32(0)
	for _, last := range [...]int64{19, 24, 34, 54, 64} {
		if age > last {
			band++
		}
	}
	return band
}

func schooling(education uint32) uint32 {
	switch {
	case education < 8:
		return 0
	case education < 12:
		return 1
	case education < 13:
		return 2
	}
	return 3
}

func (p *people) makeFamily(r *random, h *person) {
	h.marital = p.marital[h.sex][h.band].draw(r)
	h.relationship = p.relationship[familyKind(h)].draw(r)
}

// familyKind returns the row of relationshipWeights that holds for a person.
func familyKind(h *person) uint32 {
	switch {
	case h.marital == maritalMarried:
		return h.sex
	case h.marital == maritalSingle && h.band < 2:
		return 2
	case h.marital == maritalSingle:
		return 3
	}
	return 4
}

func (p *people) makeWork(r *random, h *person) {
	h.workclass = p.workclass[h.schooling].draw(r)
	h.occupation = p.occupation[h.sex][h.schooling].draw(r)
	h.hours = p.hours[hourKind(h)].draw(r)
	if chance := 30 + 15*uint64(h.education); r.below(2600) < chance && h.age >= 22 {
		h.gain = p.gain.draw(r)
	} else if r.below(1000) < 47 {
		h.loss = p.loss.draw(r)
	}
}

func hourKind(h *person) uint32 {
	switch {
	case h.age < 20 || h.age > 65:
		return 0
	case h.workclass == workSelfEmployed || h.workclass == workSelfEmployedInc:
		return 3
	}
	return 1 + h.sex
}

// makeNulls takes away what a census does not always learn, after everything has been drawn.
func (p *people) makeNulls(r *random, h *person) {
	x := r.next()
	chance := uint64(40) // of 1024
	if h.band == 0 || h.band == 5 {
		chance = 190
	}
	h.noWork = x&1023 < chance
	h.noCountry = x>>10&1023 < 18
	h.noBirth = x>>20&1023 < 8
}
