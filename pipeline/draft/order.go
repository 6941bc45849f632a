package draft

import (
	"cmp"
	"math"
	"slices"
)

// sameOrder is the rank correlation from which two numbers order the rows nearly alike, as the
// radius and the area of the same thing do, and likeOrder that of numbers with the same first word.
const sameOrder, likeOrder = 0.95, 0.9

// oneOfEach moves numbers behind all other columns if an earlier one has nearly the same order, and
// returns these earlier ones. Columns that are asked for stay where they are.
func oneOfEach(columns []*Profile, asked func(p *Profile) bool) map[*Profile]*Profile {
	like, ranks := make(map[*Profile]*Profile), make(map[*Profile][]float64)
	var before, behind, first []*Profile
	for _, p := range columns {
		if p.typ.Ordered() && !p.isCode() && p.Field.Distinct > fewCodes {
			ranks[p] = ranksOf(p.numbers)
			at := slices.IndexFunc(first, func(earlier *Profile) bool {
				least := sameOrder
				if len(p.words) > 0 && len(earlier.words) > 0 && p.words[0] == earlier.words[0] {
					least = likeOrder
				}
				return correlation(ranks[earlier], ranks[p]) >= least
			})
			if at >= 0 && !asked(p) {
				like[p], behind = first[at], append(behind, p)
				continue
			}
			first = append(first, p)
		}
		before = append(before, p)
	}
	copy(columns, append(before, behind...))
	return like
}

// ranksOf returns the places of numbers in their order, the mean of them where several are the
// same, and NaN for NaN. Of many numbers it takes some.
func ranksOf(numbers []float64) []float64 {
	every := max(1, len(numbers)/mostCompared)
	var some []float64
	for row := 0; row < len(numbers); row += every {
		some = append(some, numbers[row])
	}
	order, ranks := make([]int, len(some)), make([]float64, len(some))
	for row := range order {
		order[row] = row
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(some[a], some[b]) })
	for i := 0; i < len(order); {
		begin := i
		for i++; i < len(order) && some[order[i]] == some[order[begin]]; i++ {
		}
		for _, row := range order[begin:i] {
			if ranks[row] = float64(begin+i-1) / 2; math.IsNaN(some[row]) {
				ranks[row] = math.NaN()
			}
		}
	}
	return ranks
}

// correlation returns the absolute value of the correlation of numbers in the rows that have both,
// and 0 if these are less than half.
func correlation(a, b []float64) float64 {
	var n, sumA, sumB float64
	both := func(use func(x, y float64)) {
		for row, x := range a {
			if y := b[row]; !math.IsNaN(x) && !math.IsNaN(y) {
				use(x, y)
			}
		}
	}
	both(func(x, y float64) { n, sumA, sumB = n+1, sumA+x, sumB+y })
	if 2*n < float64(len(a)) {
		return 0
	}
	var ofA, ofB, ofBoth float64
	both(func(x, y float64) {
		x, y = x-sumA/n, y-sumB/n
		ofA, ofB, ofBoth = ofA+float64(x*x), ofB+float64(y*y), ofBoth+float64(x*y)
	})
	if ofA == 0 || ofB == 0 {
		return 0
	}
	return math.Abs(ofBoth) / math.Sqrt(ofA*ofB)
}
