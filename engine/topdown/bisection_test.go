package topdown

import (
	"math/rand/v2"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/partition"
)

// Kinds of random profiles.
const (
	arbitrary    = iota
	mirrored     // splits as far from either end tie
	proportional // no split gains anything but what is rounded
	kinds
)

// randomProfile returns the profile of a discretized column with some codes, of which some do
// not occur.
func randomProfile(rng *rand.Rand, codes, kind int) profile {
	classes := rng.IntN(5)
	a := &engine.Attribute{Mask: engine.Discretize, Lower: -1, Upper: float64(codes), HasNull: rng.IntN(2) == 0}
	var pairs partition.Pairs
	most := uint64(1) << rng.IntN(40)
	for code := range codes {
		a.Texts, a.Positions = append(a.Texts, ""), append(a.Positions, float64(code))
		draw := rng
		if kind == mirrored {
			draw = rand.New(rand.NewPCG(uint64(min(code, codes-1-code)), most))
		}
		size, occurs := 1+draw.Uint64N(most), draw.IntN(3) > 0
		for class := range max(1, classes) {
			n := size * uint64(class+1)
			if kind != proportional {
				n, occurs = 1+draw.Uint64N(most), draw.IntN(3) > 0
			}
			if occurs {
				pairs = append(pairs, partition.Pair{Code: uint32(code), Class: uint32(class), Count: n})
			}
		}
	}
	if a.HasNull {
		pairs = append(pairs, partition.Pair{Code: uint32(codes), Class: 0, Count: 1 + rng.Uint64N(most)})
	}
	return profile{attribute: a, histogram: pairs.Histogram(a.Len(), max(1, classes)), classes: classes, set: engine.Set{K: engine.KAnonymity(1 + most/4)}}
}

// naiveBestSplit computes the gain of every split.
func naiveBestSplit(v *intervals, lo, hi int, withNull bool) int {
	frequenciesOf := func(lo, hi int) ([]uint64, uint64) {
		frequencies := make([]uint64, v.histogram.Classes)
		return frequencies, v.count(frequencies, lo, hi)
	}
	partOf := func(of span) part {
		frequencies, size := frequenciesOf(of.lo, of.hi)
		return part{size, v.impurity(of, frequencies, size)}
	}
	end := hi
	if withNull {
		end++
	}
	all, size := frequenciesOf(lo, end)
	whole := part{size, v.impurity(span{lo: lo, hi: hi}, all, size)}
	best, highest := -1, 0.0
	for at := lo; at < hi; at++ {
		left := partOf(span{lo: lo, hi: at})
		if left.size == 0 || !v.occurs(at) {
			continue
		}
		gain := v.gainOf(whole, left, partOf(span{lo: at, hi: hi}), partOf(span{lo: hi, hi: end}))
		if best < 0 || gain > highest {
			best, highest = at, gain
		}
	}
	return best
}

func TestBestSplitAgreesWithNaive(t *testing.T) {
	rng := formatstest.Rand(t)
	for round := range 600 {
		codes := 1 + rng.IntN(60)
		p := randomProfile(rng, codes, round%kinds)
		lo, hi, withNull := 0, codes, p.attribute.HasNull
		if rng.IntN(2) == 0 {
			lo, withNull = rng.IntN(codes), false
			hi = lo + 1 + rng.IntN(codes-lo)
		}
		end := hi
		if withNull {
			end++
		}
		frequencies := make([]uint64, p.histogram.Classes)
		p.count(frequencies, lo, end)
		want := naiveBestSplit(&intervals{p}, lo, hi, withNull)
		v := &intervals{p}
		if got := v.bestSplit(lo, hi, frequencies, withNull); got != want {
			t.Fatalf("round %d, %d codes, %d classes: split at %d, want %d", round, codes, p.classes, got, want)
		}
	}
}
