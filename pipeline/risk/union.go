package risk

import (
	"cmp"
	"math"
	"slices"
)

// Union is the disclosure risk of a release's rows if somebody knows the labels of all masked
// columns.
type Union struct {
	Unique float64 `json:"unique"`  // share of the rows without an equal row
	BelowK float64 `json:"below_k"` // share of the rows in classes of fewer than the smallest k
	// Part is the share of the classes that was counted and represents all; 0: all were counted.
	// Error is the largest error of the shares in 19 of 20 tables.
	Part  float64 `json:"part_counted,omitempty"`
	Error float64 `json:"error,omitempty"`
}

// Union returns figures on the labels of all masked columns in the form of a cut: shares have six
// decimals, and only a share of no rows is 0.
func (f *Figures) Union() *Union {
	digits := func(x float64) float64 {
		if x <= 0 {
			return 0
		}
		return math.Round(max(1, x*1e6)) / 1e6
	}
	return &Union{Unique: digits(f.Unique), BelowK: digits(f.Below), Part: f.Part,
		Error: digits(f.Error)}
}

// Pair is the share of rows in small classes for somebody who knows the labels of two sets.
type Pair struct {
	Sets   [2]int  `json:"sets"` // from 1 on
	K      int     `json:"k"`    // the smaller k of both
	Unique float64 `json:"unique"`
	Below  float64 `json:"below_k"`
}

// Compare orders pairs, the worst one first: the one with most rows in small classes, then the one
// with most rows that are alone, then the one with the smaller k, then the one whose sets come
// first. No two pairs of a release are equal.
func (p Pair) Compare(q Pair) int {
	return cmp.Or(cmp.Compare(q.Below, p.Below), cmp.Compare(q.Unique, p.Unique),
		cmp.Compare(p.K, q.K), slices.Compare(p.Sets[:], q.Sets[:]))
}
