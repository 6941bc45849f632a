package forecast

import (
	"math"
	"slices"
)

// Sighting is what an excerpt shows of values or tuples.
type Sighting struct {
	Rows     int64
	Distinct int64
	Once     int64 // distinct ones that one row has
	Twice    int64 // that two rows have
}

// See counts values, which are sorted by that.
func See(values []uint64) Sighting {
	slices.Sort(values)
	s := Sighting{Rows: int64(len(values))}
	for i := 0; i < len(values); {
		first := i
		for i++; i < len(values) && values[i] == values[first]; i++ {
		}
		s.Distinct++
		switch i - first {
		case 1:
			s.Once++
		case 2:
			s.Twice++
		}
	}
	return s
}

// Extrapolate returns how many distinct ones so many rows have.
//
// At most: a next row is new with a probability of Once/Rows (Good 1953), and the more rows
// were seen the smaller is that. At least: those never seen number Once²/(2 Twice) or more
// (Chao 1984), of which the remaining rows meet their part (Colwell and others 2012).
func (s Sighting) Extrapolate(rows int64) Range {
	left := float64(max(rows-s.Rows, 0))
	if left == 0 || s.Once == 0 {
		return Exactly(s.Distinct)
	}
	seen, once := float64(s.Distinct), float64(s.Once)
	discovery := once / float64(s.Rows)
	unseen := once * (once - 1) / 2
	if s.Twice > 0 {
		unseen = once * once / (2 * float64(s.Twice))
	}
	met := 0.0
	if unseen > 0 {
		met = -unseen * math.Expm1(left*math.Log1p(-once/(float64(s.Rows)*unseen+once)))
	}
	return Range{toInt(seen + met), toInt(seen + left*discovery)}.within(Range{s.Distinct, rows})
}
