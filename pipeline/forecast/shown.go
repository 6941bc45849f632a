package forecast

import (
	"math"

	"github.com/kcut/kcut/pipeline/risk"
)

// Shown returns the number of rows of a value of a column that only rows with one value of another
// column have. The number is at least least, at least a part of the rows with the other value, and
// larger than chance makes it. Of several values the one with most rows counts; 0: there is none.
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
