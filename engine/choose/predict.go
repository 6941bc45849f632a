package choose

import (
	"cmp"
	"fmt"
	"time"
)

// judgeCost is what judging a candidate takes beside its searches, in nanoseconds for every distinct tuple that is judged and every
// attribute.
const judgeCost = 250

// Predict returns what choosing takes for every candidate that may be chosen, of a table with so many distinct tuples of all attributes:
// its searches of training parts, the judging, and the search of the whole table. A table that is large enough
// makes it right by half; machines differ as much.
func (e Engine) Predict(tuples, attributes int) []time.Duration {
	predicted := make([]time.Duration, len(e.Candidates))
	judged := min(tuples, e.most())
	for i, c := range e.Candidates {
		if c.Barred == "" {
			judging := float64(folds * judgeCost * judged * attributes)
			predicted[i] = time.Duration(folds*c.predict(judged*(folds-1)/folds, attributes) + judging + c.predict(tuples, attributes))
		}
	}
	return predicted
}

// predict returns the nanoseconds of a search.
func (c *Candidate) predict(tuples, attributes int) float64 {
	searching := c.Cost * float64(tuples*attributes)
	if c.Fitting == nil {
		return searching
	}
	return searching + c.Fitting(min(tuples, MostJudged))*float64(attributes)
}

// most returns how many records candidates are judged by.
func (e Engine) most() int { return cmp.Or(e.Most, MostJudged) }

// admit returns the estimates of all candidates, none of which is judged yet. Those that are barred are left out, and those
// with which it is predicted to take more than the time there is: the first one never is.
func (e Engine) admit(tuples, attributes int) []Estimate {
	estimates, all := make([]Estimate, len(e.Candidates)), time.Duration(0)
	for i, predicted := range e.Predict(tuples, attributes) {
		x := &estimates[i]
		x.Predicted, x.LeftOut = predicted, e.Candidates[i].Barred
		switch {
		case x.LeftOut != "":
		case e.Time > 0 && all > 0 && all+predicted > e.Time:
			x.LeftOut = fmt.Sprintf("it is predicted to take %s, of which limits.time leaves %s", predicted.Round(time.Millisecond), (e.Time - min(all, e.Time)).Round(time.Millisecond))
		default:
			all += predicted
		}
	}
	return estimates
}
