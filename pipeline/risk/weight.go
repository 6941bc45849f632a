package risk

import (
	"math"
	"math/bits"
)

// Weight is a sum of sampling weights. Sums do not depend on the order of additions: they are
// integers, with 64 bits after the point.
type Weight struct{ whole, part uint64 }

// WeightOf returns a weight, and whether it is one: a finite number above 0. Bits after the 64th
// after the point are left out, which no number from 1/2048 on has.
func WeightOf(w float64) (Weight, bool) {
	const mostWeight = 1 << 53 // a larger one would be a mistake, and sums must not overflow
	if !(w > 0 && w <= mostWeight) {
		return Weight{}, false
	}
	whole, part := math.Modf(w)
	return Weight{uint64(whole), uint64(math.Ldexp(part, 64))}, true
}

// Add adds a weight, that many times. A sum of more than 2⁶⁴−1 stays there.
func (w *Weight) Add(of Weight, times uint64) {
	var carry uint64
	high, low := bits.Mul64(of.part, times)
	over, whole := bits.Mul64(of.whole, times)
	w.part, carry = bits.Add64(w.part, low, 0)
	whole, carry = bits.Add64(whole, high, carry)
	over += carry
	if w.whole, carry = bits.Add64(w.whole, whole, 0); over+carry > 0 {
		*w = Weight{math.MaxUint64, math.MaxUint64}
	}
}

// Float returns the sum.
func (w Weight) Float() float64 { return float64(w.whole) + math.Ldexp(float64(w.part), -64) }

// Weighted is the risk of the rows of a sample: each stands for as many people of the population as
// its weight says, and these hide it.
type Weighted struct {
	Population float64 `json:"population"` // the sum of all weights
	// Simple is 1 divided by the weights of the row's class.
	Simple Risk `json:"simple"`
	// Individual is the estimate of Benedetti and Franconi (1998), as sdcMicro's indivRisk with
	// method approx: it takes into account that the size of a class in the population is unknown.
	Individual Risk `json:"individual"`
}

// WeightedClasses sums up the risks of the classes of a sample.
type WeightedClasses struct {
	population         Weight
	simple, individual riskSum
}

// riskSum is the risk of several classes' rows: the highest one, and the sum over the rows.
type riskSum struct{ highest, sum float64 }

func (s *riskSum) add(risk, rows float64) {
	s.highest = max(s.highest, risk)
	s.sum += float64(risk * rows)
}

// Add adds a class of rows and the sum of their weights. The order of classes determines the last
// bits of sums.
func (c *WeightedClasses) Add(rows int64, weight Weight) {
	n, of := float64(rows), weight.Float()
	c.population.Add(weight, 1)
	c.simple.add(SimpleRisk(of), n)
	c.individual.add(IndividualRisk(n, of), n)
}

// Figures returns the figures of a table of the given number of rows, all of whose classes were
// added.
func (c *WeightedClasses) Figures(rows int64) *Weighted {
	mean := func(s riskSum) Risk { return Risk{s.highest, s.sum / float64(max(rows, 1))} }
	return &Weighted{Population: c.population.Float(), Simple: mean(c.simple),
		Individual: mean(c.individual)}
}

// SimpleRisk is the risk of a row in a class that stands for a number of people.
func SimpleRisk(people float64) float64 { return min(1/people, 1) }

// IndividualRisk is the risk of a row in a class of rows that stand for a number of people: the
// mean of 1 divided by the size of the class in the population, given its size in the sample, with
// the closed form for larger classes that sdcMicro calls approx. If the rows stand for no more
// people than they are, or for hardly more, the risk is that of the sample: there the closed form
// is a small difference of large numbers.
func IndividualRisk(rows, people float64) float64 {
	p := rows / people // the estimated share of the class that was sampled
	switch odds := p / (1 - p); {
	case 1-p <= 1e-9:
		return 1 / rows
	case rows == 1:
		return odds * -math.Log(p)
	case rows == 2:
		return odds - float64(odds*odds*-math.Log(p))
	}
	return p / (rows - (1 - p))
}
