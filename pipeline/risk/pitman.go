package risk

import "math"

// pitman returns the estimate of Pitman's sampling formula with the parameters θ and α, 0 ≤ α < 1,
// of the largest likelihood (Hoshino: Applying Pitman's sampling formula to microdata disclosure
// risk assessment, Journal of Official Statistics 17:4, 2001, sections 2 and 3). The expected
// number of unique people in a population of N is N(θ+α)…(θ+α+N−2) / (θ+1)…(θ+N−1). NaN: no two
// people of the sample are equal.
func (f frequencies) pitman(fraction float64) float64 {
	if f.of(1) == 0 {
		return 0
	}
	if f.of(1) >= f.people {
		return math.NaN()
	}
	theta, alpha := f.pitmanParameters()
	last := f.people/fraction - 1
	return math.Exp(logRise(theta+alpha, 1-alpha) - logRise(theta+alpha+last, 1-alpha))
}

// pitmanParameters returns the parameters of the largest likelihood, whose logarithm is, up to a
// constant, for a sample of n people in u classes
//
//	Σ_{i=1}^{u−1} log(θ+iα) − Σ_{i=1}^{n−1} log(θ+i) + Σ_j s_j Σ_{i=1}^{j−1} log(i−α).
//
// For every α the best θ is the root of the derivative by θ. With it the derivative by α is that of
// the largest likelihood for α.
func (f frequencies) pitmanParameters() (theta, alpha float64) {
	n, u := f.people, f.classes
	low, high := 1e-6, 1-1e-9
	for range 50 {
		middle := (low + high) / 2
		if f.slope(middle, bestTheta(middle, n, u), u) > 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return bestTheta(low, n, u), low
}

// bestTheta returns the θ with the largest likelihood for an α.
func bestTheta(alpha, n, u float64) float64 {
	low, high := -30.0, 50.0 // of log(θ+α)
	for range 70 {
		middle := (low + high) / 2
		theta := math.Exp(middle) - alpha
		if sumOfInverses(theta, alpha, u) > digamma(theta+n)-digamma(theta+1) {
			low = middle
		} else {
			high = middle
		}
	}
	return math.Exp(low) - alpha
}

// sumOfInverses returns the sum of 1/(θ+iα) for i from 1 to u−1.
func sumOfInverses(theta, alpha, u float64) float64 {
	return (digamma(theta/alpha+u) - digamma(theta/alpha+1)) / alpha
}

// slope returns the derivative of the likelihood's logarithm by α.
func (f frequencies) slope(alpha, theta, u float64) float64 {
	sum := (u - 1 - theta*sumOfInverses(theta, alpha, u)) / alpha
	for _, s := range f.bySize {
		sum -= s.classes * (digamma(float64(s.size)-alpha) - digamma(1-alpha))
	}
	return sum
}

// digamma returns the derivative of the logarithm of the gamma function at a positive number
// (Abramowitz, Stegun: Handbook of Mathematical Functions, 6.3.5 and 6.3.18).
func digamma(x float64) float64 {
	y := 0.0
	for ; x < 10; x++ {
		y -= 1 / x
	}
	z := 1 / (x * x)
	series := z * (1./12 - z*(1./120-z*(1./252-z*(1./240-z/132))))
	return y + math.Log(x) - 1/(2*x) - series
}
