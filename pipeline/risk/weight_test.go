package risk

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// The figures of sdcMicro's tests of freqCalc and indivRisk (method approx): eight rows with keys
// A, B, C and sampling weights.
func TestWeightedAgreesWithSDCMicro(t *testing.T) {
	keys := [][3]int{{2, 3, 1}, {3, 3, 3}, {2, 3, 1}, {2, 3, 2}, {3, 3, 1}, {3, 3, 1}, {1, 4, 1},
		{2, 3, 1}}
	weights := []float64{18.0, 45.5, 39.0, 17.0, 92.0, 8.0, 123.5, 51}
	people := []float64{108.0, 45.5, 108.0, 17.0, 100.0, 100.0, 123.5, 108.0}
	risks := []float64{0.01369863, 0.08579129, 0.01369863, 0.17707583, 0.01877883, 0.01877883,
		0.03931625, 0.01369863}
	rows, sums := make(map[[3]int]int64), make(map[[3]int]Weight)
	for i, key := range keys {
		weight, ok := WeightOf(weights[i])
		if !ok {
			t.Fatal(weights[i])
		}
		sum := sums[key]
		sum.Add(weight, 1)
		sums[key] = sum
		rows[key]++
	}
	var classes WeightedClasses
	for key, n := range rows {
		classes.Add(n, sums[key])
	}
	for i, key := range keys {
		if got := sums[key].Float(); got != people[i] {
			t.Errorf("row %d stands for %v people, want %v", i, got, people[i])
		}
		// sdcMicro's tests state eight decimals
		got := IndividualRisk(float64(rows[key]), sums[key].Float())
		if math.Abs(got-risks[i]) > 5e-9 {
			t.Errorf("row %d: risk %v, want %v", i, got, risks[i])
		}
	}
	got, simple, mean := classes.Figures(8), 0.0, 0.0
	for i := range people {
		simple += 1 / people[i] / 8
		mean += risks[i] / 8
	}
	if math.Abs(got.Simple.Average-simple) > 1e-12 || got.Simple.Highest != 1/17.0 ||
		math.Abs(got.Individual.Average-mean) > 5e-9 || got.Population != 394 ||
		math.Abs(got.Individual.Highest-slices.Max(risks)) > 5e-9 {
		t.Errorf("%+v", got)
	}
}

// Weights of 1 make the table the population: the risk is that of the class, as sdcMicro has it.
func TestWeightedOfPopulation(t *testing.T) {
	for rows := 1.0; rows < 5; rows++ {
		if got := IndividualRisk(rows, rows); got != 1/rows {
			t.Errorf("%v rows: %v", rows, got)
		}
		if got := IndividualRisk(rows, rows/2); got != 1/rows {
			t.Errorf("%v rows for fewer people: %v", rows, got)
		}
		for _, more := range []float64{1 + 1e-8, 1 + 1e-12, 1 + 1.0/(1<<52)} { // rounded sums
			if got := IndividualRisk(rows, rows*more); math.Abs(got-1/rows) > 1e-6 {
				t.Errorf("%v rows of weight %v: %v", rows, more, got)
			}
		}
		// the closed form is near the next smaller population's risk, and below it
		if got := IndividualRisk(rows, rows*1.001); got > 1/rows || got < 0.99/rows {
			t.Errorf("%v rows for a little more people: %v", rows, got)
		}
	}
	if SimpleRisk(0.25) != 1 {
		t.Error("a risk above 1")
	}
}

// Sums are exact: those of the same weights in any order are equal.
func TestWeightsAdd(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 3))
	for range 200 {
		weights, exact := []float64(nil), new(big.Float).SetPrec(400)
		for range 1 + rng.IntN(50) {
			w := math.Ldexp(1+rng.Float64(), rng.IntN(30)-8)
			weights = append(weights, w)
			exact.Add(exact, new(big.Float).SetPrec(400).SetFloat64(w))
		}
		want, _ := exact.Float64()
		for range 3 {
			var sum Weight
			rng.Shuffle(len(weights), func(a, b int) {
				weights[a], weights[b] = weights[b], weights[a]
			})
			for _, w := range weights {
				of, ok := WeightOf(w)
				if !ok {
					t.Fatal(w)
				}
				sum.Add(of, 1)
			}
			if got := sum.Float(); math.Abs(got-want) > want*1e-15 {
				t.Fatalf("got %v, want %v", got, want)
			}
		}
	}
	var sum Weight
	of, _ := WeightOf(1.75)
	if sum.Add(of, 4_000_000_000); sum.Float() != 7e9 {
		t.Error(sum.Float())
	}
	large, _ := WeightOf(1 << 53)
	if sum.Add(large, 1<<12); sum.Float() != math.MaxUint64+1 {
		t.Error("a sum has overflowed:", sum.Float())
	}
	for _, w := range []float64{0, -1, math.NaN(), math.Inf(1), 1e300} {
		if _, ok := WeightOf(w); ok {
			t.Error(w, "is a weight")
		}
	}
}
