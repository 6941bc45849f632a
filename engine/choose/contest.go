package choose

import "math"

// contest is how candidates do on test records, alone and on the same ones.
type contest struct {
	estimates []Estimate
	in        []bool     // those that are still judged
	size      uint64     // the records that were dealt
	sums      []score    // by candidate
	squares   [][]uint64 // by two candidates: of the differences of their losses of records
}

// sure is the number of standard errors of the difference beyond which chance does not explain that
// a candidate does better than another one.
const sure = 3

// newContest returns one that is judged by a number of records.
func newContest(estimates []Estimate, size uint64) *contest {
	n := len(estimates)
	c := &contest{
		estimates: estimates, size: size, in: make([]bool, n), sums: make([]score, n),
		squares: make([][]uint64, n),
	}
	for i := range estimates {
		c.in[i], c.squares[i] = estimates[i].LeftOut == "", make([]uint64, n)
	}
	return c
}

// compare adds the losses of the test records of a round, of the candidates that were judged.
func (c *contest) compare(losses [][]uint32) {
	for i, own := range losses {
		for o, others := range losses[:i] {
			if own == nil || others == nil {
				continue
			}
			n := uint64(0)
			for record, loss := range own {
				difference := int64(loss) - int64(others[record])
				n += uint64(difference * difference)
			}
			c.squares[i][o], c.squares[o][i] = c.squares[i][o]+n, c.squares[o][i]+n
		}
	}
}

// drop ends the judging of candidates that are behind the best one by more than chance and a tie,
// and returns how many are left.
func (c *contest) drop() (left int) {
	best := c.best()
	for i, in := range c.in {
		if !in {
			continue
		}
		behind := c.sums[i].meanLoss() - c.sums[best].meanLoss()
		if c.in[i] = behind <= max(Tie, sure*c.deviation(i, best)); c.in[i] {
			left++
		}
	}
	return left
}

// best returns the candidate of the least loss among those that are still judged: the first of
// several; −1 if there is none.
func (c *contest) best() int {
	best := -1
	for i, in := range c.in {
		if in && (best < 0 || c.sums[i].loss < c.sums[best].loss) {
			best = i
		}
	}
	return best
}

// deviation returns the standard error of the difference of two candidates' losses, which were
// judged equally often. Records that are tested again show nothing new.
func (c *contest) deviation(i, o int) float64 {
	n := float64(c.sums[i].tested)
	mean := c.sums[i].meanLoss() - c.sums[o].meanLoss()
	squares := float64(c.squares[i][o]) / (lossUnit * lossUnit)
	variance := max(0, squares/n-float64(mean*mean))
	return math.Sqrt(variance / min(n, float64(c.size)))
}

// deviations returns the standard errors of all differences of losses.
func (c *contest) deviations() (all [][]float64) {
	for i := range c.sums {
		all = append(all, make([]float64, len(c.sums)))
		for o := range c.sums {
			if c.sums[i].tested > 0 && c.sums[i].tested == c.sums[o].tested {
				all[i][o] = c.deviation(i, o)
			}
		}
	}
	return all
}
