package risk

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// drawn draws the classes of the people of a population.
type drawn func(rng *rand.Rand, size int) []uint64

// attributes draws people with independent attributes. With a larger skew fewer values of an
// attribute are frequent; with 1 all are as frequent.
func attributes(skew float64, domains ...int) drawn {
	return func(rng *rand.Rand, size int) []uint64 {
		people := make([]uint64, size)
		for i := range people {
			for _, d := range domains {
				value := uint64(float64(d) * math.Pow(rng.Float64(), skew))
				people[i] = people[i]*uint64(d) + value
			}
		}
		return people
	}
}

// pitmanDrawn draws people one after the other by Pitman's sampling formula.
func pitmanDrawn(theta, alpha float64) drawn {
	return func(rng *rand.Rand, size int) []uint64 {
		people, first := make([]uint64, size), []int(nil)
		for i := range people {
			u := uint64(len(first))
			if rng.Float64()*(theta+float64(i)) < theta+alpha*float64(u) {
				people[i], first = u, append(first, i)
				continue
			}
			for { // a class of j people with a probability in proportion to j − α
				other := rng.IntN(i)
				people[i] = people[other]
				if first[people[other]] != other || rng.Float64() >= alpha {
					break
				}
			}
		}
		return people
	}
}

// weighted draws people from a number of classes with the given weights.
func weighted(classes int, weight func(rng *rand.Rand, class int) float64) drawn {
	return func(rng *rand.Rand, size int) []uint64 {
		sums, sum := make([]float64, classes), 0.0
		for i := range sums {
			sum += weight(rng, i)
			sums[i] = sum
		}
		people := make([]uint64, size)
		for i := range people {
			at, _ := slices.BinarySearch(sums, rng.Float64()*sum)
			people[i] = uint64(at)
		}
		return people
	}
}

func zipf(power float64) func(*rand.Rand, int) float64 {
	return func(_ *rand.Rand, class int) float64 { return math.Pow(float64(class+1), -power) }
}

func lognormal(sigma float64) func(*rand.Rand, int) float64 {
	return func(rng *rand.Rand, _ int) float64 { return math.Exp(sigma * rng.NormFloat64()) }
}

// snbDrawn draws classes by the slide negative binomial model, up to a number of people.
func snbDrawn(alpha int, beta float64) drawn {
	return func(rng *rand.Rand, size int) (people []uint64) {
		for class := uint64(0); len(people) < size; class++ {
			people = append(people, class)
			for successes := 0; successes < alpha; {
				if rng.Float64() < beta {
					successes++
				} else {
					people = append(people, class)
				}
			}
		}
		return people[:size]
	}
}

// sample returns the share of unique people, and the frequencies of samples of a population.
func (d drawn) sample(seed uint64, size int, fractions ...float64) (unique float64,
	samples []frequencies) {
	rng := rand.New(rand.NewPCG(seed, 1))
	people := d(rng, size)
	unique = frequenciesOf(people).of(1) / float64(size)
	rng.Shuffle(size, func(i, j int) { people[i], people[j] = people[j], people[i] })
	for _, fraction := range fractions {
		samples = append(samples, frequenciesOf(people[:int(fraction*float64(size))]))
	}
	return unique, samples
}

func frequenciesOf(people []uint64) frequencies {
	classes, sizes := make(map[uint64]int64), make(map[int64]int64)
	for _, c := range people {
		classes[c]++
	}
	for _, n := range classes {
		sizes[n]++
	}
	return newFrequencies(int64(len(people)), sizes, 1)
}

