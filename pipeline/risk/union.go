package risk

import "math"

// Union says how well the rows of a release hide each other on the labels of all masked columns
// together, from who knows all of them.
type Union struct {
	Unique float64 `json:"unique"`  // share of the rows that are alone
	BelowK float64 `json:"below_k"` // share of the rows whose class has fewer than the smallest k
	// Part is the share of the classes that was counted and stands for all, and Error what the shares
	// are off by at most in 19 of 20 tables; 0: all classes were counted.
	Part  float64 `json:"part_counted,omitempty"`
	Error float64 `json:"error,omitempty"`
}

// Union returns figures on the labels of all masked columns in the form that a cut has: shares of
// six digits behind the point.
func (f *Figures) Union() *Union {
	digits := func(x float64) float64 { return math.Round(x*1e6) / 1e6 }
	return &Union{Unique: digits(f.Unique), BelowK: digits(f.Below), Part: f.Part, Error: digits(f.Error)}
}

// Pair says how many rows two sets together leave in classes that are too small, for who knows both.
type Pair struct {
	Sets   [2]int  `json:"sets"` // from 1 on
	K      int     `json:"k"`    // the smaller of both
	Unique float64 `json:"unique"`
	Below  float64 `json:"below_k"`
}
