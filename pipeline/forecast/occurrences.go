package forecast

import (
	"math"
	"slices"
)

// Occurrences counts how often the distinct values or tuples of a sample occur. The sample has rows
// from several places of the input.
type Occurrences struct {
	Rows     int64
	Distinct int64
	Once     int64 // distinct values that occur in one row
	Twice    int64 // distinct values that occur in two rows
	Most     int64 // rows of the most frequent value
	Local    int64 // distinct values that occur in only one place; Once if there are few places

	Places      int64 // the number of places with rows; 0: too few for an estimate
	InTwoPlaces int64 // distinct values that occur in two places
}

// CountOccurrences counts the occurrences of values. The values of one place are adjacent, and each
// place ends at the next element of ends. CountOccurrences sorts the values.
func CountOccurrences(values []uint64, ends []int64) Occurrences {
	s := Occurrences{Rows: int64(len(values))}
	if len(ends) >= leastPlaces {
		s.countPlaces(values, ends)
	}
	slices.Sort(values)
	eachRun(values, func(_ uint64, n int) {
		s.Distinct++
		s.Most = max(s.Most, int64(n))
		switch n {
		case 1:
			s.Once++
		case 2:
			s.Twice++
		}
	})
	s.Local = max(s.Local, s.Once)
	return s
}

// countPlaces counts the distinct values that occur in one place and in two places.
func (s *Occurrences) countPlaces(values []uint64, ends []int64) {
	inPlaces, at := make([]uint64, 0, len(values)), int64(0)
	for _, end := range ends {
		place := values[at:end]
		slices.Sort(place)
		eachRun(place, func(value uint64, _ int) { inPlaces = append(inPlaces, value) })
		if at = end; len(place) > 0 {
			s.Places++
		}
	}
	slices.Sort(inPlaces)
	eachRun(inPlaces, func(_ uint64, n int) {
		switch n {
		case 1:
			s.Local++
		case 2:
			s.InTwoPlaces++
		}
	})
}

// leastPlaces is the smallest number of places for which CountOccurrences counts them.
const leastPlaces = 8

// eachRun calls f with each distinct value and the number of its occurrences. The values are
// sorted.
func eachRun(values []uint64, f func(value uint64, n int)) {
	for i := 0; i < len(values); {
		first := i
		for i++; i < len(values) && values[i] == values[first]; i++ {
		}
		f(values[first], i-first)
	}
}

// Extrapolate returns how many distinct values the given number of rows has.
//
// The upper bound: the next row has a new value with the probability Once/Rows (Good 1953), and
// this probability falls with every row. Rows with the same value may be adjacent. So a value that
// occurs in only one place counts as a value that occurs once.
//
// The lower bound: the sample lacks at least Once²/(2 Twice) values (Chao 1984). The remaining rows
// contain a part of them (Colwell and others 2012). The same estimate with places instead of rows,
// corrected for a small number of places (Chao 1987), may give a larger bound.
func (s Occurrences) Extrapolate(rows int64) Range {
	left := float64(max(rows-s.Rows, 0))
	if left == 0 || s.Local == 0 {
		return Exactly(s.Distinct)
	}
	seen, discovery := float64(s.Distinct), float64(s.Local)/float64(s.Rows)
	met := newValues(s.Once, s.Twice, s.Rows, left)
	if s.Places > 0 {
		places := float64(s.Places)
		leftPlaces := left / float64(s.Rows) * places
		byPlaces := newValues(s.Local, s.InTwoPlaces, s.Places, leftPlaces)
		met = max(met, (places-1)/places*byPlaces)
	}
	return Range{toInt(seen + met), toInt(seen + left*discovery)}.within(Range{s.Distinct, rows})
}

// newValues estimates how many new distinct values the units that are left contain. Units are rows
// or places. In the sampled units, once values occur in one unit and twice values in two units.
func newValues(once, twice, units int64, left float64) float64 {
	one := float64(once)
	unseen := one * (one - 1) / 2
	if twice > 0 {
		unseen = one * one / (2 * float64(twice))
	}
	if unseen <= 0 {
		return 0
	}
	return -unseen * math.Expm1(left*math.Log1p(-one/(float64(units)*unseen+one)))
}
