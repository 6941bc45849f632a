package choose

import (
	"cmp"
	"fmt"
	"time"
)

// judgeCost is what judging a candidate takes in a round beside its search, in nanoseconds for every distinct tuple that is judged and every
// attribute.
const judgeCost = 40

// Predict returns what choosing takes at most for every candidate that may be chosen, of a table of so many records, or more, with so many
// distinct tuples of all attributes: its searches of training parts, the judging, and the search of the whole table. A table that is
// large enough makes it right by half; machines differ as much.
func (e Engine) Predict(records uint64, tuples, attributes int) []time.Duration {
	predicted := make([]time.Duration, len(e.Candidates))
	var open []*Candidate
	for i := range e.Candidates {
		if c := &e.Candidates[i]; c.Barred == "" {
			open = append(open, c)
		}
	}
	size := min(records, uint64(e.most()))
	rounds := float64(e.rounds(open, size, tuples, attributes))
	for i := range e.Candidates {
		if c := &e.Candidates[i]; c.Barred == "" {
			judging := e.round(c, c.judged(), size, tuples, attributes)
			if e.mayJudgeAgain(size) {
				judging += e.round(c, &c.Searcher, size, tuples, attributes)
			}
			predicted[i] = time.Duration(rounds*judging + c.predict(tuples, attributes))
		}
	}
	return predicted
}

// predict returns the nanoseconds of a search.
func (s *Searcher) predict(tuples, attributes int) float64 {
	searching := s.Cost * float64(tuples*attributes)
	if s.Fitting == nil {
		return searching
	}
	return searching + s.Fitting(min(tuples, MostJudged))*float64(attributes)
}

// round returns the nanoseconds of judging a candidate in one round by what a searcher finds, with so many records of a table.
func (e Engine) round(c *Candidate, by *Searcher, size uint64, tuples, attributes int) float64 {
	judged, trained := min(tuples, int(size)), int(size)*(folds-testFolds(size, uint64(e.most())))/folds
	return judgeCost*float64(judged*attributes) + by.predict(min(tuples, trained), attributes)
}

// rounds returns in how many rounds some candidates are judged at most: all folds or, where one round does with a part of the records
// for training, no more than are predicted to take, with the longest search, what the searches of all take. So choosing
// does not take longer than trying them all.
func (e Engine) rounds(open []*Candidate, size uint64, tuples, attributes int) int {
	if e.Objective != Classification {
		return folds
	}
	if testFolds(size, uint64(e.most())) == 1 {
		return folds
	}
	round, all, longest := 0.0, 0.0, 0.0
	for _, c := range open {
		search := c.predict(tuples, attributes)
		round, all, longest = round+e.round(c, c.judged(), size, tuples, attributes), all+search, max(longest, search)
	}
	return max(1, min(folds, int((all-longest)/max(1, round))))
}

// most returns how many records candidates are judged by.
func (e Engine) most() int { return cmp.Or(e.Most, MostJudged) }

// admit returns the estimates of all candidates, none of which is judged yet. Those that are barred are left out, and those
// with which it is predicted to take more than the time there is: the first one never is.
func (e Engine) admit(records uint64, tuples, attributes int) []Estimate {
	estimates, all := make([]Estimate, len(e.Candidates)), time.Duration(0)
	for i, predicted := range e.Predict(records, tuples, attributes) {
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
