package risk

import (
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/kcut/kcut/internal/text"
)

// Population is an estimate of how many people are unique in the population from which the rows of
// a table are a random sample without replacement. It follows from the sizes of the table's
// classes and from the size of the population alone.
type Population struct {
	Size int64 `json:"size"` // people
	// Unique is the estimated share of the population who are unique, by the estimator that the
	// rule of Dankar et al. chooses.
	Unique    float64 `json:"unique"`
	Estimator string  `json:"estimator"`
	// Error is twice the standard error of Unique, for another sample from the same population. It
	// does not include the error of the estimator's assumptions.
	Error float64 `json:"error"`

	// Estimates are those of all estimators that have a solution, by name.
	Estimates map[string]float64 `json:"estimates"`
}

// estimators have the functions of all estimators by name, from the frequencies of a sample and its
// share of the population to the share of unique people. NaN: there is no solution.
var estimators = map[string]func(frequencies, float64) float64{
	pitman: frequencies.pitman, zayatz: frequencies.zayatz, snb: frequencies.snb,
}

const pitman, zayatz, snb = "pitman", "zayatz", "snb"

// String returns the estimate with its error and its estimator.
func (p *Population) String() string {
	return fmt.Sprintf("%s (give or take %s, by estimator %s)", text.Percent(p.Unique),
		text.Percent(p.Error), p.Estimator)
}

// mostPitman is the largest sampling fraction at which Pitman's estimator is used (Dankar, El Emam,
// Neisa, Roffey: Estimating the re-identification risk of clinical data sets, BMC Medical
// Informatics and Decision Making 12:66, 2012, the decision rule in the results).
const mostPitman = 0.1

// Population estimates the unique people of a population of the given size, from which the given
// number of rows were drawn. It is not smaller than that number.
func (s *Sum) Population(size, rows int64) *Population {
	sizes := make(map[int64]int64)
	for _, slot := range s.slots.of {
		if slot.rows > 0 {
			sizes[int64(slot.rows)]++
		}
	}
	return newFrequencies(rows, sizes, math.Ldexp(1, -int(s.zeros()))).estimate(size)
}

// Population estimates the unique people of a population of the given size, from which the given
// number of people were drawn. It is not smaller than that number. Sizes must have been collected.
func (c *ClassSizes) Population(size, people int64) *Population {
	return newFrequencies(people, c.Sizes, 1).estimate(size)
}

// estimate estimates the unique people of a population.
func (f frequencies) estimate(size int64) *Population {
	fraction := f.people / float64(size)
	p := &Population{Size: size, Estimator: zayatz, Estimates: make(map[string]float64)}
	for name, of := range estimators {
		if unique := of(f, fraction); !math.IsNaN(unique) {
			p.Estimates[name] = min(unique, 1)
		}
	}
	_, hasPitman := p.Estimates[pitman]
	low, hasSNB := p.Estimates[snb]
	switch {
	case fraction <= mostPitman && hasPitman:
		p.Estimator = pitman
	case fraction > mostPitman && hasSNB && low < p.Estimates[zayatz]:
		p.Estimator = snb
	}
	if p.Unique = p.Estimates[p.Estimator]; fraction < 1 {
		p.Error = 2 * f.deviation(estimators[p.Estimator], fraction)
	}
	return p
}

// deviation returns the standard error of an estimate by the jackknife: of n samples, each without
// one of the n people (Efron, Stein: The jackknife estimate of variance, Annals of Statistics 9,
// 1981), with the correction for samples without replacement. On average it is not smaller than the
// true one. All people of classes of a size are alike, and about alike are those of sizes between
// two powers of two.
func (f frequencies) deviation(
	of func(frequencies, float64) float64, fraction float64,
) float64 {
	const step = 1e-3
	whole, sum, squares := of(f, fraction), 0.0, 0.0
	for first, i := 0, 0; first < len(f.bySize); first = i {
		octave, people, classes := bits.Len64(uint64(f.bySize[first].size)), 0.0, 0.0
		for ; i < len(f.bySize) && bits.Len64(uint64(f.bySize[i].size)) == octave; i++ {
			classes += f.bySize[i].classes
			people += float64(f.bySize[i].size) * f.bySize[i].classes
		}
		change := (of(f.without(step, first, i), fraction) - whole) / (step * classes)
		if !math.IsNaN(change) {
			sum += people * change
			squares += people * change * change
		}
	}
	return math.Sqrt(max(squares-sum*sum/f.people, 0) * (1 - fraction))
}

// without returns the frequencies after one person has left each of a part of the classes of some
// sizes.
func (f frequencies) without(part float64, first, end int) frequencies {
	less := frequencies{people: f.people}
	for i, s := range f.bySize {
		if i < first || i >= end {
			less.add(s.size, s.classes)
			continue
		}
		less.people -= part * s.classes
		less.add(s.size-1, part*s.classes)
		less.add(s.size, (1-part)*s.classes)
	}
	return less
}

// frequencies are the numbers of classes by size.
type frequencies struct {
	people  float64     // in all classes
	classes float64     // of all sizes
	bySize  []frequency // in ascending order of sizes
}

// frequency is the number of classes of one size: s_j for size j.
type frequency struct {
	size    int64
	classes float64
}

// newFrequencies returns the frequencies of people in classes, of which a part was counted: a map
// from sizes to numbers of classes.
func newFrequencies(people int64, counted map[int64]int64, part float64) frequencies {
	f := frequencies{people: float64(people)}
	for _, size := range slices.Sorted(maps.Keys(counted)) {
		f.add(size, float64(counted[size])/part)
	}
	return f
}

