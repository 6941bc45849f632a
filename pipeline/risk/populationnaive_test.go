package risk

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kcut/kcut/engine/enginetest"
)

// TestEstimatesAgreeWithNaive compares the estimates of random tables with those of loops over the
// rows and the people, as the models are written.
func TestEstimatesAgreeWithNaive(t *testing.T) {
	var compared struct{ pitman, zayatz, snb int }
	enginetest.Cases(t, enginetest.Naive(100), func(rng *rand.Rand) {
		rows := make([]uint64, 2+rng.IntN(200))
		for row := range rows {
			rows[row] = uint64(float64(1+len(rows)) * math.Pow(rng.Float64(), 1+4*rng.Float64()))
		}
		n := newNaiveSample(rows, len(rows)*(1+rng.IntN(30))+rng.IntN(len(rows)))
		p := frequenciesOf(rows).estimate(int64(n.size))
		if n.ofSize[1] == 0 {
			return // nobody is alone
		}
		if got := p.Estimates[zayatz]; !isNear(got, min(n.zayatz(), 1), 1e-9) {
			t.Errorf("zayatz %v, want %v", got, n.zayatz())
		}
		compared.zayatz++
		if got, solved := p.Estimates[pitman]; solved {
			compared.pitman += n.checkPitman(t, frequenciesOf(rows), got)
		}
		if got, solved := p.Estimates[snb]; solved && got < 1 && n.ofSize[2] > 0 {
			n.checkSNB(t, got)
			compared.snb++
		}
	})
	if compared.zayatz < 50 || compared.pitman < 30 || compared.snb < 20 {
		t.Errorf("%+v compared", compared)
	}
}

// isNear reports whether two numbers are equal up to a part of the second.
func isNear(a, b, part float64) bool { return math.Abs(a-b) <= part*math.Abs(b) }

// naiveSample is a sample of a population.
type naiveSample struct {
	people, size int
	classes      []int       // the sizes of its classes
	ofSize       map[int]int // the number of classes, by size
}

func newNaiveSample(rows []uint64, size int) *naiveSample {
	n := &naiveSample{people: len(rows), size: size, ofSize: make(map[int]int)}
	members := make(map[uint64]int)
	for _, class := range rows {
		members[class]++
	}
	for _, size := range members {
		n.classes = append(n.classes, size)
		n.ofSize[size]++
	}
	return n
}

// zayatz is Bayes' rule: of the people who are alone in a sample, those who are alone in the
// population.
func (n *naiveSample) zayatz() float64 {
	alone := 0.0 // expected classes with one person in the sample, if they are as large as it says
	for _, j := range n.classes {
		p := float64(j) * float64(n.people) / float64(n.size)
		for i := 1; i < j; i++ {
			p *= max(float64(n.size-n.people-i+1), 0) / float64(n.size-i)
		}
		alone += p
	}
	fraction := float64(n.people) / float64(n.size)
	s1 := float64(n.ofSize[1])
	return s1 * (s1 * fraction / alone) / fraction / float64(n.size)
}

// checkPitman checks that no other parameters have a larger likelihood, and the share. It returns 1
// if the parameters are between the ends of their ranges.
func (n *naiveSample) checkPitman(t *testing.T, f frequencies, got float64) int {
	theta, alpha := f.pitmanParameters()
	byTheta, byAlpha, scale := 0.0, 0.0, 0.0 // derivatives of the likelihood's logarithm
	for i := 1; i < len(n.classes); i++ {
		byTheta += 1 / (theta + float64(i)*alpha)
		byAlpha += float64(i) / (theta + float64(i)*alpha)
	}
	scale = byTheta
	for i := 1; i < n.people; i++ {
		byTheta -= 1 / (theta + float64(i))
	}
	for _, j := range n.classes {
		for i := 1; i < j; i++ {
			byAlpha -= 1 / (float64(i) - alpha)
		}
	}
	if alpha < 1e-4 || alpha > 1-1e-4 || theta > 1e6 || theta+alpha < 1e-6 {
		return 0
	}
	if math.Abs(byTheta) > 1e-6*scale || math.Abs(byAlpha) > 1e-4*float64(n.people) {
		t.Errorf("θ %v, α %v: derivatives %v and %v", theta, alpha, byTheta, byAlpha)
	}
	share := 1.0
	for i := range n.size - 1 {
		share *= (theta + alpha + float64(i)) / (theta + 1 + float64(i))
	}
	if !isNear(got, min(share, 1), 1e-6) {
		t.Errorf("θ %v, α %v: pitman %v, want %v", theta, alpha, got, share)
	}
	return 1
}

// checkSNB checks that some parameters with this share of unique people let the model expect the
// classes of one person, and of two, that the sample has.
func (n *naiveSample) checkSNB(t *testing.T, got float64) {
	fraction := float64(n.people) / float64(n.size)
	classes := n.shlosser(fraction)
	// α follows from β, since classes·β^α people are unique
	power := math.Log(got * float64(n.size) / classes)
	expected := func(logit float64) (one, two float64) {
		beta := 1 / (1 + math.Exp(-logit))
		alpha := power / math.Log(beta)
		p := math.Exp(power) // the share of classes with j people
		missing := 1.0       // the probability that none of j − 1 people are in the sample
		for j := 1.0; j < 20_000; j++ {
			if j > 1 {
				two += classes * p * j * (j - 1) / 2 * fraction * fraction * missing
				missing *= 1 - fraction
			}
			one += classes * p * j * fraction * missing
			rise := (alpha + j - 1) / j * (1 - beta)
			if p *= rise; rise*(1-fraction) < 1 && p*missing*j*j*classes < 1e-13 {
				break
			}
		}
		return one, two
	}
	s1, s2 := float64(n.ofSize[1]), float64(n.ofSize[2])
	off := func(logit float64) float64 {
		one, two := expected(logit)
		return math.Abs(one/s1-1) + math.Abs(two/s2-1)
	}
	const step = 0.1
	best := math.Inf(1)
	before, here, after := 0.0, off(-20-step), off(-20.0)
	for logit := -20.0; logit < 20; logit += step {
		if before, here, after = here, after, off(logit+step); here > before || here > after {
			continue
		}
		low, high := logit-step, logit+step // around the least difference
		for range 60 {
			third := (high - low) / 3
			if off(low+third) < off(high-third) {
				high -= third
			} else {
				low += third
			}
		}
		best = min(best, off(low))
	}
	if best > 1e-4 {
		t.Errorf("snb %v: %v and %v classes of one and two people, off by %v", got, s1, s2, best)
	}
}

// shlosser is the estimated number of classes of the population.
func (n *naiveSample) shlosser(q float64) float64 {
	var a, b, c, d float64
	for _, size := range n.classes {
		i := float64(size)
		a += i * q * q * math.Pow(1-q*q, i-1)
		b += math.Pow(1-q, i) * (math.Pow(1+q, i) - 1)
		c += math.Pow(1-q, i)
		d += i * q * math.Pow(1-q, i-1)
	}
	if c == 0 {
		return float64(len(n.classes))
	}
	return float64(len(n.classes)) + float64(n.ofSize[1])*a/b*(c/d)*(c/d)
}
