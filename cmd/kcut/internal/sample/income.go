package sample

import (
	"fmt"
	"math/bits"
)

// incomePoints is the number of different scores; see score.
const incomePoints = 64

// educationPoints and occupationPoints say what speaks for a higher income.
var (
	educationPoints  = [...]int{-12, -10, -9, -8, -7, -6, -6, -5, 0, 2, 4, 5, 11, 14, 19, 20}
	occupationPoints = [...]int{0, 1, 8, -8, -7, -4, -8, -12, 6, 4, 3, 4, -1, 0}
	ageBandPoints    = [...]int{-20, -12, -2, 4, 4, -1}
	workclassPoints  = [...]int{0, -3, 6, 3, -1, 0, -15}
)

// drawIncome returns 1 for the higher income: a logistic model of everything drawn before.
func (p *people) drawIncome(r *random, h *person) uint32 {
	points := min(max(p.score(h), 0), incomePoints-1)
	if uint32(r.next()>>48) < p.incomeAbove[points] {
		return 1
	}
	return 0
}

// score adds up what speaks for a higher income.
func (p *people) score(h *person) int {
	v := &h.value
	points := 20 + educationPoints[v[colEducation]] + occupationPoints[v[colOccupation]] +
		ageBandPoints[h.band] + workclassPoints[v[colWorkclass]] + p.zip.points[v[colZip]]
	if v[colMarital] == maritalMarried {
		points += 15
	}
	points += min(max(int(v[colHours])+1-40, -20), 20) / 2
	switch {
	case capitalGains[v[colGain]] >= 5000:
		points += 40
	case capitalLosses[v[colLoss]] >= 1800:
		points += 8
	}
	return points
}

// incomeOdds returns the probability of the higher income for every score, times 2^16:
// one in two at incomeEven points, the odds growing by a fifth every point. It is computed
// in integers, so that every machine agrees.
func incomeOdds() (above [incomePoints]uint32) {
	const incomeEven = 45
	odds := uint64(1 << 32)
	for i := incomeEven; i >= 0; i-- {
		above[i] = share16(odds)
		odds = odds * 5 / 6
	}
	odds = 1 << 32
	for i := incomeEven + 1; i < incomePoints; i++ {
		odds = odds * 6 / 5
		above[i] = share16(odds)
	}
	return above
}

// share16 turns odds in units of 2^−32 into a probability in units of 2^−16.
func share16(odds uint64) uint32 {
	high, low := bits.Mul64(odds, 1<<16)
	share, _ := bits.Div64(high, low, odds+1<<32)
	return uint32(share)
}

// zipModel is a made-up country of postal codes: ten regions of seven areas of twelve codes.
type zipModel struct {
	texts  []string
	points []int // what a code's area adds to the score of income
	place  alias
}

const (
	zipAreas = 7
	zipCodes = 12
)

// newZipModel draws the country. It is the same one for every seed of people.
func newZipModel() zipModel {
	var m zipModel
	var weights []uint64
	r := random(1)
	for region := range 10 {
		regionWealth := int(r.below(15)) - 7
		for area := range zipAreas {
			prefix := region*100 + area*14 + int(r.below(14))
			wealth := regionWealth + int(r.below(9)) - 4
			size := 4 + r.below(20)
			for code := range zipCodes {
				text := prefix*100 + code*8 + int(r.below(8))
				m.texts = append(m.texts, fmt.Sprintf("%05d", text))
				m.points = append(m.points, wealth)
				weights = append(weights, size*(1+r.below(9)))
			}
		}
	}
	m.place = newAlias(weights)
	return m
}
