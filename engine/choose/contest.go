package choose

import "math"

// contest is what candidates get wrong, of all test records and of the same ones.
type contest struct {
	estimates []Estimate
	in        []bool     // those that are still judged
	size      uint64     // the records that were dealt
	sums      []score    // by candidate
	apart     [][]uint64 // by candidate and candidate: the test records that one of them gets wrong and the other does not
}

// sure is how many standard errors a candidate must be behind the best one to be judged no further and, if it is trusted, not to be chosen.
const sure = 3

// newContest returns one that is judged by so many records.
func newContest(estimates []Estimate, size uint64) *contest {
	n := len(estimates)
	c := &contest{estimates: estimates, size: size, in: make([]bool, n), sums: make([]score, n), apart: make([][]uint64, n)}
	for i := range estimates {
		c.in[i], c.apart[i] = estimates[i].LeftOut == "", make([]uint64, n)
	}
	return c
}

// compare adds the test records of a round that candidates, those that were judged, get wrong.
func (c *contest) compare(missed [][]bool) {
	for i, own := range missed {
		for o, others := range missed[:i] {
			if own == nil || others == nil {
				continue
			}
			n := uint64(0)
			for record, wrong := range own {
				if wrong != others[record] {
					n++
				}
			}
			c.apart[i][o], c.apart[o][i] = c.apart[i][o]+n, c.apart[o][i]+n
		}
	}
}

// drop ends the judging of candidates that are behind the best one by more than chance and a tie, and returns how many are left.
func (c *contest) drop() (left int) {
	best := c.best()
	for i, in := range c.in {
		if !in {
			continue
		}
		behind := float64(c.sums[i].wrong-c.sums[best].wrong) / float64(c.sums[i].tested)
		if c.in[i] = behind <= max(Tie, sure*c.deviation(i, best)); c.in[i] {
			left++
		}
	}
	return left
}

// trust notes which candidate is trusted, if it is still judged, and what chance may have made of
// the others' losses: also of those that were dropped in the last round, which may be chosen.
func (c *contest) trust(trusted int) {
	for i := range c.estimates {
		x := &c.estimates[i]
		x.Trusted, x.Chance = i == trusted && c.in[i], 0
		if x.LeftOut == "" {
			x.Chance = c.deviation(i, trusted)
		}
	}
}

// best returns the candidate, of those that are still judged, that gets the least wrong: the first of several; −1 if there is none.
func (c *contest) best() int {
	best := -1
	for i, in := range c.in {
		if in && (best < 0 || c.sums[i].wrong < c.sums[best].wrong) {
			best = i
		}
	}
	return best
}

// deviation returns the standard error of the difference of two candidates' errors (McNemar, 1947): that of the number of records that
// only one of both gets wrong. Records that are tested again tell nothing new.
func (c *contest) deviation(i, o int) float64 {
	tested := float64(c.sums[i].tested)
	return math.Sqrt(float64(c.apart[i][o])*max(1, tested/float64(c.size))) / tested
}