// Every estimator is right on average for a population that its model describes, and its standard
// error is that of many samples, or a little larger.
func TestEstimatorsOnTheirModels(t *testing.T) {
	for _, tt := range []struct {
		name, estimator string
		population      drawn
		fraction        float64
		bias            float64 // allowed, as a part of the true share
	}{
		{"much of Pitman's α", pitman, pitmanDrawn(500, 0.7), 0.04, 0.1},
		{"Pitman", pitman, pitmanDrawn(3000, 0.4), 0.1, 0.1},
		{"little of Pitman's α", pitman, pitmanDrawn(10000, 0.1), 0.2, 0.1},
		{"slide negative binomial", snb, snbDrawn(2, 0.4), 0.4, 0.12},
		{"slide negative binomial of large classes", snb, snbDrawn(1, 0.2), 0.5, 0.12},
		{"nearly the population", zayatz, pitmanDrawn(3000, 0.4), 0.9, 0.01},
	} {
		const size, samples = 50_000, 40
		rng := rand.New(rand.NewPCG(5, 1))
		people := tt.population(rng, size)
		unique := frequenciesOf(people).of(1) / size
		var sum, squares, claimed float64
		for range samples {
			rng.Shuffle(size, func(i, j int) { people[i], people[j] = people[j], people[i] })
			f := frequenciesOf(people[:int(tt.fraction*size)])
			p := f.estimate(size)
			unique, solved := p.Estimates[tt.estimator]
			if !solved {
				t.Fatalf("%s: no estimate", tt.name)
			}
			sum, squares = sum+unique/samples, squares+unique*unique/samples
			claimed += f.deviation(estimators[tt.estimator], tt.fraction) / samples
		}
		deviation := math.Sqrt(squares - sum*sum)
		t.Logf("%s: true %.4f, mean %.4f, deviation %.4f, claimed %.4f", tt.name, unique, sum,
			deviation, claimed)
		if math.Abs(sum/unique-1) > tt.bias {
			t.Errorf("%s: %.4f on average, true is %.4f", tt.name, sum, unique)
		}
		if claimed < 0.8*deviation || claimed > 2.2*deviation {
			t.Errorf("%s: claimed deviation %.5f, it is %.5f", tt.name, claimed, deviation)
		}
	}
}

// The rule's estimate is within 20 % of the true share in the median of ten populations of several
// kinds and samples of 1 % to 20 %. Where classes are about as frequent as each other it
// is far too high.
func TestPopulationUniques(t *testing.T) {
	const size = 200_000
	populations := map[string]drawn{
		"Pitman 0.7":          pitmanDrawn(200, 0.7),
		"Pitman 0.5":          pitmanDrawn(2000, 0.5),
		"Pitman 0.2":          pitmanDrawn(10000, 0.2),
		"Zipf 1.2":            weighted(1_000_000, zipf(1.2)),
		"Zipf 1":              weighted(100_000, zipf(1)),
		"Zipf 0.8":            weighted(1_000_000, zipf(0.8)),
		"log-normal":          weighted(300_000, lognormal(3)),
		"birthdate, sex, zip": attributes(1.5, 30000, 2, 100),
		"age, sex, zip, job":  attributes(3, 90, 2, 900, 20),
		"ten attributes":      attributes(3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4),
	}
	var off []float64
	for name, population := range populations {
		unique, samples := population.sample(7, size, 0.01, 0.02, 0.05, 0.1, 0.2)
		for _, f := range samples {
			p := f.estimate(size)
			t.Logf("%-20s %4.0f %%: true %.4f, %s %.4f ± %.4f", name, f.people/size*100, unique,
				p.Estimator, p.Unique, p.Error)
			off = append(off, math.Abs(p.Unique/unique-1))
		}
	}
	slices.Sort(off)
	t.Logf("%.3f", off)
	if median := off[len(off)/2]; median > 0.2 {
		t.Errorf("off by %.2f in the median", median)
	}
	for name, population := range map[string]drawn{
		"equal classes":        attributes(1, 30_000),
		"nearly equal classes": weighted(50_000, lognormal(1)),
	} {
		unique, samples := population.sample(7, size, 0.01, 0.05, 0.2)
		for _, f := range samples {
			p := f.estimate(size)
			t.Logf("%-20s %4.0f %%: true %.4f, %s %.4f ± %.4f", name, f.people/size*100, unique,
				p.Estimator, p.Unique, p.Error)
			if p.Unique < 1.5*unique {
				t.Errorf("%s: %.4f is not too high for %.4f: mend docs/risk.md", name, p.Unique,
					unique)
			}
		}
	}
}

