package choose

import (
	"cmp"
	"fmt"
	"time"

	"github.com/kcut/kcut/engine/classify"
)

// Size is what the time of a search is predicted from.
type Size struct {
	Records    uint64
	Tuples     int // distinct tuples of all attributes
	Attributes int
	Classes    int
}

// overhead is the number of attributes whose work a tuple takes with no attribute at all.
const overhead = 4

// Work returns the number of codes to look at when every tuple is looked at once.
func (s Size) Work() float64 { return float64(s.Tuples) * s.width() }

func (s Size) width() float64 { return float64(s.Attributes + overhead) }

// The times of boosted trees, in nanoseconds: of a tuple's code in fitting a tree, of an
// attribute's splits in a tree, and of a tuple in judging by a tree.
const (
	fitCost   = 2.6
	splitCost = 1100
	judgeCost = 13
)

// Fitting returns the nanoseconds of fitting a number of trees.
func (s Size) Fitting(trees int) float64 {
	return float64(trees) * (float64(fitCost*s.Work()) + float64(splitCost*s.width()))
}

// Predict returns, for every candidate that may be chosen, an estimate of the time for choosing:
// for its searches of training parts, the judging, and the search of the whole table. It is right
// within a factor of 2 on most tables; machines differ as much. Multiplications are rounded before
// additions, so that every machine has as many rounds.
func (e Engine) Predict(size Size) []time.Duration {
	predicted := make([]time.Duration, len(e.Candidates))
	var open []*Candidate
	for i := range e.Candidates {
		if c := &e.Candidates[i]; c.Barred == "" {
			open = append(open, c)
		}
	}
	rounds := float64(e.rounds(open, size))
	for i := range e.Candidates {
		if c := &e.Candidates[i]; c.Barred == "" {
			predicted[i] = time.Duration(float64(rounds*e.round(c, size)) + c.predict(size))
		}
	}
	return predicted
}

// predict returns the nanoseconds of a search.
func (s *Searcher) predict(size Size) float64 {
	searching := float64(s.Cost * size.Work())
	if s.Guiding == nil {
		return searching
	}
	return searching + s.Guiding(size)
}

// round returns the nanoseconds of judging a candidate of a table in one round.
func (e Engine) round(c *Candidate, size Size) float64 {
	judged := min(size.Records, uint64(e.most()))
	trained := size
	trained.Records = judged * uint64(trainFolds(judged, uint64(e.most()))) / folds
	trained.Tuples = min(size.Tuples, int(trained.Records))
	trees := classify.Boosted{Brief: true}.Trees(size.Classes)
	tuples := min(size.Tuples, int(judged))
	judging := float64(judgeCost*float64(tuples)) + float64(splitCost*size.width())
	return c.judged().predict(trained) + float64(float64(trees)*judging)
}

// mostRounds is the largest number of rounds of a contest: more show little that is new.
const mostRounds = 5

// shareOfAll is the largest predicted time for choosing and the search of the candidate that takes
// longest, as a share of the searches of all candidates. It leaves a tenth for wrong
// predictions: no choice may take 1.2 times as long as these searches.
const shareOfAll = 1.1

// rounds returns the largest number of rounds of a contest: as many as keep the time within the
// share. There may be none if a candidate is trusted; else nothing but a round shows which one to
// take.
func (e Engine) rounds(open []*Candidate, size Size) int {
	round, all, longest, least := 0.0, 0.0, 0.0, 1
	for _, c := range open {
		search := c.predict(size)
		round += e.round(c, size)
		all, longest = all+search, max(longest, search)
		if e.trusts(c) {
			least = 0
		}
	}
	return max(least, min(mostRounds, int((float64(shareOfAll*all)-longest)/max(1, round))))
}

// trusts reports whether a candidate is trusted by the objective.
func (e Engine) trusts(c *Candidate) bool { return c.Trusted && e.Objective == Classification }

// most returns the largest number of records by which candidates are judged.
func (e Engine) most() int { return cmp.Or(e.Most, MostJudged) }

// admit returns the estimates of all candidates before they are judged. It leaves out those that
// are barred, and those that are predicted to exceed the time, but never the first candidate.
func (e Engine) admit(size Size) []Estimate {
	estimates, all := make([]Estimate, len(e.Candidates)), time.Duration(0)
	for i, predicted := range e.Predict(size) {
		x := &estimates[i]
		x.Predicted, x.LeftOut = predicted, e.Candidates[i].Barred
		x.Trusted, x.Blank = e.trusts(&e.Candidates[i]), true
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
