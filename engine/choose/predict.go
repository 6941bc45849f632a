package choose

import (
	"cmp"
	"fmt"
	"time"
)

// judgeCost is the cost of judging a candidate in a round without its search, in nanoseconds for
// every distinct tuple and every attribute.
const judgeCost = 40

// Predict returns, for every candidate that may be chosen, an upper bound of the time for choosing:
// for its searches of training parts, the judging, and the search of the whole table. The table has
// at least the given number of records, with a number of distinct tuples of all attributes. For
// large tables the prediction is right within a factor of 1.5; machines differ as much.
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
			judging := e.round(c, size, tuples, attributes)
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
	return searching + s.Fitting(tuples)*float64(attributes)
}

// round returns the nanoseconds of judging a candidate in one round, with a number of records.
func (e Engine) round(c *Candidate, size uint64, tuples, attributes int) float64 {
	trained := min(tuples, int(size)*trainFolds(size, uint64(e.most()))/folds)
	judging := judgeCost * float64(min(tuples, int(size))*attributes)
	return judging + c.judged().predict(trained, attributes)
}

// mostRounds is the largest number of rounds of a contest: more show little that is new.
const mostRounds = 5

// rounds returns the largest number of rounds of a contest: as many as are predicted to take half
// the time of the searches of all candidates but the longest, at least one. So choosing does not
// take longer than trying them all, even where these searches take half as long as predicted, since
// the classes depend on little.
func (e Engine) rounds(open []*Candidate, size uint64, tuples, attributes int) int {
	round, all, longest := 0.0, 0.0, 0.0
	for _, c := range open {
		search := c.predict(tuples, attributes)
		round += e.round(c, size, tuples, attributes)
		all, longest = all+search, max(longest, search)
	}
	return max(1, min(mostRounds, int((all-longest)/2/max(1, round))))
}

// most returns the largest number of records by which candidates are judged.
func (e Engine) most() int { return cmp.Or(e.Most, MostJudged) }

// admit returns the estimates of all candidates before they are judged. It leaves out those that
// are barred, and those that are predicted to exceed the time, but never the first candidate.
func (e Engine) admit(records uint64, tuples, attributes int) []Estimate {
	estimates, all := make([]Estimate, len(e.Candidates)), time.Duration(0)
	for i, predicted := range e.Predict(records, tuples, attributes) {
		x := &estimates[i]
		x.Predicted, x.LeftOut = predicted, e.Candidates[i].Barred
		x.Trusted = e.Candidates[i].Trusted && e.Objective == Classification
		switch {
		case x.LeftOut != "":
		case e.Time > 0 && all > 0 && all+predicted > e.Time:
			x.LeftOut = fmt.Sprintf("it is predicted to take %s, of which limits.time leaves %s",
				predicted.Round(time.Millisecond),
				(e.Time - min(all, e.Time)).Round(time.Millisecond))
		default:
			all += predicted
		}
	}
	return estimates
}
