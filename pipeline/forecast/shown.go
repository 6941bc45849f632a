package forecast

import (
	"math"

	"github.com/kcut/kcut/pipeline/risk"
)

// Shown returns the number of rows of a value of a column that only rows with one value of another
// column have, if they are so many, a part of the rows with that value at least, and more than by
// chance. It is that of the value with most rows, or 0.
func (s *Sample) Shown(column, other int, least int, part float64) (most int) {
	others := s.columns[other].rows
	with, rows, first := make(map[uint64]int), make(map[uint64]int), make(map[uint64]uint64)
	for row, h := range s.columns[column].rows {
		with[others[row]]++
		if rows[h]++; rows[h] == 1 {
			first[h] = others[row]
		} else if first[h] != others[row] {
			rows[h] = math.MinInt // from now on, too
		}
	}
	for h, n := range rows {
		of := with[first[h]]
		if h != risk.Null && n >= least && float64(n) >= part*float64(of) &&
			float64(n)*math.Log2(float64(len(others))/float64(of)) >= byChance {
			most = max(most, n)
		}
	}
	return most
}