// add adds classes of a size. No added size was larger.
func (f *frequencies) add(size int64, classes float64) {
	if size == 0 {
		return
	}
	f.classes += classes
	if last := len(f.bySize) - 1; last >= 0 && f.bySize[last].size == size {
		f.bySize[last].classes += classes
	} else {
		f.bySize = append(f.bySize, frequency{size, classes})
	}
}

// of returns the number of classes of a size.
func (f frequencies) of(size int64) float64 {
	for _, s := range f.bySize {
		if s.size >= size {
			if s.size == size {
				return s.classes
			}
			break
		}
	}
	return 0
}

// zayatz returns the estimate of the equivalence class model: the probability that a sample unique
// is a population unique, by Bayes' rule, if classes are as frequent in the population as in the
// sample, size by size (Zayatz: Estimation of the percent of unique population elements on a
// microdata file using the sample, US Bureau of the Census, RR-91/08, 1991; Dankar et al. 2012,
// appendix A).
func (f frequencies) zayatz(fraction float64) float64 {
	s1, n, all := f.of(1), f.people, 0.0
	if s1 == 0 {
		return 0
	}
	for _, s := range f.bySize {
		all += s.classes * oneOf(float64(s.size), n, n/fraction)
	}
	// s1·P(F=1|f=1)/fraction unique people, of n/fraction people
	return s1 / n * s1 * fraction / all
}

// oneOf returns the probability that a sample of n from a population has exactly one member of a
// class of j.
func oneOf(j, n, size float64) float64 {
	if size-j < n-1 {
		return 0
	}
	return j * n * math.Exp(logRise(size-n-j+2, j-1)-logRise(size-j+1, j))
}

// logRise returns log Γ(x+a) − log Γ(x) for positive x. Large x would leave no digits of the
// difference: Stirling's series has them.
func logRise(x, a float64) float64 {
	if x < 1000 {
		high, _ := math.Lgamma(x + a)
		low, _ := math.Lgamma(x)
		return high - low
	}
	y := x + a
	return (x-0.5)*math.Log1p(a/x) + a*(math.Log(y)-1) + (1/y-1/x)/12
}

// snb returns the estimate of the slide negative binomial model, in which the size of a class less
// 1 has a negative binomial distribution: P(F=j) = C(α+j−2, j−1) (1−β)^(j−1) β^α. The number K of
// the population's classes is Shlosser's estimate (Chen, Keller-McNulty: Estimation of
// identification disclosure risk in microdata, Journal of Official Statistics 14:1, 1998; Dankar et
// al. 2012, appendix A). α and β are such that a sample has the expected numbers of classes of 1
// and of 2 people. With the generating function G(z) = z(β/(1−(1−β)z))^α these numbers are
// KπG′(1−π) and Kπ²G″(1−π)/2 for a fraction π. K·β^α people are unique. NaN: there is no solution.
func (f frequencies) snb(fraction float64) float64 {
	if f.of(1) == 0 {
		return 0
	}
	return snbUniques(f.of(1), f.of(2), f.shlosser(fraction), fraction) * fraction / f.people
}

// snbUniques returns K·β^α for expected numbers of classes of a sample.
func snbUniques(s1, s2, k, fraction float64) float64 {
	// excess returns for β how many classes of 1 are expected too many, and log β^α; α is then
	// such that the ratio of both numbers of classes is right
	excess := func(beta float64) (float64, float64) {
		w := (1 - beta) * (1 - fraction)
		c := 2 * s2 / (fraction * s1) * (1 - w) / (1 - beta)
		b := 2 - w - c*w // wα² + bα = c(1−w)
		alpha := 2 * c * (1 - w) / (b + math.Sqrt(b*b+4*w*c*(1-w)))
		power := alpha * math.Log(beta)
		return k*fraction*math.Exp(power-alpha*math.Log1p(-w))*(1+alpha*w/(1-w)) - s1, power
	}
	at := func(logit float64) float64 { return 1 / (1 + math.Exp(-logit)) }
	const end, step = 20, 0.1
	before, _ := excess(at(end))
	for logit := end - step; logit >= -end; logit -= step {
		now, _ := excess(at(logit))
		if (now < 0) == (before < 0) {
			continue
		}
		low, high := logit, logit+step
		for range 60 {
			middle := (low + high) / 2
			if e, _ := excess(at(middle)); (e < 0) == (now < 0) {
				low = middle
			} else {
				high = middle
			}
		}
		_, power := excess(at(low))
		return k * math.Exp(power)
	}
	return math.NaN()
}

// shlosser returns Shlosser's modified estimate of the number of classes of the population (Haas,
// Stokes: Estimating the number of classes in a finite population, Journal of the American
// Statistical Association 93, 1998, estimator D_Sh3 in section 5).
func (f frequencies) shlosser(q float64) float64 {
	var a, b, c, d float64
	for _, s := range f.bySize {
		i := float64(s.size)
		none := math.Pow(1-q, i) * s.classes
		a += i * q * q * math.Pow(1-q*q, i-1) * s.classes
		b += none * (math.Pow(1+q, i) - 1)
		c += none
		d += i * q * math.Pow(1-q, i-1) * s.classes
	}
	if c == 0 {
		return f.classes
	}
	return f.classes + f.of(1)*a/b*(c/d)*(c/d)
}