// Samples at the edges have estimates that are shares.
func TestPopulationEdges(t *testing.T) {
	for _, tt := range []struct {
		name      string
		classes   map[int64]int64
		size      int64
		estimator string
		unique    float64
	}{
		{"the whole population", map[int64]int64{1: 5, 2: 10, 7: 1}, 32, zayatz, 5. / 32},
		{"nobody is alone", map[int64]int64{2: 10, 7: 1}, 3200, pitman, 0},
		{"all are alone", map[int64]int64{1: 10}, 1000, zayatz, 1},
		{"one class", map[int64]int64{10: 1}, 1000, pitman, 0},
		{"one person", map[int64]int64{1: 1}, 1 << 40, zayatz, 1},
	} {
		people := int64(0)
		for size, number := range tt.classes {
			people += size * number
		}
		p := newFrequencies(people, tt.classes, 1).estimate(tt.size)
		if p.Estimator != tt.estimator || math.Abs(p.Unique-tt.unique) > 1e-9 ||
			math.IsNaN(p.Error) {
			t.Errorf("%s: %+v", tt.name, p)
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		classes, people := make(map[int64]int64), int64(0)
		for range 1 + rng.IntN(8) {
			size, number := 1+rng.Int64N(1<<rng.IntN(24)), 1+rng.Int64N(1<<rng.IntN(20))
			classes[size] += number
			people += size * number
		}
		p := newFrequencies(people, classes, 1).estimate(people * (1 + rng.Int64N(1<<rng.IntN(20))))
		for name, share := range p.Estimates {
			if !(share >= 0 && share <= 1) {
				t.Errorf("%v: %s %v", classes, name, share)
			}
		}
		if !(p.Error >= 0) {
			t.Errorf("%v: error %v", classes, p.Error)
		}
	}
}

// The likelihood of Pitman's formula, added up as written, is nowhere larger than at the estimate's
// parameters.
func TestPitmanLikelihood(t *testing.T) {
	_, samples := pitmanDrawn(50, 0.5).sample(3, 20_000, 0.05)
	f := samples[0]
	n, u := f.people, f.classes
	likelihood := func(theta, alpha float64) (sum float64) {
		for i := 1.0; i < u; i++ {
			sum += math.Log(theta + i*alpha)
		}
		for i := 1.0; i < n; i++ {
			sum -= math.Log(theta + i)
		}
		for _, s := range f.bySize {
			for i := 1.0; i < float64(s.size); i++ {
				sum += s.classes * math.Log(i-alpha)
			}
		}
		return sum
	}
	theta, alpha := f.pitmanParameters()
	best := likelihood(theta, alpha)
	for _, d := range []float64{-0.3, -0.03, -0.003, 0.003, 0.03, 0.3} {
		for _, e := range []float64{-0.3, -0.03, -0.003, 0, 0.003, 0.03, 0.3} {
			if other := likelihood(theta*(1+d), alpha*(1+e)); other > best {
				t.Errorf("θ %.3f, α %.4f: %.9f, but %.9f at %.3f, %.4f", theta, alpha, best, other,
					theta*(1+d), alpha*(1+e))
			}
		}
	}
}

// The equations of the slide negative binomial model, added up as its distribution says, give its
// parameters back.
func TestSNBEquations(t *testing.T) {
	for _, alpha := range []float64{0.1, 1, 3.7} {
		for _, beta := range []float64{0.05, 0.4, 0.9} {
			for _, fraction := range []float64{0.01, 0.3, 0.9} {
				s1, s2, p := 0.0, 0.0, math.Pow(beta, alpha)
				for j := 1.0; j < 5000; j++ {
					s1 += 1000 * p * j * fraction * math.Pow(1-fraction, j-1)
					s2 += 1000 * p * j * (j - 1) / 2 * fraction * fraction *
						math.Pow(1-fraction, j-2)
					p *= (alpha + j - 1) / j * (1 - beta)
				}
				want := 1000 * math.Pow(beta, alpha)
				if got := snbUniques(s1, s2, 1000, fraction); math.Abs(got/want-1) > 1e-6 {
					t.Errorf("α %v, β %v, fraction %v: %v, want %v", alpha, beta, fraction, got,
						want)
				}
			}
		}
	}
}

// Probabilities that are multiplied factor by factor agree with those of large numbers.
func TestOneOf(t *testing.T) {
	for _, size := range []float64{10, 999, 1003, 50_000} {
		for _, n := range []float64{1, 2, size / 2, size - 3} {
			for _, j := range []float64{1, 2, 3, 8} {
				n = math.Floor(n)
				want := j * n / size
				for i := 1.0; i < j; i++ {
					want *= max(size-n-i+1, 0) / (size - i)
				}
				if got := oneOf(j, n, size); math.Abs(got-want) > 1e-9*want {
					t.Errorf("one of %v in %v of %v: %v, want %v", j, n, size, got, want)
				}
			}
		}
	}
	if got := oneOf(1, 1e12, 1e15); math.Abs(got/1e-3-1) > 1e-9 {
		t.Errorf("one of 1 in a thousandth: %v", got)
	}
}
