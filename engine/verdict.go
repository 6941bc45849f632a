package engine

import "math"

// Verdict is how classes meet a limit.
type Verdict struct {
	Limit
	Worst   float64 // figure, of the class in which it is worst; 0: there is no class
	Broken  bool    // a class does not meet the limit
	classes bool    // there is one
}

// Add takes a class into account.
func (v *Verdict) Add(class Histogram) {
	figure, meets := v.Judge(class)
	if v.classes {
		figure = v.worse(v.Worst, figure)
	}
	v.Worst, v.Broken, v.classes = figure, v.Broken || !meets, true
}

// WorstOf returns the figures of limits in the classes where they are worst, without infinite ones.
func WorstOf(verdicts []Verdict) (all Measurements) {
	for i := range verdicts {
		if worst := &verdicts[i].Worst; !math.IsInf(*worst, 0) {
			*verdicts[i].at(&all) = worst
		}
	}
	return all
}
