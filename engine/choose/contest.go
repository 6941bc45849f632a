package choose

import "math"

// contest is the errors of candidates on the same test records, over the rounds.
type contest struct {
	estimates []Estimate
	in        []bool  // by candidate: it is still judged
	size      uint64  // number of records that were dealt
	sums      []score // by candidate
	// by two candidates: number of test records that exactly one of them gets wrong
	apart [][]uint64
}

// sure is the number of standard errors by which a candidate must be worse than the best one so
// that it is judged no further, or, if it is trusted, is not chosen.
const sure = 3

// newContest returns a contest that is judged by a number of records.
func newContest(estimates []Estimate, size uint64) *contest {
	n := len(estimates)
	c := &contest{
		estimates: estimates,
		size:      size,
		in:        make([]bool, n),
		sums:      make([]score, n),
		apart:     make([][]uint64, n),
	}
	for i := range estimates {
		c.in[i], c.apart[i] = estimates[i].LeftOut == "", make([]uint64, n)
	}
	return c
}

// compare adds the errors of a round on the test records, for the candidates that were judged.
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

// drop stops judging candidates that are behind the best one by more than chance and a tie, and
// returns the number of those left.
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

// trust notes which candidate is trusted, if it is still judged, and the standard errors of the
// differences to the others' losses: also for those that were dropped in the last round, since they
// may be chosen.
func (c *contest) trust(trusted int) {
	for i := range c.estimates {
		x := &c.estimates[i]
		x.Trusted, x.Chance = i == trusted && c.in[i], 0
		if x.LeftOut == "" {
			x.Chance = c.deviation(i, trusted)
		}
	}
}

// best returns the candidate with the fewest errors among those still judged, the first of several;
// −1 if there is none.
func (c *contest) best() int {
	best := -1
	for i, in := range c.in {
		if in && (best < 0 || c.sums[i].wrong < c.sums[best].wrong) {
			best = i
		}
	}
	return best
}

// deviation returns the standard error of the difference between two candidates' errors (McNemar,
// 1947), from the number of records that exactly one of them gets wrong. Testing a record again
// adds no information.
func (c *contest) deviation(i, o int) float64 {
	tested := float64(c.sums[i].tested)
	return math.Sqrt(float64(c.apart[i][o])*max(1, tested/float64(c.size))) / tested
}
